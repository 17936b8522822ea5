//! Faulty tables: errors name file and line, and affect as little as possible.

use proptest::prelude::*;
use spr_core::ErrorKind;
use spr_core::format::Request;

use super::{read, read_bytes};

const LIST: (&str, &str) = ("utt2spk", "a-1 a\na-2 a\nb-1 b\n");
const WAVES: (&str, &str) = ("wav.scp", "rec1 one.wav\nrec2 cat two.wav |\n");
const SEGMENTS: (&str, &str) = (
    "segments",
    "a-1 rec1 0 0.5\na-2 rec1 0.5 1\nb-1 rec2 0 -1\n",
);
const TEXT: (&str, &str) = ("text", "a-1 ONE\na-2\nb-1 TWO THREE\n");

/// Returns a directory with one table replaced.
fn with<'a>(name: &'a str, text: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut files = vec![LIST, WAVES, SEGMENTS, TEXT];
    files.retain(|(own, _)| *own != name);
    files.push((name, text));
    files
}

#[test]
fn a_line_at_fault_costs_its_utterance() {
    for (name, text, left, fault) in [
        (
            "utt2spk",
            "a-1 a\na-2\nb-1 b\n",
            &["a-1", "b-1"][..],
            "d/utt2spk:2: utterance a-2: expected one speaker after the key, found 0 words",
        ),
        (
            "utt2spk",
            "a-1 a\na-2 a b\nb-1 b\n",
            &["a-1", "b-1"],
            "d/utt2spk:2: utterance a-2: expected one speaker",
        ),
        (
            "utt2spk",
            "a-1 a\na-1 b\na-2 a\nb-1 b\n",
            &["a-1", "a-2", "b-1"],
            "d/utt2spk:2: utterance a-1: appears twice",
        ),
        (
            "segments",
            "a-1 rec1 0\na-2 rec1 0.5 1\nb-1 rec2 0 1\n",
            &["a-2", "b-1"],
            "d/segments:1: utterance a-1: expected a recording, a start and an end after the key, found 2 fields",
        ),
        (
            "segments",
            "a-1 rec1 0 1\na-2 rec1 0.5 0.5\nb-1 rec2 0 1\n",
            &["a-1", "b-1"],
            "d/segments:2: utterance a-2: starts at 0.5 s and ends at 0.5 s",
        ),
        (
            "segments",
            "a-1 rec1 -1 1\na-2 rec1 0.5 1\nb-1 rec2 0 1\n",
            &["a-2", "b-1"],
            "d/segments:1: utterance a-1: starts at -1 s",
        ),
        (
            "segments",
            "a-1 rec1 0 1\na-2 rec1 x 1\nb-1 rec2 0 1\n",
            &["a-1", "b-1"],
            "d/segments:2: utterance a-2: 'x' is not a number",
        ),
        (
            "segments",
            "a-1 rec1 0 1\na-2 rec9 0 1\nb-1 rec2 0 1\n",
            &["a-1", "b-1"],
            "d/segments:2: utterance a-2: the recording rec9 has no line in d/wav.scp",
        ),
        (
            "segments",
            "a-1 rec1 0 1\nb-1 rec2 0 1\n",
            &["a-1", "b-1"],
            "d/segments: utterance a-2: has no line",
        ),
        (
            "wav.scp",
            "rec1\nrec2 two.wav\n",
            &["b-1"],
            "d/wav.scp:1: utterance a-1: no file or command follows",
        ),
        (
            "wav.scp",
            "rec1 one.wav\nrec2 |cat two.wav\n",
            &["a-1", "a-2"],
            "d/wav.scp:2: utterance b-1: '|cat two.wav' is not a valid Kaldi file name",
        ),
        (
            "wav.scp",
            "rec1 one.wav\nrec2 -\n",
            &["a-1", "a-2"],
            "d/wav.scp:2: utterance b-1: standard input",
        ),
    ] {
        let read = read(&with(name, text), Request::all(), &[]).unwrap();
        assert_eq!(read.keys(), left, "{name}: {text:?}");
        let errors = read.errors();
        assert!(errors[0].starts_with(fault), "{name}: {text:?}: {errors:?}");
    }
}

#[test]
fn a_line_of_nobody_costs_no_utterance() {
    for (name, text, fault) in [
        (
            "utt2spk",
            "a-1 a\n\na-2 a\nb-1 b\n",
            "d/utt2spk:2: a blank line",
        ),
        (
            "utt2spk",
            " a-0 a\na-1 a\na-2 a\nb-1 b\n",
            "d/utt2spk:1: a blank before the key",
        ),
        (
            "text",
            "a-1 ONE\n\na-2\nb-1 TWO\n",
            "d/text:2: a blank line",
        ),
        (
            "text",
            "a-1 ONE\na-1 TWO\na-2\nb-1 TWO\n",
            "d/text:2: utterance a-1: appears twice, in line 1, too",
        ),
        (
            "text",
            "b-1 TWO\na-1 ONE\na-2\na-1 TWO\n",
            "d/text:4: utterance a-1: appears twice, in line 2, too",
        ),
        (
            "text",
            "b-1 TWO\n\na-1 ONE\na-2\n",
            "d/text:2: a blank line",
        ),
        (
            "text",
            "a-1 ONE\na-2\nb-1 TWO\n\t\n",
            "d/text:4: a blank line",
        ),
        (
            "wav.scp",
            "rec1 one.wav\nrec1 1.wav\nrec2 two.wav\n",
            "d/wav.scp:2: utterance rec1: appears twice",
        ),
        (
            "utt2lang",
            "a-1 xx\na\u{1}b xx\na-2 xx\nb-1 xx\n",
            "d/utt2lang:2: byte 0x01 in the key",
        ),
    ] {
        let read = read(&with(name, text), Request::all(), &[]).unwrap();
        assert_eq!(read.keys(), ["a-1", "a-2", "b-1"], "{name}: {text:?}");
        let errors = read.errors();
        assert_eq!(errors.len(), 1, "{name}: {text:?}: {errors:?}");
        assert!(errors[0].starts_with(fault), "{name}: {text:?}: {errors:?}");
    }
}

#[test]
fn what_does_no_harm_is_a_warning() {
    for (name, text, warning) in [
        (
            "text",
            "b-1 TWO\na-1 ONE\na-2\n",
            "d/text:2: utterance a-1: is not sorted by bytes: comes after b-1",
        ),
        (
            "segments",
            "b-1 rec2 0 1\na-1 rec1 0 1\na-2 rec1 0 1\n",
            "d/segments:2: utterance a-1: is not sorted",
        ),
        (
            "text",
            "a-1 ONE\r\na-2\r\nb-1 TWO\r\n",
            "d/text:1: lines end in CR LF",
        ),
        (
            "text",
            "a-0 ZERO\na-1 ONE\na-2\nb-1 TWO\n",
            "d/text:1: utterance a-0: belongs to no utterance",
        ),
        (
            "text",
            "a-1 ONE\na-2\nb-1 TWO\nz-1 X\n",
            "d/text:4: utterance z-1: belongs to no utterance",
        ),
        (
            "wav.scp",
            "rec1 one.wav\nrec2 two.wav\nrec3 three.wav\n",
            "d/wav.scp:3: the recording rec3 belongs to no utterance",
        ),
        (
            "utt2lang",
            "b-1 x\na-1 x\nz-1 x\na-2 x\n",
            "d/utt2lang:3: utterance z-1: belongs to no utterance",
        ),
        ("cmvn.scp", "a x.ark:1\n", "d: cmvn.scp is left out"),
    ] {
        let read = read(&with(name, text), Request::all(), &[]).unwrap();
        assert_eq!(read.keys(), ["a-1", "a-2", "b-1"], "{name}: {text:?}");
        assert_eq!(read.errors(), [""; 0], "{name}: {text:?}");
        let warnings = &read.warnings;
        assert!(
            warnings.iter().any(|w| w.starts_with(warning)),
            "{name}: {text:?}: {warnings:?}"
        );
        let last = read.utts().remove(2);
        assert!(last.text.unwrap().starts_with(b"TWO"));
    }
}

#[test]
fn lines_before_the_first_out_of_order_are_used_as_well() {
    for (name, text) in [
        ("text", "a-1 ONE\nb-1 TWO\na-2\nz-9 X\n"),
        ("utt2lang", "a-1 nl\nb-1 nl\na-2 nl\nz-9 nl\n"),
    ] {
        let read = read(&with(name, text), Request::all(), &[]).unwrap();
        assert_eq!((read.keys().len(), read.errors().len()), (3, 0), "{name}");
        let warnings: Vec<_> = read
            .warnings
            .iter()
            .map(|told| &told[..told.len().min(30)])
            .collect();
        let told = [
            "3: utterance a-2: is not sorted",
            "4: utterance z-9: belongs to no",
        ];
        let told = told.map(|told| format!("d/{name}:{told}")[..30].to_owned());
        assert_eq!(warnings, told, "{name}");
    }
}

#[test]
fn an_unsorted_list_is_read_in_its_order() {
    let files = with("utt2spk", "b-1 b\na-2 a\na-1 a\n");
    let read = read(&files, Request::all(), &[]).unwrap();
    assert_eq!(read.keys(), ["b-1", "a-2", "a-1"]);
    assert!(read.warnings[0].starts_with("d/utt2spk:2: utterance a-2: is not sorted"));
    let texts: Vec<_> = read
        .utts()
        .into_iter()
        .map(|utt| utt.text.unwrap())
        .collect();
    assert_eq!(texts, [&b"TWO THREE"[..], b"", b"ONE"]);
}

#[test]
fn names_that_stand_twice_far_apart() {
    let files = with("utt2spk", "b-1 b\na-1 a\nb-1 c\na-2 a\na-1 a\n");
    let read = read(&files, Request::all(), &[]).unwrap();
    assert_eq!(read.keys(), ["b-1", "a-1", "a-2"]);
    let places: Vec<_> = read.errors().iter().map(|e| e[..13].to_owned()).collect();
    assert_eq!(places, ["d/utt2spk:3: ", "d/utt2spk:5: "]);
}

#[test]
fn what_is_whole_has_a_line_in_each_table() {
    for (name, text, left) in [
        ("text", "a-1 ONE\nb-1 TWO\n", &["a-1", "b-1"][..]),
        ("utt2lang", "a-1 nl\n", &["a-1", "a-2", "b-1"]),
        ("utt2dur", "a-1 0.5\n", &["a-1", "a-2", "b-1"]),
    ] {
        let files = with(name, text);
        for request in [Request::all(), Request::all().damaged()] {
            let read = read(&files, request, &[]).unwrap();
            assert_eq!(read.keys(), left, "{name}");
            assert_eq!(read.errors().len(), 3 - left.len());
            let warning = format!(
                "d/{name}: utterance a-2: has no line, the first of 2 utterances without one"
            );
            let warnings = if name == "text" {
                vec![]
            } else {
                vec![warning]
            };
            assert_eq!(read.warnings, warnings, "{name}");
        }
    }
}

#[test]
fn a_line_at_fault_beside_the_speech_costs_its_field() {
    let broken = ["a-1 nl\na-2 x y\nb-1 nl\n", "a-1 nl\nb-1 nl\na-2\n"];
    let tables = [
        ("utt2lang", broken[0], 2, "expected one word"),
        ("utt2lang", broken[1], 3, "expected one word"),
        ("utt2uniq", broken[0], 2, "expected one word"),
        (
            "utt2dur",
            "a-1 1\na-2 0\nb-1 1\n",
            2,
            "expected a number of seconds",
        ),
        ("spk2gender", "a m\nb x y\n", 2, "expected m or f"),
        ("spk2gender", "b 1\na m\n", 1, "expected m or f"),
        ("spk2warp", "a 9\nb 1\n", 1, "expected a number between"),
        (
            "reco2dur",
            "rec1 -1\nrec2 1\n",
            1,
            "expected a number of seconds",
        ),
        (
            "reco2file_and_channel",
            "rec1 x C\nrec2 x B\n",
            1,
            "the name of a recording",
        ),
    ];
    for (name, text, line, fault) in tables {
        let mut files = with("segments", "a-1 rec1 0 0.5\na-2 rec1 0.5 1\nb-1 rec2 0 1\n");
        files.push((name, text));
        let repaired = read(&files, Request::all().damaged(), &[]).unwrap();
        assert_eq!(repaired.keys(), ["a-1", "a-2", "b-1"], "{name}");
        let errors = repaired.errors();
        let start = format!("d/{name}:{line}: {fault}");
        assert!(
            errors.len() == 1 && errors[0].starts_with(&start),
            "{errors:?}"
        );
        // Other formats may hold what Kaldi's tables do not.
        let as_found = read(&files, Request::all(), &[]).unwrap();
        assert_eq!(
            (as_found.keys().len(), as_found.errors().len()),
            (3, 0),
            "{name}"
        );
    }
    let cut = read(
        &with("utt2lang", "a-1 x\na-2 x\nb-1 x"),
        Request::all(),
        &[],
    )
    .unwrap();
    assert_eq!(cut.keys(), ["a-1", "a-2", "b-1"]);
    assert!(cut.errors()[0].contains("the last line has no line end"));
}

#[test]
fn a_last_line_without_an_end_may_be_cut_off() {
    for (name, text) in [
        ("utt2spk", "a-1 a\na-2 a\nb-1 b"),
        ("text", "a-1 ONE\na-2\nb-1 TWO THR"),
        ("segments", "a-1 rec1 0 0.5\na-2 rec1 0.5 1\nb-1 rec2 0 1"),
    ] {
        let read = read(&with(name, text), Request::all(), &[]).unwrap();
        assert_eq!(read.keys(), ["a-1", "a-2"], "{name}");
        let errors = read.errors();
        let start = format!("d/{name}:3: utterance b-1: the last line has no line end");
        assert_eq!(errors.len(), 1, "{name}: {errors:?}");
        assert!(errors[0].starts_with(&start), "{name}: {errors:?}");
    }
}

#[test]
fn bytes_that_are_no_text() {
    let nul: &[(&str, &[u8])] = &[
        ("utt2spk", b"a-1 a\na-2 a\n"),
        ("text", b"a-1 X\na-2 A\0B\n"),
    ];
    let read = read_bytes(nul, Request::all(), &[]).unwrap();
    assert_eq!(
        read.errors(),
        ["d/text:2: utterance a-2: a NUL byte in the line"]
    );
    let latin: &[(&str, &[u8])] = &[("utt2spk", b"\xfc-1 \xfc\n"), ("text", b"\xfc-1 \xdcBER\n")];
    let utt = read_bytes(latin, Request::all(), &[])
        .unwrap()
        .utts()
        .remove(0);
    assert_eq!(
        (utt.key.as_bytes(), utt.text.as_deref()),
        (&b"\xfc-1"[..], Some(&b"\xdcBER"[..]))
    );
}

#[test]
fn a_table_of_nothing_but_faults_is_given_up() {
    let text = "\n".repeat(5000);
    let read = read(&with("text", &text), Request::all(), &[]).unwrap();
    let errors: Vec<_> = read
        .entries
        .iter()
        .filter_map(|entry| entry.as_ref().err())
        .collect();
    assert!(errors.len() < 2000 && errors.iter().any(|e| e.kind() == ErrorKind::Malformed));
    assert!(errors.iter().any(|e| {
        e.to_string()
            .contains("lines at fault, one after the other")
    }));
}

#[test]
fn frame_shifts_are_numbers_above_0() {
    for shift in ["", "x", "0", "-0.01"] {
        let error = read(&with("frame_shift", shift), Request::all(), &[])
            .err()
            .unwrap();
        assert!(error.to_string().starts_with("d/frame_shift"), "{error}");
    }
}

proptest! {
    /// Any table can be read to its end, and the result can be written.
    #[test]
    fn any_lines(
        tables in proptest::collection::vec(
            (0usize..NAMES.len(), proptest::collection::vec("[ab]-[12] ?([a-c ]{0,3}|-?[0-9.]{1,3}){0,3}", 0..6)),
            1..6,
        ),
        damaged: bool,
    ) {
        let files: Vec<_> = tables
            .iter()
            .map(|(name, lines)| (NAMES[*name], lines.join("\n")))
            .collect();
        let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let mut request = Request::all();
        request.damaged = damaged;
        if let Ok(read) = read(&files, request, &[]) {
            prop_assert!(read.entries.len() < 100);
        }
    }
}

const NAMES: [&str; 8] = [
    "utt2spk",
    "text",
    "segments",
    "wav.scp",
    "utt2lang",
    "utt2dur",
    "spk2gender",
    "feats.scp",
];
