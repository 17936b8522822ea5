//! What is wrong with data directories: each table, tables that contradict each other, and utterances
//! that are not what the tables say.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use spr_core::bytes::Env;
use spr_core::format::{Auditor, Finding, Format};
use spr_core::model::{AudioFacts, Decimal, Key, Matrix, Rank, Tag, Utterance, Waveform};
use spr_core::{Error, ErrorKind, Result};
use spr_format_kaldi::DATA;

use super::common::holding;

/// A directory without faults.
const FILES: [(&str, &str); 6] = [
    ("utt2spk", "a-1 a\na-2 a\nb-1 b\n"),
    ("spk2utt", "a a-1 a-2\nb b-1\n"),
    ("segments", "a-1 r1 0 0.5\na-2 r1 0.5 1\nb-1 r2 0 1\n"),
    ("text", "a-1 ONE\na-2 TWO\nb-1 THREE\n"),
    ("wav.scp", "r1 one.wav\nr2 cat two.wav |\n"),
    ("feats.scp", "a-1 f.ark:4\na-2 f.ark:9\nb-1 f.ark:15[0:3]\n"),
];

/// A table, and its text in place of that in [`FILES`]; without a text there is no such table.
type Change<'a> = (&'a str, Option<&'a str>);

/// Returns the directory with changes.
fn changed(changes: &[Change<'_>]) -> Vec<(String, String)> {
    let is_changed = |name: &str| changes.iter().any(|(other, _)| *other == name);
    let same = FILES.into_iter().filter(|(name, _)| !is_changed(name));
    let new = changes
        .iter()
        .filter_map(|(name, text)| Some((*name, (*text)?)));
    let files = same.chain(new);
    files
        .map(|(name, text)| (format!("d/{name}"), text.to_owned()))
        .collect()
}

/// Audits the tables of the directory `d`, and returns what was found and the auditor of its utterances.
fn audit(env: &Env) -> Result<(Vec<String>, Box<dyn Auditor>)> {
    let mut all = Vec::new();
    let mut found = |finding: Finding| all.push(shown(&finding));
    let audit = DATA.audit().unwrap();
    let auditor = audit.begin(Some(&"d".into()), env, &mut found)?;
    Ok((all, auditor))
}

fn begin(changes: &[Change<'_>]) -> Result<(Vec<String>, Box<dyn Auditor>)> {
    let files = changed(changes);
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text))
        .collect();
    audit(&holding(&files))
}

fn shown(finding: &Finding) -> String {
    let (severity, sort) = (finding.severity.name(), finding.sort);
    format!("{severity} {sort}: {}", finding.error)
}

/// Asserts what is found in a directory, each by how it begins.
#[track_caller]
fn finds(changes: &[Change<'_>], want: &[&str]) {
    let (found, _) = begin(changes).unwrap();
    let same = found.len() == want.len()
        && found
            .iter()
            .zip(want)
            .all(|(found, want)| found.starts_with(want));
    assert!(same, "{changes:?}: {found:#?}");
}

#[test]
fn a_directory_without_faults() {
    finds(&[], &[]);
    let whole = [
        ("utt2lang", Some("a-1 nl\na-2 nl\nb-1 de\n")),
        ("utt2dur", Some("a-1 0.5\na-2 5e-1\nb-1 1\n")),
        ("utt2num_frames", Some("a-1 5\na-2 6\nb-1 10\n")),
        ("utt2uniq", Some("a-1 x\na-2 x\nb-1 b-1\n")),
        ("utt2warp", Some("a-1 0.9\na-2 1\nb-1 1.1\n")),
        ("spk2gender", Some("a f\nb m\n")),
        ("spk2warp", Some("a 0.51\nb 1.49\n")),
        ("reco2dur", Some("r1 1\nr2 1\n")),
        ("reco2file_and_channel", Some("r1 r A\nr2 r 1\n")),
        ("cmvn.scp", Some("a c.ark:3\nb c.ark:40\n")),
        ("vad.scp", Some("a-1 v.ark:4\na-2 v.ark:9\nb-1 v.ark:15\n")),
        ("frame_shift", Some("0.01\n")),
        // Of these some utterances may have no line.
        ("utt2gender", Some("b-1 m\n")),
        ("utt2category", Some("a-2 CLEAN\n")),
    ];
    finds(&whole, &[]);
}

#[test]
fn files_that_are_missing() {
    let told = "is not there, and validate_data_dir.sh has to be told so";
    for (name, want) in [
        (
            "utt2spk",
            vec!["fault missing: d/utt2spk: is missing".to_owned()],
        ),
        (
            "spk2utt",
            vec!["fault missing: d/spk2utt: is missing".to_owned()],
        ),
        ("text", vec![format!("note missing: d/text: {told}")]),
        (
            "feats.scp",
            vec![format!("note missing: d/feats.scp: {told}")],
        ),
        (
            "wav.scp",
            vec![
                "fault missing: d/segments: the recordings it names have no wav.scp".to_owned(),
                format!("note missing: d/wav.scp: {told}"),
            ],
        ),
    ] {
        let want: Vec<_> = want.iter().map(String::as_str).collect();
        finds(&[(name, None)], &want);
    }
    let told =
        "fault missing: d/text.gz: is compressed, and Kaldi's scripts read plain tables only";
    let (found, _) = begin(&[("text", None), ("text.gz", Some("a-1 X\n"))]).unwrap();
    assert_eq!(found.first().map(String::as_str), Some(told));
    finds(
        &[
            ("text.gz", Some("not read")),
            ("utt2spk.bz2", Some("neither")),
        ],
        &[
            "note missing: d/utt2spk.bz2: is not read, as utt2spk is there",
            "note missing: d/text.gz: is not read, as text is there",
        ],
    );
}

#[test]
fn speakers_of_utterances() {
    for (list, inverse, want) in [
        (
            "a-1 a\na-2 a\nb-1 a\n",
            "a a-1 a-2 b-1\n",
            &["note speakers: d/utt2spk: all utterances have one speaker, a"][..],
        ),
        (
            "a-1 b\na-2 a\nb-1 b\n",
            "a a-2\nb a-1 b-1\n",
            &["fault order: d/utt2spk:2: utterance a-2: speaker a comes after b"],
        ),
        (
            "a-1 a\na-2 a c\nb-1 b\n",
            "a a-1\nb b-1\n",
            &["fault lines: d/utt2spk:2: utterance a-2: expected one word after the key"],
        ),
        (
            "a-1 a\na-2\nb-1 b\n",
            "a a-1\nb b-1\n",
            &["fault lines: d/utt2spk:2: utterance a-2: expected one word after the key"],
        ),
    ] {
        finds(&[("utt2spk", Some(list)), ("spk2utt", Some(inverse))], want);
    }
}

#[test]
fn utterances_of_speakers() {
    let order = "is listed where utt2spk has a-1, and validate_data_dir.sh compares the order";
    let order =
        ["a-2", "b-1"].map(|key| format!("fault order: d/spk2utt:1: utterance {key}: {order}"));
    let is_listed = "is not listed, but utt2spk has it";
    let not_listed = format!("fault speakers: d/spk2utt:1: utterance a: a-2 {is_listed}");
    for (inverse, want) in [
        ("a a-1\nb b-1\n", &[not_listed.as_str()][..]),
        (
            "a a-1 a-2 a-2\nb b-1\n",
            &["fault speakers: d/spk2utt:1: utterance a: a-2 is listed twice"],
        ),
        (
            "a a-1 a-2 z\nb b-1\n",
            &["fault speakers: d/spk2utt:1: utterance a: z is listed, but not by utt2spk"],
        ),
        (
            "a a-1 a-2\n",
            &["fault speakers: d/spk2utt: utterance b: has no line for this speaker of utt2spk"],
        ),
        (
            "a a-1 a-2\nb b-1\nc x\n",
            &["fault speakers: d/spk2utt:3: utterance c: x is listed, but not by utt2spk"],
        ),
        ("a a-2 a-1\nb b-1\n", &[&order[0]]),
        (
            "b b-1\na a-1 a-2\n",
            &[
                "fault order: d/spk2utt:2: utterance a: comes after b: the file is not sorted",
                &order[1],
            ],
        ),
        (
            "a a-1 a-2\na a-1 a-2\nb b-1\n",
            &["fault duplicates: d/spk2utt:2: utterance a: appears twice, in line 1, too"],
        ),
    ] {
        finds(&[("spk2utt", Some(inverse))], want);
    }
    // Without the one, only the lines of the other can be wrong.
    finds(
        &[("utt2spk", None), ("spk2utt", Some("b x\na y\n"))],
        &[
            "fault missing: d/utt2spk: is missing",
            "fault order: d/spk2utt:2: utterance a: comes after b: the file is not sorted",
        ],
    );
}

#[test]
fn lines_of_any_table() {
    let none =
        |key| format!("fault keys: d/text: utterance {key}: no line for this utterance of utt2spk");
    let none = ["a-1", "a-2", "b-1"].map(none);
    for (text, want) in [
        (
            "",
            &[
                "fault lines: d/text: the file is empty",
                &none[0],
                &none[1],
                &none[2],
            ][..],
        ),
        ("a-1 X\nb-1 X\n", &[&none[1]]),
        (
            "a-1 X\na-2 X\nb-1 X\nz X\nz Y\n",
            &[
                "fault duplicates: d/text:5: utterance z: appears twice, in line 4, too",
                "fault keys: d/text:4: utterance z: utt2spk has no such utterance",
                "fault keys: d/text:5: utterance z: utt2spk has no such utterance",
            ],
        ),
        (
            "b-1 X\na-2 X\na-1 X\n",
            &["fault order: d/text:2: utterance a-2: comes after b-1: the file is not sorted"],
        ),
        (
            "a-1 X\na-2 X\nb-1 X",
            &["fault lines: d/text:3: the last line has no end"],
        ),
        (
            "a-1 X\r\na-2 X\nb-1 X\n",
            &["fault lines: d/text:1: a carriage return"],
        ),
        (
            "a-1 X\na-2 X\0\nb-1 X\n",
            &[
                "fault lines: d/text:2: a NUL byte",
                "fault lines: d/text:2: utterance a-2: a control character in the text",
            ],
        ),
        (
            "a-1 X\n\na-2 X\nb-1 X\n",
            &["fault lines: d/text:2: the line does not start with a key"],
        ),
        (
            "a-1 X\n a-2 X\nb-1 X\n",
            &[
                "fault lines: d/text:2: the line does not start with a key",
                &none[1],
            ],
        ),
        (
            "a-1 X\na\u{1}2 X\na-2 X\nb-1 X\n",
            &["fault lines: d/text:2: byte 0x01 in the key"],
        ),
    ] {
        finds(&[("text", Some(text))], want);
    }
    let files: [(&str, &[u8]); 3] = [
        ("d/utt2spk", b"a a\nb b\n"),
        ("d/spk2utt", b"a a\nb b\n"),
        ("d/text", b"a \xff\nb B\n"),
    ];
    let (found, _) = audit(&holding(&files)).unwrap();
    let want = [
        "fault lines: d/text:1: the line is not UTF-8",
        "fault keys: d/text: utterance a: no line for this utterance of utt2spk",
    ];
    assert_eq!(found[..2], want);
}

#[test]
fn values_of_each_table() {
    let word = "expected one word after the key";
    let seconds = "expected a number of seconds above 0 after the key";
    let frames = "expected a number of frames above 0 after the key";
    let warp = "expected a number between 0.5 and 1.5 after the key";
    let side = "the name of a recording and A or B belong after the key";
    let reserved = "<s>, </s> and #0 may not stand in a text";
    let blank = "a blank in the text that is neither a space nor a tab";
    let (utts, speakers, recordings) = (["a-1", "a-2", "b-1"], ["a", "b"], ["r1", "r2"]);
    for (name, keys, good, cases) in [
        (
            "text",
            &utts[..],
            "X",
            &[
                ("X <s>", reserved),
                ("</s>", reserved),
                ("#0 X", reserved),
                ("X\u{a0}Y", blank),
                ("X\u{7}", "a control character in the text"),
                ("X\tY", ""),
                ("#1", ""),
                ("", ""),
            ][..],
        ),
        (
            "feats.scp",
            &utts,
            "f:1",
            &[
                ("", "nothing follows the key"),
                ("f]", "']' after a file name, but no range before it"),
                ("f:1[0:3]", ""),
                ("cat f |", ""),
            ],
        ),
        (
            "wav.scp",
            &recordings,
            "x",
            &[
                ("", "nothing follows the key"),
                ("~/x", "~ is not understood in the name of a file"),
                ("|cat x", "'|cat x' is not a valid Kaldi file name"),
                ("x:7", ""),
            ],
        ),
        (
            "utt2lang",
            &utts,
            "nl",
            &[("", word), ("nl de", word), ("x-y", "")],
        ),
        ("utt2uniq", &utts, "x", &[("", word)]),
        ("utt2category", &utts, "x", &[("x y", word)]),
        (
            "utt2dur",
            &utts,
            "1",
            &[
                ("0", seconds),
                ("-1", seconds),
                ("x", seconds),
                ("inf", seconds),
                ("", seconds),
                ("1 s", seconds),
                ("0.001", ""),
            ],
        ),
        ("reco2dur", &recordings, "1", &[("0", seconds)]),
        (
            "utt2num_frames",
            &utts,
            "1",
            &[
                ("0", frames),
                ("1.5", frames),
                ("-1", frames),
                ("", frames),
                ("007", ""),
            ],
        ),
        (
            "spk2gender",
            &speakers,
            "m",
            &[("x", "expected m or f after the key"), ("f", "")],
        ),
        (
            "spk2warp",
            &speakers,
            "1",
            &[
                ("0.5", warp),
                ("1.5", warp),
                ("x", warp),
                ("0.501", ""),
                ("1.499", ""),
            ],
        ),
        ("utt2warp", &utts, "1", &[("2", warp)]),
        (
            "reco2file_and_channel",
            &recordings,
            "r A",
            &[
                ("r", side),
                ("r C", side),
                ("r A x", side),
                ("r 2", side),
                ("r B", ""),
                ("r 1", ""),
            ],
        ),
    ] {
        for (value, want) in cases {
            let values = keys.iter().map(|key| match *key == keys[1] {
                true => format!("{key} {value}\n"),
                false => format!("{key} {good}\n"),
            });
            let text = values.collect::<String>();
            let want = format!("fault lines: d/{name}:2: utterance {}: {want}", keys[1]);
            let want = if want.ends_with(": ") {
                vec![]
            } else {
                vec![want.as_str()]
            };
            finds(&[(name, Some(&text))], &want);
        }
    }
    let other = [
        ("utt2spk", Some("#0 #0\na a\n")),
        ("spk2utt", Some("#0 #0\na a\n")),
        ("text", Some("#0 X\na X\n")),
        ("feats.scp", Some("#0 x\na x\n")),
        ("wav.scp", Some("#0 x\na x\n")),
        ("segments", None),
    ];
    let told = "<s>, </s> and #0 may not stand in a text, not even as names";
    finds(
        &other,
        &[&format!("fault lines: d/text:1: utterance #0: {told}")],
    );
}

#[test]
fn keys_of_each_table() {
    for (name, text, want) in [
        (
            "spk2gender",
            "a f\nc f\n",
            &[
                "fault keys: d/spk2gender: utterance b: no line for this speaker of utt2spk",
                "fault keys: d/spk2gender:2: utterance c: utt2spk has no such speaker",
            ][..],
        ),
        (
            "reco2dur",
            "r1 1\nr3 1\n",
            &[
                "fault keys: d/reco2dur: utterance r2: no line for this recording of segments",
                "fault keys: d/reco2dur:2: utterance r3: segments has no such recording",
            ],
        ),
        (
            "wav.scp",
            "r1 x\nr3 x\n",
            &[
                "fault keys: d/segments:3: utterance b-1: wav.scp has no recording r2",
                "fault keys: d/wav.scp:2: utterance r3: segments has no such recording",
            ],
        ),
        (
            "utt2category",
            "a-1 x\nc x\n",
            &["fault keys: d/utt2category:2: utterance c: utt2spk has no such utterance"],
        ),
        (
            "segments",
            "a-1 r1 0 1\na-2 r1 0 1\nb-2 r2 0 1\n",
            &[
                "fault keys: d/segments: utterance b-1: no line for this utterance of utt2spk",
                "fault keys: d/segments:3: utterance b-2: utt2spk has no such utterance",
            ],
        ),
    ] {
        finds(&[(name, Some(text))], want);
    }
    // Without segments recordings are utterances.
    let changes = [
        ("segments", None),
        ("wav.scp", Some("a-1 x\na-2 x\n")),
        ("reco2dur", Some("a-1 1\n")),
    ];
    let missing = |table, key| {
        format!("fault keys: d/{table}: utterance {key}: no line for this recording of utt2spk")
    };
    let want = [("wav.scp", "b-1"), ("reco2dur", "a-2"), ("reco2dur", "b-1")];
    let want = want.map(|(table, key)| missing(table, key));
    finds(&changes, &want.each_ref().map(String::as_str));
}

#[test]
fn segments_and_the_frame_shift() {
    for (line, want) in [
        (
            "r1 0.5 -1",
            "note segments: d/segments:2: utterance a-2: ends at -1, with its recording, which validate_data_dir.sh refuses",
        ),
        (
            "r1 0.5 1 0",
            "fault lines: d/segments:2: utterance a-2: expected a recording, a start and an end after the key, found a channel",
        ),
        (
            "r1 0.5",
            "fault segments: d/segments:2: utterance a-2: expected a recording, a start and an end after the key, found 2 fields",
        ),
        (
            "r1 1 0.5",
            "fault segments: d/segments:2: utterance a-2: starts at 1 s and ends at 0.5 s",
        ),
    ] {
        let text = format!("a-1 r1 0 0.5\na-2 {line}\nb-1 r2 0 1\n");
        finds(&[("segments", Some(&text))], &[want]);
    }
    let shift = "the frame shift is not a number of seconds above 0";
    for (text, want) in [
        ("0\n", format!("fault lines: d/frame_shift:1: {shift}")),
        ("x\n", format!("fault lines: d/frame_shift:1: {shift}")),
        ("", format!("fault lines: d/frame_shift:1: {shift}")),
        (
            "0.01",
            "fault lines: d/frame_shift:1: the last line has no line end and may be cut off"
                .to_owned(),
        ),
        (
            "0.01\n\n0.02\n",
            "fault lines: d/frame_shift:3: more than one number".to_owned(),
        ),
    ] {
        finds(&[("frame_shift", Some(text))], &[&want]);
    }
}

#[test]
fn tables_that_can_t_be_read_end_the_audit() {
    let long = format!("a-1 {}\n", "x".repeat(1 << 16));
    for name in ["utt2spk", "spk2utt", "segments", "text"] {
        let files = changed(&[(name, Some(&long))]);
        let files: Vec<_> = files
            .iter()
            .map(|(name, text)| (name.as_str(), text))
            .collect();
        let mut env = holding(&files);
        env.limits.max_alloc = 1 << 12;
        let error = audit(&env).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        assert!(
            error
                .to_string()
                .starts_with(&format!("d/{name}@0: a line of ")),
            "{error}"
        );
    }
    let audit = DATA.audit().unwrap();
    let error = audit
        .begin(None, &holding::<&str>(&[]), &mut |_| {})
        .err()
        .unwrap();
    assert_eq!(error.to_string(), "a data directory is a folder");
}

/// An utterance of 3 frames of 0.01 s.
fn utterance(key: &str) -> Utterance {
    let mut utt = Utterance {
        key: key.into(),
        ..Utterance::default()
    };
    utt.features = Some(Matrix::from_rows(&[1f32, 2., 3.], 1, Rank::Matrix).unwrap());
    utt.meta.frame_shift = Decimal::parse("0.01");
    utt
}

/// Returns what the auditor of a directory finds in utterances, one after the other.
fn compares(changes: &[Change<'_>], utts: &[(Utterance, Option<AudioFacts>)]) -> Vec<String> {
    let (_, mut auditor) = begin(changes).unwrap();
    let mut all = Vec::new();
    for (utt, recording) in utts {
        auditor.utterance(utt, *recording, &mut |finding| all.push(shown(&finding)));
    }
    auditor
        .finish(&|_| true, &mut |_| panic!("nothing is left"))
        .unwrap();
    all
}

#[test]
fn frames_are_counted() {
    let counts = [("utt2num_frames", Some("a-1 3\na-2 4\nb-1 4\n"))];
    let mut text = utterance("b-1");
    text.features = None;
    let found = compares(
        &counts,
        &[
            (utterance("a-1"), None),
            (utterance("a-2"), None),
            (text, None),
            (utterance("z"), None),
        ],
    );
    assert_eq!(
        found,
        ["fault labels: d/feats.scp: utterance a-2: 3 frames, but 4 by d/utt2num_frames"]
    );
}

#[test]
fn durations_are_measured() {
    let with = |mut utt: Utterance, table: &str, value: &str| {
        utt.meta.tags.push(Tag::new("kaldi-data", table, value));
        utt
    };
    // By frames, of which there are 0.03 s.
    let frames = |value| with(utterance("a-1"), "utt2dur", value);
    // By the segment, of 1.5 s.
    let segment = |value| {
        let mut utt = utterance("a-1");
        (utt.meta.start, utt.meta.end) = (Decimal::parse("0.5"), Decimal::parse("2"));
        with(utt, "utt2dur", value)
    };
    // By sound of 0.5 s.
    let sound = |value| {
        let mut utt = segment(value);
        let samples = Matrix::from_rows(&[0i16; 4000], 1, Rank::Matrix).unwrap();
        utt.audio = Some(
            Waveform {
                rate: 8000,
                samples,
            }
            .into(),
        );
        utt
    };
    for (utt, want) in [
        (frames("0.13"), None),
        (
            frames("0.131"),
            Some("the utterance lasts 0.030 s, said to be 0.131 s"),
        ),
        (segment("1.41"), None),
        (segment("1.59"), None),
        (
            segment("1.39"),
            Some("the segment lasts 1.500 s, said to be 1.39 s"),
        ),
        (sound("0.55"), None),
        (
            sound("1.5"),
            Some("the sound lasts 0.500 s, said to be 1.5 s"),
        ),
        (frames("x"), None),
        (with(utterance("a-1"), "utt2uniq", "9"), None),
    ] {
        let found = compares(&[], &[(utt, None)]);
        let want = want.map(|want| format!("fault durations: d/utt2dur: utterance a-1: {want}"));
        assert_eq!(found, Vec::from_iter(want));
    }
    // A recording is told once.
    let of = |key: &str, recording: &str| {
        let mut utt = with(utterance(key), "reco2dur", "3");
        utt.meta.recording = Some(recording.into());
        utt
    };
    let facts = |seconds: u64| {
        Some(AudioFacts {
            rate: Some(8000),
            samples: Some(8000 * seconds),
            ..AudioFacts::default()
        })
    };
    let utts = [
        (of("a-1", "r1"), facts(2)),
        (of("a-2", "r1"), facts(2)),
        (of("b-1", "r2"), facts(3)),
        (of("b-2", "r3"), None),
        (with(utterance("c"), "reco2dur", "3"), facts(4)),
    ];
    let want = [("r1", 2), ("c", 4)];
    let want = want.map(|(key, is)| {
        format!("fault durations: d/reco2dur: utterance {key}: the recording lasts {is}.000 s, said to be 3 s")
    });
    assert_eq!(compares(&[], &utts), want);
}

#[test]
fn what_the_reader_says_again() {
    let (_, auditor) = begin(&[
        ("text", Some("a-1 A\na-2 \u{1}\n")),
        ("cmvn.scp", Some("a x\nb x\n")),
    ])
    .unwrap();
    let place = |error: Error| error.file("d/text");
    for (error, repeats) in [
        (place(Error::malformed("x")).line(2), true),
        (place(Error::malformed("x")).line(1), false),
        (place(Error::unfit("x")).utterance(&Key::from("b-1")), true),
        (place(Error::unfit("x")).utterance(&Key::from("a-1")), false),
        (place(Error::unfit("of all of it")), true),
        (place(Error::malformed("damage")), false),
        (Error::unfit("x").file("d/segments"), false),
        (Error::unfit("is left out").file("d"), true),
        (Error::unfit("x").file("e"), false),
    ] {
        assert_eq!(auditor.repeats(&error), repeats, "{error}");
    }
    assert_eq!(auditor.members().len(), 1);
    let (name, at) = auditor.members().remove(0);
    assert_eq!((name, at), ("kaldi", "d/cmvn.scp".into()));
}
