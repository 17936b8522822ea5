//! Help, manual pages, completions and colours.

use crate::{Scratch, sample};

/// The verbs that `--help` lists.
fn verbs(s: &Scratch) -> Vec<String> {
    let help = s.ok("--help").out;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.map_while(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
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
            assert!(width <= Some(100), "{verb}: {help}");
        }
        let page = s.ok(&format!("man {verb}")).out;
        assert!(page.contains(&format!(".TH spr-convert-{verb}")), "{page}");
        assert!(!page.contains("\n.TP\n.TP"), "{page}");
        let written = s.read(&format!("pages/spr-convert-{verb}.1"));
        assert_eq!(String::from_utf8(written).unwrap(), page);
        assert!(s.ok("completions bash").out.contains(verb.as_str()));
    }
    assert_eq!(
        std::fs::read_dir(s.path("pages")).unwrap().count(),
        verbs.len() + 1
    );
    let error = s.fails("man selct");
    assert!(error.contains("unknown verb 'selct'"), "{error}");
    assert!(s.run("man selct").err.contains("did you mean 'select'?"));
}

#[test]
fn short_help_is_short() {
    let s = Scratch::new();
    let lines = |line: &str| s.ok(line).out.lines().count();
    for verb in ["", "convert ", "sort ", "info "] {
        let [short, long] = ["-h", "--help"].map(|flag| lines(&format!("{verb}{flag}")));
        assert!(short + 10 < long, "{verb}: {short} and {long} lines");
    }
    assert!(lines("-h") <= 66, "{}", lines("-h"));
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
