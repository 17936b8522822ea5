//! What joins data that are only looked at, and the ways to print what is found.

use serde_json::Value;

use crate::{Scratch, sample};

/// A data set with labels, text and speakers in files of their own.
fn corpus() -> Scratch {
    let s = Scratch::new();
    for name in ["fbank.ark", "ali.ark", "text"] {
        s.write(name, std::fs::read(sample(name)).unwrap());
    }
    let keys = s.ok("ls ali.ark --tsv").out;
    let keys = keys
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').nth(1));
    let speakers: String = keys
        .map(|key| format!("{key} {}\n", key.split('-').next().unwrap()))
        .collect();
    s.write("utt2spk", speakers);
    let phones: String = (0..24).map(|i| format!("ph{i} {i}\n")).collect();
    s.write("phones.txt", phones);
    s
}

#[test]
fn looking_verbs_join_what_converting_verbs_join() {
    let s = corpus();
    let join = "fbank.ark --labels ali.ark --text text --utt2spk utt2spk --frame-shift 0.01";
    let info: Value = serde_json::from_str(&s.ok(&format!("info --json {join}")).out).unwrap();
    assert_eq!(info["label_columns"], 1);
    assert_eq!(info["frame_shift"], 0.01);
    assert!(s.ok(&format!("info {join}")).out.contains("text"));
    let ls = s.ok(&format!("ls {join}")).out;
    assert_eq!(ls.matches("features+labels+text").count(), 12, "{ls}");
    let stats = s.ok(&format!("stats {join} --symbols phones.txt")).out;
    assert!(
        stats.contains("31.11 s") && stats.contains("ph23"),
        "{stats}"
    );
    let show = s.ok(&format!(
        "show {join} --symbols phones.txt --range 0:2,0:1 ann-001"
    ));
    assert!(show.out.contains("ph4  ph13  ph4"), "{}", show.out);
    assert!(
        show.out.contains("  text: the converter reads"),
        "{}",
        show.out
    );
    let line = s.ok(&format!("show --json {join} ann-001")).out;
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["meta"]["speaker"], "ann");
    s.ok(&format!("plot {join} ann-001 -o a.svg"));
    assert!(
        String::from_utf8(s.read("a.svg"))
            .unwrap()
            .contains("the converter reads")
            || !String::from_utf8(s.read("a.svg")).unwrap().is_empty()
    );
    s.ok(&format!("report {join} -o a.html"));
    // The same joins in a conversion.
    s.ok("fbank.ark --labels ali.ark --text text --utt2spk utt2spk x.jsonl");
    let diff = s.ok(&format!("diff {join} x.jsonl"));
    assert!(diff.err.ends_with("no difference\n"), "{}", diff.err);
}

#[test]
fn an_utterance_without_text_is_at_fault() {
    let s = corpus();
    let text = String::from_utf8(s.read("text")).unwrap();
    let but_first: String = text
        .lines()
        .skip(1)
        .map(|line| format!("{line}\n"))
        .collect();
    s.write("some", but_first);
    let error = s.fails("fbank.ark --text some x.jsonl");
    assert!(
        error.contains("utterance ann-001: no text in some"),
        "{error}"
    );
    let said = s.run("fbank.ark --text some x.jsonl --on-error skip");
    assert_eq!(said.status, 3);
    s.write("twice", format!("{text}ann-001 another\n"));
    let error = s.fails("fbank.ark --text twice y.jsonl");
    assert!(error.contains("has text twice, and it differs"), "{error}");
    let error = s.fails("x.jsonl --text text y.jsonl");
    assert!(error.contains("has text already"), "{error}");
    s.write(
        "digits",
        text.lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(key, _)| format!("{key} 1 2 3\n"))
            .collect::<String>(),
    );
    s.ok("fbank.ark --text digits z.jsonl");
    assert!(
        String::from_utf8(s.read("z.jsonl"))
            .unwrap()
            .contains("\"text\":\"1 2 3\"")
    );
    let error = s.fails("fbank.ark --text text -t jsonl text --overwrite");
    assert!(error.contains("text"), "an input is not replaced: {error}");
}

#[test]
fn utterances_are_named_by_patterns() {
    let s = corpus();
    assert_eq!(s.ok("ls ali.ark ann-* bob-001").out.lines().count(), 5);
    assert_eq!(
        s.ok("show ali.ark *-00[12] --range 0")
            .out
            .matches("labels:")
            .count(),
        6
    );
    s.ok("plot fbank.ark ann-00? -o a.png");
    for line in ["show ali.ark zed-*", "ls ali.ark zed", "plot fbank.ark z*"] {
        let error = s.fails(line);
        assert!(
            error.contains("there is no such utterance"),
            "{line}: {error}"
        );
    }
    // What is a file is a file.
    assert_eq!(s.ok("ls ali.ark text").out.lines().count(), 24);
}

#[test]
fn diff_says_once_what_only_one_holds() {
    let s = corpus();
    s.ok("fbank.ark --labels ali.ark train.pfile");
    let said = s.run("diff fbank.ark train.pfile");
    assert_eq!(said.status, 1);
    assert_eq!(
        said.out,
        "only train.pfile holds labels, in 12 utterances\n"
    );
    assert_eq!(
        said.err,
        "12 utterances compared, no difference in what both hold\n"
    );
    let facts: Value =
        serde_json::from_str(&s.run("diff fbank.ark train.pfile --json").out).unwrap();
    assert_eq!(facts["kinds"][0]["what"], "labels");
    assert_eq!(facts["kinds"][0]["only_in"], "b");
    // Long lists are cut.
    let lines = |from: i32| {
        (0..30)
            .map(|i| format!("u{i} {}\n", i + from))
            .collect::<String>()
    };
    s.write("a.ali", lines(0));
    s.write("b.ali", lines(1));
    let said = s.run("diff a.ali b.ali");
    assert_eq!(said.out.lines().count(), 21, "{}", said.out);
    assert!(
        said.out
            .ends_with("… and 10 utterances more, which --all lists\n")
    );
    assert_eq!(s.run("diff a.ali b.ali --all").out.lines().count(), 30);
    // Of one utterance each, names are no matter.
    s.write("a.ali", "ann 1 2 3\n");
    s.write("b.ali", "bob 1 2 3\n");
    let said = s.ok("diff a.ali b.ali");
    assert!(
        said.err.contains("compared whatever their names"),
        "{}",
        said.err
    );
}

#[test]
fn tables_have_tabs_and_titles() {
    let s = corpus();
    let table = |line: &str| -> Vec<Vec<String>> {
        let out = s.ok(line).out;
        let words = |line: &str| line.split('\t').map(str::to_owned).collect();
        out.lines().map(words).collect()
    };
    for (line, rows, titles) in [
        ("ls --tsv fbank.ark ali.ark", 25, ["input", "key", "kinds"]),
        (
            "info --tsv fbank.ark ali.ark",
            3,
            ["input", "format", "utterances"],
        ),
    ] {
        let table = table(line);
        assert_eq!(table.len(), rows, "{line}");
        assert_eq!(table[0][..3], titles, "{line}");
        assert!(
            table.iter().all(|row| row.len() == table[0].len()),
            "{line}"
        );
    }
    let stats = table("stats --tsv ali.ark");
    assert_eq!(stats[0], ["input", "name", "value"]);
    let row = ["ali.ark", "frames", "3111"].map(str::to_owned);
    assert!(stats.contains(&row.to_vec()), "{stats:?}");
    let both = s.ok("info fbank.ark ali.ark").out;
    assert_eq!(both.lines().count(), 3, "{both}");
    assert_eq!(
        s.ok("info -v fbank.ark ali.ark")
            .out
            .matches("  format")
            .count(),
        2
    );
}

#[test]
fn errors_and_explanations_are_json_where_asked() {
    let s = corpus();
    let error: Value = serde_json::from_str(&s.run("info --json nope.ark").err).unwrap();
    assert_eq!(
        (&error["kind"], &error["status"]),
        (&"io".into(), &2.into())
    );
    assert_eq!(error["file"], "nope.ark");
    let error: Value = serde_json::from_str(&s.run("show --json ali.ark zed").err).unwrap();
    assert_eq!(
        (&error["kind"], &error["key"]),
        (&"unfit".into(), &"zed".into())
    );
    let explained = s
        .ok("fbank.ark x.pfile --labels ali.ark --explain --json")
        .out;
    let lines: Vec<Value> = explained
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let what: Vec<_> = lines
        .iter()
        .map(|line| line["argument"].as_str().unwrap())
        .collect();
    assert_eq!(what, ["input", "labels", "output"]);
}

#[test]
fn words_for_places_folders_and_partitions() {
    let s = corpus();
    for (line, error, hint) in [
        (
            "fbank.ark:26441 x.jsonl",
            "fbank.ark@26441: utterance fbank: no utterance seems to start at that byte",
            "`spr-convert ls fbank.ark` shows where utterances start",
        ),
        (
            "fbnk.ark:8 x.jsonl",
            "fbnk.ark:8: cannot open",
            "that is byte 8 of fbnk.ark, which is not there; did you mean fbank.ark:8?",
        ),
        (
            "text x.pfile",
            "x.pfile: utterance ann-001: has text, which pfile can't hold",
            " hold text; `spr-convert formats` says what each format holds",
        ),
        (
            "fbank.ark x.seg",
            "x.seg: utterance ann-001: has features, which spr can't hold",
            " hold features; ",
        ),
    ] {
        let said = s.run(line);
        assert_eq!(said.status, 2, "{line}");
        assert!(said.err.contains(error), "{line}: {}", said.err);
        assert!(said.err.contains(hint), "{line}: {}", said.err);
    }
    // One table among files hides them.
    s.ok("fbank.ark mix/ -t npy");
    s.write("mix/0.ark", s.read("ali.ark"));
    assert!(s.ok("info mix").out.contains("2 data sets"));
    let said = s.run("ls mix");
    assert_eq!(said.status, 2);
    assert_eq!(
        said.err,
        "spr-convert: error: mix: is a folder with kaldi files of many utterances each\n\
         spr-convert: hint: name the file that you mean, such as mix/0.ark; --from npy reads only \
         the npy files\n"
    );
    let said = s.ok("info mix --from npy");
    assert!(
        said.err.contains("mix/0.ark: skipped, as it is not npy"),
        "{}",
        said.err
    );
    // Shuffled data are partitions.
    let random = s.ok("info fbank.ark,random=True");
    assert!(
        random.out.contains("1 partition, 3111 frames"),
        "{}",
        random.out
    );
    let said = s.ok("fbank.ark,random=True x.pkl");
    assert!(
        said.err.starts_with("1 partition, 3111 frames, 0 skipped"),
        "{}",
        said.err
    );
    // The size is that of the file.
    let said = s.ok("fbank.ark x.pfile.gz --json --labels ali.ark");
    let facts: Value = serde_json::from_str(&said.out).unwrap();
    let length = |name: &str| std::fs::metadata(s.path(name)).unwrap().len();
    let all = length("x.pfile.gz") + length("x.pfile.gz.utt2num_frames");
    assert_eq!(facts["bytes"], all);
}

#[test]
#[cfg(target_os = "linux")]
fn messages_fit_a_terminal_and_are_one_line_elsewhere() {
    let s = corpus();
    if s.shell("command -v script").out.is_empty() {
        return;
    }
    let on = |columns: usize| {
        let line =
            format!("stty rows 24 cols {columns}; TERM=dumb spr-convert fbank.ark x -t pfil");
        s.shell(&format!("script -qec '{line}' /dev/null")).out
    };
    for columns in [60, 80, 120] {
        let shown = on(columns);
        let widths: Vec<_> = shown.lines().map(|line| line.trim_end().len()).collect();
        assert!(widths.len() > 3, "{shown}");
        assert!(widths.iter().all(|width| *width <= columns), "{shown}");
        assert!(shown.contains("\n  "), "{shown}");
        assert!(
            shown.contains("spr-convert: hint: did you mean 'pfile'?"),
            "{shown}"
        );
    }
    let plain = s.run("fbank.ark x -t pfil").err;
    assert_eq!(plain.lines().count(), 2, "{plain}");
}

#[test]
#[cfg(target_os = "linux")]
fn long_matrices_are_shown_in_part_on_a_terminal() {
    let s = corpus();
    if s.shell("command -v script").out.is_empty() {
        return;
    }
    let shown = |line: &str| s.shell(&format!("script -qec '{line}' /dev/null")).out;
    let part = shown("spr-convert show fbank.ark ann-001");
    assert_eq!(part.lines().count(), 9, "{part}");
    assert!(part.contains("\u{2026}"), "{part}");
    let labels = shown("spr-convert show ali.ark ann-001");
    assert!(labels.lines().count() > 9, "291 labels are few: {labels}");
    let all = shown("spr-convert show fbank.ark ann-001 --all");
    assert_eq!(all.lines().count(), 293, "{all}");
    assert_eq!(s.ok("show fbank.ark ann-001").out.lines().count(), 293);
}
