//! Help, manual pages, completions and colours.

use crate::{Scratch, sample};

/// The verbs that `--help` lists.
fn verbs(s: &Scratch) -> Vec<String> {
    listed(s).into_iter().map(|(verb, _)| verb).collect()
}

/// The verbs that `--help` lists, and what it says of them.
fn listed(s: &Scratch) -> Vec<(String, String)> {
    let help = s.ok("--help").out;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.map_while(|line| line.trim_start().split_once(' '));
    let lines = lines.map(|(verb, about)| (verb.to_owned(), about.trim().to_owned()));
    lines.collect()
}

/// With `remote` as well: flags that verbs share come with comments of their own.
#[test]
fn help_of_a_verb_begins_with_what_the_list_says_of_it() {
    let s = Scratch::new();
    let listed = listed(&s);
    assert!(listed.len() >= 16, "{listed:?}");
    for (verb, about) in listed {
        for flag in ["-h", "--help"] {
            let help = s.ok(&format!("{verb} {flag}")).out;
            assert!(help.starts_with(&about), "{verb}: {help}");
        }
    }
}

#[test]
fn every_verb_has_examples_and_a_page() {
    let s = Scratch::new();
    let verbs = verbs(&s);
    assert!(verbs.len() >= 16, "{verbs:?}");
    s.ok("man --dir pages");
    for verb in &verbs {
        for flag in ["-h", "--help"] {
            let help = s.ok(&format!("{verb} {flag}")).out;
            assert!(help.contains("Examples:\n"), "{verb}: {help}");
            let width = help.lines().map(|line| line.chars().count()).max();
            assert!(width <= Some(80), "{verb}: {help}");
            // Commands to copy are not broken.
            let examples = help.lines().skip_while(|line| *line != "Examples:");
            for line in examples.skip(1) {
                assert!(
                    line.contains("spr-convert") || line.contains("PATH="),
                    "{line}"
                );
            }
        }
        let page = s.ok(&format!("man {verb}")).out;
        assert!(page.contains(&format!(".TH spr-convert-{verb}")), "{page}");
        assert!(!page.contains("\n.TP\n.TP"), "{page}");
        let sections: Vec<_> = page
            .lines()
            .filter_map(|l| l.strip_prefix(".SH "))
            .collect();
        for section in [
            "SYNOPSIS",
            "OPTIONS",
            "EXAMPLES",
            "\"EXIT STATUS\"",
            "FILES",
            "ENVIRONMENT",
        ] {
            assert!(sections.contains(&section), "{verb}: {sections:?}");
        }
        // The forms that people type, and no list of all flags.
        let synopsis = page
            .split(".SH ")
            .find(|part| part.starts_with("SYNOPSIS"))
            .unwrap();
        assert!(synopsis.lines().count() <= 8, "{synopsis}");
        let written = s.read(&format!("pages/spr-convert-{verb}.1"));
        assert_eq!(String::from_utf8(written).unwrap(), page);
        assert!(s.ok("completions bash").out.contains(verb.as_str()));
    }
    assert_eq!(
        std::fs::read_dir(s.path("pages")).unwrap().count(),
        verbs.len() + 4
    );
    // Pages refer to those of the verbs of a verb.
    for verb in ["status", "merge", "plan"] {
        let page = s.ok(&format!("man shards {verb}")).out;
        assert!(
            page.contains(&format!(".TH spr-convert-shards-{verb} ")),
            "{page}"
        );
        let written = s.read(&format!("pages/spr-convert-shards-{verb}.1"));
        assert_eq!(String::from_utf8(written).unwrap(), page);
    }
    assert!(s.fails("man shards mrege").contains("unknown verb 'mrege'"));
    assert!(s.fails("man ls x").contains("'x' is a word too many"));
    let error = s.fails("man selct");
    assert!(error.contains("unknown verb 'selct'"), "{error}");
    assert!(s.run("man selct").err.contains("did you mean 'select'?"));
}

#[test]
fn help_names_the_form_of_convert_and_all_losses() {
    let s = Scratch::new();
    for help in [s.ok("--help").out, s.ok("convert --help").out] {
        let words: Vec<_> = help.split_whitespace().collect();
        let told = words.join(" ");
        assert!(!told.contains("[OPTIONS] convert"), "{told}");
        let known = s.run("a.ark b.ark --allow-loss x").err;
        let known = known.split("known: ").nth(1).unwrap().trim();
        assert!(told.contains(known), "{known}: {told}");
    }
    assert!(s.ok("man").out.contains("spr\\-convert convert [OPTIONS]"));
}

#[test]
fn short_help_is_short() {
    let s = Scratch::new();
    let lines = |line: &str| s.ok(line).out.lines().count();
    for verb in ["", "convert ", "sort ", "info "] {
        let [short, long] = ["-h", "--help"].map(|flag| lines(&format!("{verb}{flag}")));
        assert!(short + 10 < long, "{verb}: {short} and {long} lines");
    }
    assert!(lines("-h") <= 72, "{}", lines("-h"));
    // A call of nothing fits on a screen.
    let bare = s.run("");
    assert_eq!((bare.status, &*bare.out), (2, ""));
    assert!(bare.err.lines().count() <= 24, "{}", bare.err);
    let formats = s.ok("formats").out + &s.ok("formats kaldi").out;
    assert!(
        formats.lines().all(|line| line.chars().count() <= 80),
        "{formats}"
    );
}

/// Runs a line on a terminal, with `env` before it.
#[cfg(target_os = "linux")]
fn on_a_terminal(s: &Scratch, env: &str) -> String {
    let line = format!("TERM=xterm {env} spr-convert no-such-file.ark x.jsonl");
    s.shell(&format!("script -qec '{line}' /dev/null || true"))
        .out
}

#[test]
#[cfg(target_os = "linux")]
fn colours_only_on_terminals() {
    let s = Scratch::new();
    assert!(!s.run("no-such-file.ark x.jsonl").err.contains('\u{1b}'));
    if !s.shell("command -v script").out.is_empty() {
        assert!(on_a_terminal(&s, "").contains("\u{1b}[1m\u{1b}[31merror:"));
        assert!(!on_a_terminal(&s, "NO_COLOR=1").contains('\u{1b}'));
        assert!(!on_a_terminal(&s, "TERM=dumb").contains('\u{1b}'));
    }
}

#[test]
fn progress_for_programs() {
    let s = Scratch::new();
    let said = s.ok(&format!(
        "{} x.jsonl --progress json -q",
        sample("fbank.ark")
    ));
    let last = said.err.lines().last().unwrap_or_default();
    let last: serde_json::Value = serde_json::from_str(last).unwrap();
    assert_eq!(
        (&last["utterances"], &last["frames"]),
        (&12.into(), &3111.into())
    );
    assert_eq!(last["done"], true);
}

#[test]
fn what_is_left_is_known_of_lists_folders_and_packed_files() {
    let s = Scratch::new();
    s.ok(&format!("{} a.jsonl.gz", sample("fbank.ark")));
    s.ok(&format!("{} spr:folder/", sample("fbank.ark")));
    s.ok(&format!("{} b.pfile", sample("fbank.ark")));
    let length = |name: &str| std::fs::metadata(s.path(name)).unwrap().len();
    let (packed, pfile) = (length("a.jsonl.gz"), length("b.pfile"));
    let scp = sample("fbank.scp");
    let null = serde_json::Value::Null;
    for (input, bytes, entries) in [
        (&*scp, null.clone(), 12.into()),
        ("folder/", null.clone(), 12.into()),
        ("a.jsonl.gz", packed.into(), null.clone()),
        ("b.pfile", pfile.into(), 12.into()),
        (&format!("{scp} {scp}"), null.clone(), 24.into()),
        ("a.jsonl.gz b.pfile", (packed + pfile).into(), null.clone()),
    ] {
        let said = s.ok(&format!(
            "convert {input} -o x.jsonl --overwrite --progress json -q --duplicates keep"
        ));
        let last = said.err.lines().last().unwrap_or_default();
        let last: serde_json::Value = serde_json::from_str(last).unwrap();
        for key in ["bytes", "bytes_total"] {
            assert_eq!(last[key], bytes, "{input}: {last}");
        }
        for key in ["entries", "entries_total"] {
            assert_eq!(last[key], entries, "{input}: {last}");
        }
    }
    // In the middle it is less than all, and more than nothing.
    let line: String = (0..60_000)
        .map(|i| format!("{i} [ {i} 1 2 3 4 5 6 7 8 9 ]\n"))
        .collect();
    s.write("long.txt", line);
    s.ok("ark:long.txt long.ark.gz");
    s.ok("ark:long.txt ark,scp:long.ark,long.scp");
    for (input, at, of) in [
        ("long.ark.gz", "bytes", "bytes_total"),
        ("long.scp", "entries", "entries_total"),
    ] {
        let said = s.ok(&format!("{input} ark,t:- --progress json -q")).err;
        let lines = said
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let places: Vec<_> = lines
            .map(|l| (l[at].as_u64().unwrap(), l[of].as_u64().unwrap()))
            .collect();
        assert!(places.is_sorted(), "{input}: {places:?}");
        let between = places.iter().filter(|(at, of)| *at > 0 && at < of);
        assert!(
            places.len() < 3 || between.count() > 0,
            "{input}: {places:?}"
        );
    }
}
