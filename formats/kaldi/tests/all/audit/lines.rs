//! Lines, values and keys of tables.

use spr_core::ErrorKind;

use super::*;

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
    assert_eq!(found[0], "note lines: d/text:1: the line is not UTF-8");
    assert!(
        !found.iter().any(|finding| finding.starts_with("fault")),
        "{found:?}"
    );
}

/// The keys of tables by utterance, by speaker and by recording.
const UTTERANCES: &[&str] = &["a-1", "a-2", "b-1"];
const SPEAKERS: &[&str] = &["a", "b"];
const RECORDINGS: &[&str] = &["r1", "r2"];

/// Asserts what is said of values in the second line of a table whose other lines have a good one.
#[track_caller]
fn values(name: &str, keys: &[&str], good: &str, cases: &[(&str, &str)]) {
    for (value, want) in cases {
        let lines = keys.iter().map(|key| match *key == keys[1] {
            true => format!("{key} {value}\n"),
            false => format!("{key} {good}\n"),
        });
        let text = lines.collect::<String>();
        let told = format!("fault lines: d/{name}:2: utterance {}: {want}", keys[1]);
        let told = [told.as_str()];
        let told = if want.is_empty() { &[] } else { &told[..] };
        finds(&[(name, Some(&text))], told);
    }
}

#[test]
fn words_and_places_of_tables() {
    let word = "expected one word after the key";
    let reserved = "<s>, </s> and #0 may not stand in a text";
    let blank = "a blank in the text that is neither a space nor a tab";
    let texts = [
        ("X <s>", reserved),
        ("</s>", reserved),
        ("#0 X", reserved),
        ("X\u{a0}Y", blank),
        ("X\u{7}", "a control character in the text"),
        ("X\tY", ""),
        ("#1", ""),
        ("", ""),
    ];
    values("text", UTTERANCES, "X", &texts);
    let objects = [
        ("", "nothing follows the key"),
        ("f]", "']' after a file name, but no range before it"),
        ("f:1[0:3]", ""),
        ("cat f |", ""),
    ];
    values("feats.scp", UTTERANCES, "f:1", &objects);
    values("vad.scp", UTTERANCES, "f:1", &objects);
    values("cmvn.scp", SPEAKERS, "f:1", &objects);
    let waves = [
        ("", "nothing follows the key"),
        ("~/x", "~ is not understood in the name of a file"),
        ("|cat x", "'|cat x' is not a valid Kaldi file name"),
        ("x:7", ""),
    ];
    values("wav.scp", RECORDINGS, "x", &waves);
    values(
        "utt2lang",
        UTTERANCES,
        "nl",
        &[("", word), ("nl de", word), ("x-y", "")],
    );
    values("utt2uniq", UTTERANCES, "x", &[("", word)]);
    values("utt2category", UTTERANCES, "x", &[("x y", word)]);
    let gender = "expected m or f after the key";
    values("spk2gender", SPEAKERS, "m", &[("x", gender), ("f", "")]);
    let side = "the name of a recording and A or B belong after the key";
    let sides = [
        ("r", side),
        ("r C", side),
        ("r A x", side),
        ("r 2", side),
        ("r B", ""),
        ("r 1", ""),
    ];
    values("reco2file_and_channel", RECORDINGS, "r A", &sides);
}

#[test]
fn numbers_of_tables() {
    let seconds = "expected a number of seconds above 0 after the key";
    let wrong = ["0", "-1", "x", "inf", "", "1 s"].map(|value| (value, seconds));
    values("utt2dur", UTTERANCES, "1", &wrong);
    values("reco2dur", RECORDINGS, "1", &wrong);
    values("utt2dur", UTTERANCES, "1", &[("0.001", "")]);
    let frames = "expected a number of frames above 0 after the key";
    let wrong = ["0", "1.5", "-1", ""].map(|value| (value, frames));
    values("utt2num_frames", UTTERANCES, "1", &wrong);
    values("utt2num_frames", UTTERANCES, "1", &[("007", "")]);
    let warp = "expected a number between 0.5 and 1.5 after the key";
    let wrong = ["0.5", "1.5", "2", "x"].map(|value| (value, warp));
    values("spk2warp", SPEAKERS, "1", &wrong);
    values("utt2warp", UTTERANCES, "1", &wrong);
    values("spk2warp", SPEAKERS, "1", &[("0.501", ""), ("1.499", "")]);
}

#[test]
fn reserved_words_are_no_names() {
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
            "fault segments: d/segments:2: utterance a-2: ends at -1, with its recording, which validate_data_dir.sh refuses",
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
