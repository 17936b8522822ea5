//! Each table of a data directory, damaged in each way, in each verb that reads one: what is lost is
//! told by the name of the table, or nothing is lost.

use super::check_sound::wave;
use super::{Said, Scratch};

/// The tables of a directory `d` whose utterances end with `name`.
fn tables(name: &str) -> Vec<(&'static str, String)> {
    [
        ("wav.scp", "r1 w/r1.wav\nr2 w/r2.wav\n"),
        (
            "segments",
            "a-1% r1 0 0.5\na-2% r1 0.5 1\nb-1% r2 0.2 0.9\n",
        ),
        ("text", "a-1% ONE\na-2% TWO\nb-1% THREE FOUR\n"),
        ("utt2spk", "a-1% a\na-2% a\nb-1% b\n"),
        ("spk2utt", "a a-1% a-2%\nb b-1%\n"),
        ("spk2gender", "a f\nb m\n"),
        ("spk2warp", "a 1.1\nb 0.9\n"),
        ("reco2dur", "r1 1.25\nr2 1.25\n"),
        ("reco2file_and_channel", "r1 f1 A\nr2 f2 A\n"),
        ("utt2lang", "a-1% nld\na-2% nld\nb-1% eng\n"),
        ("utt2dur", "a-1% 0.51\na-2% 0.51\nb-1% 0.71\n"),
        ("utt2uniq", "a-1% xx\na-2% yy\nb-1% zzz\n"),
    ]
    .map(|(table, text)| (table, text.replace('%', name)))
    .into()
}

/// A table, and what becomes of its text.
type Change<'a> = (&'a str, &'a dyn Fn(&str) -> String);

/// Puts a directory into the scratch folder, with one table changed.
fn put(s: &Scratch, folder: &str, name: &str, change: Option<Change<'_>>) {
    for (table, text) in tables(name) {
        let text = match change {
            Some((changed, change)) if changed == table => change(&text),
            _ => text,
        };
        s.write(&format!("{folder}/{table}"), text);
    }
}

/// A damage: its name, and what it makes of a table.
type Damage = (&'static str, fn(&str) -> String);

const DAMAGES: &[Damage] = &[
    ("a cut last line", |text| text[..text.len() - 2].to_owned()),
    ("a missing line", |text| {
        let (first, rest) = text.split_once('\n').unwrap();
        let (_, rest) = rest.split_once('\n').unwrap();
        format!("{first}\n{rest}")
    }),
    ("a line twice", |text| {
        let last = text.trim_end().rsplit('\n').next().unwrap();
        format!("{text}{last}\n")
    }),
    ("an unknown key", |text| {
        let last = text.trim_end().rsplit('\n').next().unwrap();
        let (_, rest) = last.split_once(' ').unwrap();
        format!("{text}z-9 {rest}\n")
    }),
    ("no line", |_| String::new()),
];

fn all(said: &Said) -> String {
    format!("{}{}", said.out, said.err)
}

/// A scratch folder with sound, and another directory to merge with.
fn scratch() -> Scratch {
    let s = Scratch::new();
    s.write("w/r1.wav", wave(1250));
    s.write("w/r2.wav", wave(1250));
    put(&s, "e", "-e", None);
    s
}

/// The verbs that make a directory `out` of `d`.
const VERBS: [&str; 3] = [
    "convert d kaldi-data:out --overwrite",
    "merge d e -o kaldi-data:out --overwrite",
    "select d kaldi-data:out --glob *-* --overwrite",
];

/// What a directory that was written says.
fn written(s: &Scratch) -> Vec<(&'static str, Vec<u8>)> {
    let read = |name| std::fs::read(s.path(&format!("out/{name}"))).unwrap_or_default();
    let names = tables("").into_iter();
    names.map(|(name, _)| (name, read(name))).collect()
}

#[test]
fn no_table_loses_a_line_in_silence() {
    let s = scratch();
    put(&s, "d", "", None);
    let whole = VERBS.map(|verb| {
        s.ok(verb);
        written(&s)
    });
    for (table, _) in tables("") {
        for (what, damage) in DAMAGES {
            put(&s, "d", "", Some((table, damage)));
            for (verb, whole) in VERBS.iter().zip(&whole) {
                let said = s.run(verb);
                let context = format!("{verb}, {table} with {what}: {}", all(&said));
                assert!([0, 2].contains(&said.status), "{context}");
                let same = said.status == 0 && written(&s) == *whole;
                // What the list of utterances lacks, the other tables tell.
                let told = [table, "belongs to no utterance", "z-9"];
                let told = told.iter().any(|words| said.err.contains(words));
                // A selection does not tell of lines that it does not read.
                let selects = verb.starts_with("select");
                assert!(same || told || selects, "{context}");
            }
            let said = s.run("check d");
            let context = format!("check, {table} with {what}: {}", all(&said));
            assert_eq!(said.status, 1, "{context}");
            assert!(
                said.out.contains(&format!("fault: d/{table}")) || {
                    // What one table lacks, others have too much.
                    ["a missing line", "an unknown key"].contains(what) && said.out.contains(table)
                },
                "{context}"
            );
        }
    }
}

/// Tables whose last line is cut, or that lack a line of an utterance, are errors that name it.
#[test]
fn cut_and_missing_lines_are_errors() {
    let s = scratch();
    for table in [
        "text", "segments", "utt2spk", "utt2lang", "wav.scp", "spk2warp",
    ] {
        put(&s, "d", "", Some((table, &DAMAGES[0].1)));
        let error = s.fails("d none.jsonl");
        let expected = format!("d/{table}:");
        assert!(
            error.contains(&expected) && error.contains("may be cut off"),
            "{error}"
        );
    }
    for table in ["text", "segments", "utt2lang"] {
        put(&s, "d", "", Some((table, &DAMAGES[1].1)));
        let error = s.fails("d none.jsonl");
        let expected = format!("d/{table}: utterance a-2: has no line");
        assert!(error.contains(&expected), "{error}");
        let said = s.run("d out.jsonl --on-error skip --overwrite");
        assert_eq!(said.status, 3, "{}", said.err);
        assert!(said.err.contains("1 skipped"), "{}", said.err);
    }
}

/// Compressed tables are read, and `check` names them, as Kaldi's scripts do not read them.
#[test]
fn compressed_tables_are_read() {
    let s = scratch();
    put(&s, "d", "", None);
    s.ok("d whole.jsonl");
    for (table, _) in tables("") {
        put(&s, "d", "", None);
        s.shell(&format!("gzip d/{table}"));
        s.ok("d out.jsonl --overwrite");
        assert_eq!(s.read("out.jsonl"), s.read("whole.jsonl"), "{table}");
        let said = s.run("check d");
        assert_eq!(said.status, 1, "{table}: {}", said.out);
        let fault = format!("d/{table}.gz: is compressed");
        assert!(said.out.contains(&fault), "{table}: {}", said.out);
        s.shell(&format!("gunzip d/{table}"));
    }
}

/// Directories whose tables contradict each other are not merged.
#[test]
fn contradictions_are_refused_by_name() {
    let s = scratch();
    put(&s, "d", "", None);
    for (table, from, to, told) in [
        (
            "spk2gender",
            "a f",
            "a m",
            "speaker a has the values 'f' and 'm'",
        ),
        (
            "spk2warp",
            "b 0.9",
            "b 0.8",
            "speaker b has the values '0.9' and '0.8'",
        ),
        (
            "reco2dur",
            "r1 1.25",
            "r1 1.26",
            "recording r1 has the values '1.25' and '1.26'",
        ),
        (
            "reco2file_and_channel",
            "r2 f2 A",
            "r2 f2 B",
            "recording r2 has the values 'f2 A' and 'f2 B'",
        ),
    ] {
        put(
            &s,
            "e",
            "-e",
            Some((table, &|text: &str| text.replace(from, to))),
        );
        let error = s.fails("merge d e -o out");
        let expected = format!("out/{table}: {told}");
        assert!(error.contains(&expected), "{error}");
    }
    put(
        &s,
        "e",
        "-e",
        Some(("wav.scp", &|text: &str| text.replace("r2.wav", "r1.wav"))),
    );
    let error = s.fails("merge d e -o out");
    assert!(
        error.contains("the recording r2 was another one before"),
        "{error}"
    );
}

/// A table that is read out of order tells only of lines that no utterance has.
#[test]
fn lines_that_are_used_are_not_called_unused() {
    let s = scratch();
    let segments = "a-1 r2 0 0.5\na-2 r1 0.5 1\nb-1 r2 0.2 0.9\n";
    put(
        &s,
        "d",
        "",
        Some(("segments", &|_: &str| segments.to_owned())),
    );
    let said = s.ok("d out.jsonl");
    assert!(
        !said.err.contains("belongs to no utterance"),
        "{}",
        said.err
    );
}

/// Targets of words alone take the words of a directory.
#[test]
fn words_of_a_directory_with_sound_and_features() {
    let s = scratch();
    put(&s, "d", "", None);
    let said = s.ok("d out.trn");
    assert_eq!(
        String::from_utf8(s.read("out.trn")).unwrap(),
        "ONE (a-1)\nTWO (a-2)\nTHREE FOUR (b-1)\n"
    );
    assert!(
        said.err.contains("wav.scp is left out, as the target")
            || said.err.contains("wav.scp is left out as"),
        "{}",
        said.err
    );
}
