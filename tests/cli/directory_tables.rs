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
    for table in ["text", "segments"] {
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

/// Durations that contradict the sound are faults, also where the sound is cut by segments.
#[test]
fn durations_are_compared_with_the_sound() {
    let s = scratch();
    put(&s, "d", "", None);
    assert!(!s.run("check d").out.contains("lasts"));
    for (table, from, to, told) in [
        (
            "utt2dur",
            "b-1 0.71",
            "b-1 3.5",
            "utterance b-1: the sound lasts 0.700 s, said to be 3.5 s",
        ),
        (
            "reco2dur",
            "r1 1.25",
            "r1 8",
            "utterance r1: the recording lasts 1.250 s, said to be 8 s",
        ),
    ] {
        put(
            &s,
            "d",
            "",
            Some((table, &|text: &str| text.replace(from, to))),
        );
        let said = s.run("check d");
        let told = format!("fault: d/{table}: {told}");
        let faults = said.out.lines().filter(|line| line.starts_with("fault: "));
        let faults: Vec<_> = faults.filter(|line| line.contains("lasts")).collect();
        assert_eq!((said.status, &*faults), (1, &[&*told][..]), "{}", said.out);
    }
    // Without segments the utterances are the recordings.
    for name in ["segments", "utt2dur", "utt2lang", "utt2uniq", "text"] {
        std::fs::remove_file(s.path(&format!("d/{name}"))).unwrap();
    }
    s.write("d/utt2spk", "r1 r1\nr2 r2\n");
    s.write("d/utt2dur", "r1 1.25\nr2 9\n");
    let said = s.run("check d");
    let told = "w/r2.wav: utterance r2: the sound lasts 1.250 s, said to be 9 s";
    assert!(said.status == 1 && said.out.contains(told), "{}", said.out);
}

/// Who speaks is known by either of two tables, and told where they contradict each other.
#[test]
fn speakers_are_known_by_either_table() {
    let s = scratch();
    put(&s, "d", "", None);
    s.ok("d kaldi-data:out");
    let whole = written(&s);
    std::fs::remove_file(s.path("d/utt2spk")).unwrap();
    let said = s.ok("d kaldi-data:out --overwrite");
    assert_eq!(written(&s), whole);
    assert!(
        !said.err.contains("belongs to no utterance"),
        "{}",
        said.err
    );
    let said = s.run("check d");
    let is_other = |line: &&str| line.contains("spk2utt") && line.contains("is listed");
    assert!(
        said.out.contains("fault: d/utt2spk: is missing"),
        "{}",
        said.out
    );
    assert_eq!(said.out.lines().find(is_other), None, "{}", said.out);
    for (text, error) in [
        (
            "a a-1 a-2\n",
            "d/spk2utt: utterance b-1: is listed for no speaker",
        ),
        (
            "a a-1 a-2\nb b-1 a-2\n",
            "d/spk2utt:2: utterance a-2: is listed for the speaker a as well",
        ),
    ] {
        s.write("d/spk2utt", text);
        let said = s.fails("d none.jsonl");
        assert!(said.contains(error), "{said}");
    }
    let contradiction = "d/spk2utt: contradicts utt2spk, which is taken";
    for (text, told) in [
        ("a a-1 a-2\nb b-1\n", false),
        // Another order says the same.
        ("b b-1\na a-2 a-1\n", false),
        ("a a-1\nb a-2 b-1\n", true),
        ("a a-1 a-2\n", true),
        ("a a-1 a-2\nb b-1\nb b-1\n", true),
        ("a a-1 a-2 z-9\nb b-1\n", true),
        ("", true),
    ] {
        put(&s, "d", "", Some(("spk2utt", &|_: &str| text.to_owned())));
        let said = s.ok("d kaldi-data:out --overwrite");
        assert_eq!(
            said.err.contains(contradiction),
            told,
            "{text}: {}",
            said.err
        );
        assert_eq!(written(&s), whole);
        assert!(!s.run("check d").out.contains("contradicts"), "{text}");
    }
}

/// What a fault in one table hides of others is not told to be of no use.
#[test]
fn a_fault_makes_no_line_unused() {
    let s = scratch();
    for (table, _) in tables("") {
        put(&s, "d", "", Some((table, &DAMAGES[0].1)));
        for line in ["d out.jsonl", "check d"] {
            let said = s.run(line);
            let told = all(&said);
            assert!(!told.contains("belongs to no utterance"), "{table}: {told}");
        }
    }
}

/// A file of one number holds no other.
#[test]
fn frame_shifts_are_one_number() {
    let s = scratch();
    put(&s, "d", "", None);
    s.write("d/frame_shift", "0.01\n");
    s.ok("d out.jsonl");
    for text in ["0.01\n0.02\n", "0.01\n\nx", "0\n", "x\n", "0.01", ""] {
        s.write("d/frame_shift", text);
        let error = s.fails("d none.jsonl");
        assert!(error.contains("d/frame_shift:"), "{text}: {error}");
        let said = s.run("check d");
        let faults = said
            .out
            .lines()
            .filter(|line| line.starts_with("fault: d/frame_shift"));
        assert_eq!(
            (said.status, faults.count()),
            (1, 1),
            "{text}: {}",
            said.out
        );
    }
}

/// Of two forms of a table one is read, and the other is named.
#[test]
fn a_table_in_two_forms() {
    let s = scratch();
    put(&s, "d", "", None);
    s.shell("sed s/ONE/NONE/ d/text | gzip > d/text.gz");
    let said = s.ok("d out.trn");
    assert!(said.err.contains("text.gz"), "{}", said.err);
    assert!(s.read("out.trn").starts_with(b"ONE (a-1)"));
    let said = s.run("check d");
    let note = "note: d/text.gz: is not read, as text is there";
    assert!(said.out.contains(note), "{}", said.out);
}

/// Tables that nothing reads are named, and what else lies in a directory is not.
#[test]
fn tables_that_are_not_read_are_named() {
    let s = scratch();
    put(&s, "d", "", None);
    for name in [
        "conf/mfcc.conf",
        ".done",
        "online_cmvn",
        "feats.log",
        "text.ark",
        "text.bak",
    ] {
        let text = if name == "online_cmvn" { "" } else { "a-1 x\n" };
        s.write(&format!("d/{name}"), text);
    }
    let said = s.ok("d out.jsonl");
    assert!(!said.err.contains("left out"), "{}", said.err);
    for name in [
        "text_spk2",
        "text.ctc",
        "pitch.scp",
        "spk1.scp",
        "spk2accent.gz",
        "utt2numspk",
    ] {
        s.write(&format!("d/{name}"), "a-1 x\n");
    }
    let said = s.ok("d out.jsonl --overwrite");
    let told =
        "d: pitch.scp, spk1.scp, spk2accent.gz, text.ctc, text_spk2, utt2numspk are left out";
    assert!(said.err.contains(told), "{}", said.err);
    for n in 0..20 {
        s.write(&format!("d/more{n:02}"), "a-1 x\n");
    }
    let said = s.ok("d out.jsonl --overwrite");
    assert!(
        said.err.contains("more11 and 14 more are left out"),
        "{}",
        said.err
    );
}

/// Frames that are not as long as their segments, and frames that no table counts.
#[test]
fn tables_that_contradict_the_features_are_told() {
    let s = scratch();
    put(&s, "d", "", None);
    let frames = [("a-1", 50), ("a-2", 50), ("b-1", 70)];
    let features = frames.map(|(key, n)| format!("{key}  [\n{}]\n", "1 2\n".repeat(n)));
    s.write("in.ark", features.concat());
    s.ok("in.ark ark,scp:d/f.ark,d/feats.scp");
    s.write("d/frame_shift", "0.01\n");
    s.write("d/utt2num_frames", "a-1 50\na-2 50\nb-1 70\n");
    let said = s.ok("d kaldi-data:out");
    assert!(
        !said.err.contains("lasts") && !said.err.contains("has no line"),
        "{}",
        said.err
    );
    s.ok("check d");
    s.write("d/utt2num_frames", "a-1 50\nb-1 70\n");
    let said = s.ok("d kaldi-data:out --overwrite");
    let told = "d/utt2num_frames: utterance a-2: has no line";
    assert!(said.err.contains(told), "{}", said.err);
    s.write("d/utt2num_frames", "a-1 50\na-2 50\nb-1 70\n");
    s.write("d/frame_shift", "0.02\n");
    let said = s.ok("d kaldi-data:out --overwrite");
    let lengths = "utterance a-1: the frames last 1.000 s, the segment 0.500 s";
    let told = format!("d: {lengths}, the first of 3 utterances whose lengths differ");
    assert!(said.err.contains(&told), "{}", said.err);
    let said = s.run("check d");
    assert_eq!(said.status, 1, "{}", all(&said));
    assert!(
        said.out
            .contains(&format!("fault: 3 times: d/frame_shift: {lengths}")),
        "{}",
        said.out
    );
}
