//! Segmentations, corpora and other lists.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod strict;

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use spr_core::bytes::{Access, Env, Output, Source};
use spr_core::format::{Format, Options};
use spr_core::model::{Decimal, Matrix, Meta, Object, Rank, Segment, Tag, Utterance};
use spr_core::{ErrorKind, Limits, Result};
use spr_format_spraak::{KEY, SPR, Spraak};
use spr_testkit::{Suite, faults, read_memory, suite, write, write_memory};
use strict::Strict;

static STRICT_SPR: Strict = Strict(&SPR);
static STRICT_KEY: Strict = Strict(&KEY);

#[test]
fn lists_behave() {
    for format in [&STRICT_SPR, &STRICT_KEY] {
        suite(&Suite {
            options: &[
                &[("data", "SEG")],
                &[("data", "CORPUS")],
                &[("data", "DICTIONARY")],
            ],
            ..Suite::new(format)
        });
    }
}

/// Reads all of a file, with the warnings.
fn read_with(
    format: &'static Spraak,
    options: &[(&str, &str)],
    source: Source,
) -> Result<(Vec<Utterance>, Vec<String>)> {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let heard = warnings.clone();
    let env = Env::new(Limits::default(), Access::default(), move |e| {
        heard.lock().unwrap().push(e.to_string());
    });
    let options = Options::new(format.info(), options.iter().copied())?;
    let mut reader = format.open(source, &options, &env)?;
    let (mut all, mut utt) = (Vec::new(), Utterance::default());
    while reader.read(&mut utt)? {
        all.push(utt.clone());
    }
    assert!(!reader.read(&mut utt)?);
    let warnings = warnings.lock().unwrap().clone();
    Ok((all, warnings))
}

fn read(text: &str) -> Result<(Vec<Utterance>, Vec<String>)> {
    let source = Source::from_bytes("f", text.as_bytes().to_vec())?;
    read_with(&SPR, &[], source)
}

/// A list with these header lines, separated by `/`.
fn list(lines: &str, body: &str) -> String {
    format!(".spr\n{}\n#\n{body}", lines.replace('/', "\n"))
}

fn error(lines: &str, body: &str) -> String {
    read(&list(lines, body)).unwrap_err().to_string()
}

fn tag(key: &str, value: &str) -> Tag {
    Tag {
        format: "spraak",
        key: key.into(),
        value: value.into(),
    }
}

fn segment(label: &str, start: f64, end: impl Into<Option<f64>>) -> Segment {
    Segment {
        start,
        end: end.into(),
        label: label.as_bytes().into(),
    }
}

fn segmented(key: &str, segments: &[Segment]) -> Utterance {
    Utterance {
        key: key.into(),
        segments: Some(segments.to_vec()),
        ..Utterance::default()
    }
}

fn said(key: &str, text: &str, tags: &[(&str, &str)]) -> Utterance {
    Utterance {
        key: key.into(),
        text: Some(text.into()),
        meta: Meta {
            tags: tags.iter().map(|(key, value)| tag(key, value)).collect(),
            ..Meta::default()
        },
        ..Utterance::default()
    }
}

const FRAMES: &str = "\
sess1/utt01\t##0\t0\t12\n-\tg#0\t12\t3\n-\tU#0\t15\t7\nsess1/utt02\t##0\t0\t40\n";

#[test]
fn frames_are_seconds() {
    let text = list(
        "DATA SEG/DIM1 4/DIM2 2/TIMEBASE DISCRETE/SEGTYPE VITERBI",
        FRAMES,
    );
    let (utts, warnings) = read(&text).unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(utts.len(), 2);
    let expected = [
        segment("##0", 0.0, 0.12),
        segment("g#0", 0.12, 0.15),
        segment("U#0", 0.15, 0.22),
    ];
    assert_eq!(utts[0].segments.as_deref(), Some(&expected[..]));
    assert_eq!(utts[0].key, "sess1/utt01".into());
    assert_eq!(
        utts[1].segments.as_deref(),
        Some(&[segment("##0", 0.0, 0.4)][..])
    );
    for utt in &utts {
        assert_eq!(utt.meta.frame_shift, Decimal::parse("0.01"));
        assert_eq!(utt.meta.tags, [tag("SEGTYPE", "VITERBI")]);
    }
}

#[test]
fn key_headers_count_segments_and_entries() {
    let head = ".key\nDATATYPE SEG\nDATAFORMAT STRING\nNSEG 4\nNENTRY 2\nFSHIFT 0.02\n##\n";
    let source = Source::from_bytes("f", format!("{head}{FRAMES}").into_bytes()).unwrap();
    let (utts, warnings) = read_with(&KEY, &[], source).unwrap();
    assert_eq!((utts.len(), warnings.len()), (2, 0));
    assert_eq!(utts[1].segments.as_ref().unwrap()[0].end, Some(0.8));
    assert!(utts[0].meta.tags.is_empty());
    let back = write_memory(&SPR, &[("data", "SEG")], &utts).unwrap();
    let head = ".spr\nDATA\tSEG\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t4\nDIM2\t2\n\
                FSHIFT\t0.02\nTIMEBASE\tDISCRETE\n#\n";
    assert_eq!(String::from_utf8(back).unwrap(), format!("{head}{FRAMES}"));
}

#[test]
fn seconds_and_open_ends() {
    let (utts, warnings) = read(&list(
        "DATA SEG/DIM1 -1/DIM2 -1/TIMEBASE CONTINUOUS",
        "a x 0.000 1.250\r\n\n a y\t1.4 -1\nb z\n",
    ))
    .unwrap();
    let expected = [segment("x", 0.0, 1.25), segment("y", 1.4, None)];
    assert_eq!(utts[0].segments.as_deref(), Some(&expected[..]));
    assert_eq!(
        utts[1].segments.as_deref(),
        Some(&[segment("z", 0.0, None)][..])
    );
    assert_eq!(
        warnings,
        ["f@82: a line without F1 and F2 is taken to be all of the file"]
    );
}

#[test]
fn overlaps_and_counts_are_warned_about() {
    // The manual's own example is one of last frames, not of numbers of frames.
    let body = "a x 0 24\n- y 25 39\n- z 40 70\nb x 0 1\n";
    let (utts, warnings) = read(&list("DATA SEG/DIM1 3/DIM2 2", body)).unwrap();
    assert_eq!((utts.len(), warnings.len()), (1, 3));
    assert!(
        warnings[0].contains("starts before the entry before it ends"),
        "{warnings:?}"
    );
    assert!(
        warnings[1].contains("goes on after 3 lines"),
        "{warnings:?}"
    );
    assert!(
        warnings[2].contains("the header says 2 files, there are 1"),
        "{warnings:?}"
    );
}

#[test]
fn damage_is_an_error() {
    for (lines, body, message) in [
        (
            "DATA SEG",
            "- x 0 1\n",
            "f@16: '-' stands for the file of the line before, and there is none",
        ),
        ("DATA SEG", "a\n", "f@16: utterance a: a line has no label"),
        (
            "DATA SEG",
            "a x 0 1",
            "f@23: the last line has no line end and may be cut off",
        ),
        (
            "DATA SEG",
            "a x 1.5 1\n",
            "f@16: utterance a: '1.5' is no number of a frame",
        ),
        (
            "DATA SEG/DIM1 2",
            "a x 0 1\n",
            "f@31: the file ends here: 2 lines are due, 1 are there",
        ),
        (
            "DATA SEG",
            "a x 0 1\nb x 0 1\na y 1 1\n",
            "f@32: utterance a: the segments of one file stand in two places",
        ),
        (
            "DATA SEG",
            "a x 0 1 p\n- y 1 1\n",
            "f@26: utterance a: 4 fields, but 5 in the line before of the same file",
        ),
        (
            "DATA SEG/FORMAT BIN01",
            "",
            "f@14: FORMAT BIN01, but a list is text",
        ),
        ("DATA SEG/TIMEBASE X", "", "f@14: TIMEBASE X is not known"),
        ("DATA SEG/FSHIFT 0", "", "f@25: FSHIFT is not above 0"),
        ("DATA SEG/DIM1 x", "", "f@14: DIM1 is 'x', not a number"),
        (
            "DATA CORPUS",
            "- a 0 1\n",
            "f@19: '-' stands for the file of the line before, and there is none",
        ),
        (
            "DATA CORPUS",
            "a b 0 x\n",
            "f@19: utterance a: 'x' is no number of frames",
        ),
        (
            "DATA UNIT/DIM1 3",
            "a\n#\n",
            "f@28: the file ends here: 3 lines are due, 2 are there",
        ),
        (
            "DATA UNIT",
            "a\nb",
            "f@20: the last line has no line end and may be cut off",
        ),
    ] {
        assert_eq!(error(lines, body), message, "{lines} {body}");
    }
}

#[test]
fn fields_behind_the_fourth_are_tags() {
    let body = "a\tx\t0\t1\tp\t7\n-\ty\t1\t1\tq\t8\n";
    let (utts, _) = read(&list("DATA SEG", body)).unwrap();
    assert_eq!(
        utts[0].meta.tags,
        [tag("FIELD5", "p q"), tag("FIELD6", "7 8")]
    );
    let back = write_memory(&SPR, &[("data", "SEG")], &utts).unwrap();
    assert!(String::from_utf8(back).unwrap().ends_with(body));
    let mut fewer = utts.clone();
    fewer[0].segments.as_mut().unwrap().pop();
    let refused = write_memory(&SPR, &[("data", "SEG")], &fewer).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "utterance a: FIELD5 is not one word for each of 1 lines"
    );
}

#[test]
fn times_are_frames_where_all_are() {
    let shift = |utt: Utterance| Utterance {
        meta: Meta {
            frame_shift: Decimal::parse("0.01"),
            ..Meta::default()
        },
        ..utt
    };
    let even = shift(segmented(
        "a",
        &[segment("1", 0.0, 0.29), segment("2", 0.29, None)],
    ));
    let odd = shift(segmented("b", &[segment("1", 0.0, 0.125)]));
    let text = |options: &[(&str, &str)], utts: &[Utterance]| {
        let options = [&[("data", "SEG")], options].concat();
        let bytes = write_memory(&SPR, &options, utts)?;
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\n#\n").unwrap();
        let base = head.lines().last().unwrap().to_owned();
        assert_eq!(read(&text).unwrap().0, utts);
        Ok::<_, spr_core::Error>((base, body.to_owned()))
    };
    let discrete = "TIMEBASE\tDISCRETE".to_owned();
    let continuous = "TIMEBASE\tCONTINUOUS".to_owned();
    let frames = "a\t1\t0\t29\n-\t2\t29\t-1\n";
    let seconds = "a\t1\t0\t0.29\n-\t2\t0.29\t-1\n";
    let both = [even.clone(), odd.clone()];
    let (one, only) = (&both[..1], &[("timebase", "CONTINUOUS")][..]);
    assert_eq!(text(&[], one).unwrap(), (discrete, frames.into()));
    assert_eq!(
        text(only, one).unwrap(),
        (continuous.clone(), seconds.into())
    );
    // Lines that were written in frames are seconds once another has to be.
    let later = format!("{seconds}b\t1\t0\t0.125\n");
    assert_eq!(text(&[], &both).unwrap(), (continuous, later));
    let refused = text(&[("timebase", "DISCRETE")], &both).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "utterance b: has times that are not those of frames"
    );
}

#[test]
fn symbols_have_numbers_outside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phones.txt");
    fs::write(&path, "ah 7\nsil 0\n").unwrap();
    let symbols = ("symbols", path.to_str().unwrap());
    let utts = [segmented(
        "a",
        &[segment("7", 0.0, 0.1), segment("0", 0.1, 0.2)],
    )];
    let bytes = write_memory(&SPR, &[("data", "SEG"), symbols], &utts).unwrap();
    assert!(
        String::from_utf8(bytes.clone())
            .unwrap()
            .ends_with("a\tah\t0\t0.1\n-\tsil\t0.1\t0.2\n")
    );
    assert_eq!(read_memory(&SPR, &[symbols], &bytes).unwrap(), utts);
    let unknown = [segmented("a", &[segment("8", 0.0, 0.1)])];
    let refused = write_memory(&SPR, &[("data", "SEG"), symbols], &unknown).unwrap_err();
    assert!(
        refused.to_string().contains("'8' is no number of "),
        "{refused}"
    );
}

#[test]
fn what_segments_can_not_be() {
    let base = segmented("a", &[segment("1", 0.0, 0.1)]);
    let utt = |change: fn(&mut Utterance)| {
        let mut utt = base.clone();
        change(&mut utt);
        utt
    };
    for (utts, part) in [
        (vec![utt(|u| u.key = "-".into())], "'-' can't be the name"),
        (
            vec![utt(|u| u.key = "a b".into())],
            "the key holds byte 0x20",
        ),
        (
            vec![utt(|_| ()), utt(|_| ())],
            "a second utterance of this name",
        ),
        (vec![utt(|u| u.segments = Some(vec![]))], "has no segments"),
        (
            vec![utt(|u| u.segments = Some(vec![segment("", 0.0, 0.1)]))],
            "the label '' is not one word",
        ),
        (
            vec![utt(|u| u.segments = Some(vec![segment("a b", 0.0, 0.1)]))],
            "the label 'a b' is not one word",
        ),
        (
            vec![utt(|u| u.segments = Some(vec![segment("a", 1.0, 0.5)]))],
            "ends before it starts",
        ),
        (vec![utt(|u| u.text = Some(b"x".to_vec()))], "has text"),
        (
            vec![utt(|u| u.features = Some(Matrix::default()))],
            "has features",
        ),
        (
            vec![utt(|u| u.labels = Some(Matrix::default()))],
            "has labels",
        ),
        (
            vec![utt(|u| u.meta.tags.push(tag("TIMEBASE", "x")))],
            "would contradict",
        ),
        (
            vec![utt(|u| u.meta.tags.push(tag("DIM1", "x")))],
            "would contradict",
        ),
        (
            vec![
                utt(|_| ()),
                utt(|u| {
                    u.key = "b".into();
                    u.meta.tags.push(tag("X", "x"))
                }),
            ],
            "a list has one header",
        ),
    ] {
        let error = write_memory(&SPR, &[("data", "SEG")], &utts).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.can_continue() && error.key().is_some(), "{error}");
    }
}

const CORPUS: &str = "\
sess1/utt01\tgood_morning\t0.000\t1.250\tspkA\n-\thow_are_you\t1.400\t2.900\tspkB\n\
sess1/utt02\t#\t0\t-1\tspkA\n";

#[test]
fn a_corpus_comes_back_to_the_digit() {
    let head = ".spr\nDATA\tCORPUS\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t3\n\
                TIMEBASE\tCONTINUOUS\nFIELD_DESC\tfname orthography\n#\n";
    let text = format!("{head}{CORPUS}");
    let (utts, warnings) = read(&text).unwrap();
    assert_eq!(warnings, [""; 0]);
    let shared = [
        ("TIMEBASE", "CONTINUOUS"),
        ("FIELD_DESC", "fname orthography"),
    ];
    let tags = |own: &[(&'static str, &'static str)]| [&shared, own].concat();
    let expected = [
        said(
            "sess1/utt01",
            "good morning",
            &tags(&[("F1", "0.000"), ("F2", "1.250"), ("FIELD5", "spkA")]),
        ),
        said(
            "sess1/utt01#2",
            "how are you",
            &tags(&[
                ("FILENAME", "sess1/utt01"),
                ("F1", "1.400"),
                ("F2", "2.900"),
                ("FIELD5", "spkB"),
            ]),
        ),
        said("sess1/utt02", "", &tags(&[("FIELD5", "spkA")])),
    ];
    assert_eq!(utts, expected);
    let back = write_memory(&SPR, &[("data", "CORPUS")], &utts).unwrap();
    assert_eq!(String::from_utf8(back).unwrap(), text);
}

#[test]
fn a_named_corpus_with_a_key_header() {
    let text = ".key\nCORPUS\tCGN\nDATAFORMAT\tSTRING\nNENTRY\t1\n#\na\tb_c\t0\t-1\n";
    let utts = read_memory(&KEY, &[], text.as_bytes()).unwrap();
    assert_eq!(utts, [said("a", "b c", &[("CORPUS", "CGN")])]);
    let back = write_memory(&KEY, &[("data", "CORPUS")], &utts).unwrap();
    let back = String::from_utf8(back).unwrap();
    assert_eq!(
        back,
        ".key\nDATAFORMAT\tSTRING\nNENTRY\t1\nCORPUS\tCGN\n#\na\tb_c\t0\t-1\n"
    );
    assert_eq!(read_memory(&KEY, &[], back.as_bytes()).unwrap(), utts);
    let spr = write_memory(&SPR, &[("data", "CORPUS")], &utts).unwrap();
    assert_eq!(read_memory(&SPR, &[], &spr).unwrap(), utts);
}

#[test]
fn what_a_corpus_can_not_hold() {
    for (utt, part) in [
        (said("a", "b_c", &[]), "it has a '_'"),
        (said("a", "#", &[]), "# stands for silence"),
        (said("a", "b\tc", &[]), "white space that is no blank"),
        (said("-", "b", &[]), "can't stand in a list"),
        (said("a", "b", &[("F1", "3")]), "F1 and F2 stand together"),
        (
            said("a", "b", &[("F1", "0"), ("F2", "-1")]),
            "not for the whole file",
        ),
        (
            said("a", "b", &[("F1", "x"), ("F2", "1")]),
            "'x' is no number of a frame",
        ),
        (
            said("a", "b", &[("FILENAME", "c")]),
            "the next entry of the file c is to be c",
        ),
        (said("a", "b", &[("FIELD6", "c")]), "not all before it"),
        (said("a", "b", &[("FIELD5", "c d")]), "is not one word"),
        (said("a", "b", &[("DATA", "SEG")]), "would contradict"),
    ] {
        let error = write_memory(&SPR, &[("data", "CORPUS")], &[utt]).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.can_continue(), "{error}");
    }
}

/// A matrix of one column, whose values are the numbers of the rows.
fn ramp(rows: u8) -> Matrix {
    let values: Vec<f32> = (0..rows).map(f32::from).collect();
    Matrix::from_rows(&values, 1, Rank::Matrix).unwrap()
}

fn track(key: &str, rows: u8, shift: Option<&str>, offset: Option<&str>) -> Utterance {
    Utterance {
        key: key.into(),
        features: Some(ramp(rows)),
        meta: Meta {
            frame_shift: shift.and_then(Decimal::parse),
            frame_offset: offset.and_then(Decimal::parse),
            tags: Vec::new(),
        },
        ..Utterance::default()
    }
}

/// Reads a corpus and the files that it lists; for each entry its first and its last row.
fn drive(root: &Path, lines: &str, body: &str) -> Result<Vec<(String, String, f32, usize)>> {
    let source = Source::from_bytes("c.cor", list(lines, body).into_bytes())?;
    let options = [("root", root.to_str().unwrap()), ("suffix", "spr")];
    let (utts, _) = read_with(&SPR, &options, source)?;
    let row = |utt: &Utterance| {
        let values = utt.features.as_ref().unwrap().as_slice::<f32>().unwrap();
        let text = utt.text.clone().unwrap_or_default();
        let text = String::from_utf8(text).unwrap();
        (utt.key.to_string(), text, values[0], values.len())
    };
    Ok(utts.iter().map(row).collect())
}

#[test]
fn a_corpus_drives_the_reading_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("feats");
    let utts = [
        track("s/a", 100, None, None),
        track("half", 200, Some("0.005"), None),
        track("late", 98, Some("0.01"), Some("0.0075")),
    ];
    write(&SPR, &[], &utts, &root).unwrap();
    let body = "late x 0 1\ns/a one_two 10 5\n- # 20 -1\n- three 0 -1\nhalf y 10 20\n";
    let row = |key: &str, text: &str, first, n| (key.to_owned(), text.to_owned(), first, n);
    assert_eq!(
        drive(&root, "DATA CORPUS", body).unwrap(),
        [
            row("late", "x", 0.0, 1),
            row("s/a", "one two", 10.0, 5),
            row("s/a#2", "", 20.0, 80),
            row("s/a#3", "three", 0.0, 100),
            row("half", "y", 20.0, 40),
        ]
    );
    let body = "s/a x 0.1 0.155\nlate y 0.5 1.0\nhalf z 0.2501 -1\n";
    assert_eq!(
        drive(&root, "DATA CORPUS/TIMEBASE CONTINUOUS", body).unwrap(),
        [
            row("s/a", "x", 10.0, 6),
            row("late", "y", 49.0, 49),
            row("half", "z", 50.0, 150)
        ]
    );
    for (lines, body, part) in [
        (
            "DATA CORPUS",
            "s/a x 90 11\n",
            "the corpus says frames 90 to 101, the file has 100",
        ),
        (
            "DATA CORPUS",
            "s/a x 101 -1\n",
            "the corpus says frames 101 to 100, the file has 100",
        ),
        (
            "DATA CORPUS/TIMEBASE CONTINUOUS",
            "s/a x 0 1.03\n",
            "frames 0 to 103, the file has 100",
        ),
        ("DATA CORPUS", "s/b x\n", "cannot open"),
        ("DATA CORPUS", "../feats/half x\n", "leads out of the root"),
    ] {
        let error = drive(&root, lines, body).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.can_continue() && error.key().is_some(), "{error}");
    }
}

#[test]
fn sound_is_cut_by_its_samples() {
    let folder = tempfile::tempdir().unwrap();
    let head = ".spr\nDATA SAMPLE\nTYPE I8\nFORMAT BIN01\nNCHAN 1\nSAMPLEFREQ 100\n#\n";
    let samples: Vec<u8> = (0..50).collect();
    fs::write(
        folder.path().join("a.sam"),
        [head.as_bytes(), &samples].concat(),
    )
    .unwrap();
    let body = "a x 0 0.1\n- y 0.105 -1\n- z 0.3 0.52\n";
    let text = list("DATA CORPUS/TIMEBASE CONTINUOUS", body);
    let source = Source::from_bytes("c.cor", text.into_bytes()).unwrap();
    let options = [("root", folder.path().to_str().unwrap()), ("suffix", "sam")];
    let options = Options::new(SPR.info(), options).unwrap();
    let mut reader = SPR.open(source, &options, &Env::default()).unwrap();
    let mut utt = Utterance::default();
    for (first, last) in [(0, 9), (11, 49)] {
        assert!(reader.read(&mut utt).unwrap());
        let samples = utt
            .audio
            .as_ref()
            .unwrap()
            .samples
            .as_slice::<i8>()
            .unwrap();
        assert_eq!((samples[0], *samples.last().unwrap()), (first, last));
    }
    let error = reader.read(&mut utt).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("samples 30 to 52, the file has 50"),
        "{error}"
    );
}

#[test]
fn a_folder_has_its_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let (root, corpus) = (folder.path().join("out"), folder.path().join("x.cor"));
    let cor = ("cor", corpus.to_str().unwrap());
    let mut utts = [track("a", 3, None, None), track("a#2", 2, None, None)];
    utts[0].text = Some(b"one two".to_vec());
    utts[0].meta.tags = vec![tag("FIELD5", "ann"), tag("speaker", "ann")];
    write(&SPR, &[cor], &utts, &root).unwrap();
    let text = fs::read_to_string(&corpus).unwrap();
    assert!(
        text.ends_with("DIM1\t2\n#\na\tone_two\t0\t-1\tann\na#2\t#\t0\t-1\n"),
        "{text}"
    );
    let header = fs::read(root.join("a.spr")).unwrap();
    assert!(!header.windows(6).any(|w| w == b"FIELD5"));
    let options = [("root", root.to_str().unwrap())];
    let (mut back, _) = read_with(&SPR, &options, Source::open(&corpus).unwrap()).unwrap();
    back[0].meta.tags.reverse();
    assert_eq!(back, utts);
    // The line of what the folder refuses is not there either.
    let (root, corpus) = (folder.path().join("two"), folder.path().join("y.cor"));
    let options = Options::new(SPR.info(), [("cor", corpus.to_str().unwrap())]).unwrap();
    let output = Output::folder(&root);
    let mut writer = SPR
        .create(output.clone(), &options, &Env::default())
        .unwrap();
    for key in ["../x", "b"] {
        let _ = writer
            .write(&track(key, 1, None, None))
            .map_err(|e| assert!(e.can_continue()));
    }
    writer.finish().unwrap();
    output.commit().unwrap();
    assert!(
        fs::read_to_string(&corpus)
            .unwrap()
            .ends_with("DIM1\t1\n#\nb\t#\t0\t-1\n")
    );
    let inside = Options::new(
        SPR.info(),
        [("cor", folder.path().join("n/z.cor").to_str().unwrap())],
    );
    let error = SPR.create(
        Output::folder(folder.path().join("n")),
        &inside.unwrap(),
        &Env::default(),
    );
    assert!(
        error
            .err()
            .unwrap()
            .hint_text()
            .unwrap()
            .contains("put the corpus beside it")
    );
}

#[test]
fn keys_stay_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (root, away) = (folder.path().join("out"), folder.path().join("away"));
    let long = "x".repeat(5000);
    for key in [
        "../x",
        "/x",
        "a/../../b",
        "a\0b",
        ".",
        "..",
        "a//b",
        "",
        &long,
    ] {
        let error = write(&SPR, &[], &[track(key, 1, None, None)], &root).unwrap_err();
        assert!(
            error.key().is_some() || error.file_name().is_some(),
            "{error}"
        );
    }
    assert!(!folder.path().join("x.spr").exists() && !folder.path().join("b.spr").exists());
    #[cfg(unix)]
    {
        // A folder that is filled once more, one of its folders leading elsewhere.
        fs::create_dir_all(&root).unwrap();
        fs::create_dir(&away).unwrap();
        std::os::unix::fs::symlink(&away, root.join("sub")).unwrap();
        let output = Output::folder(&root).overwrite(true);
        let mut writer = SPR
            .create(output.clone(), &Options::default(), &Env::default())
            .unwrap();
        writer.write(&track("sub/a", 1, None, None)).unwrap();
        writer.finish().unwrap();
        assert!(output.commit().is_err());
        assert_eq!(fs::read_dir(&away).unwrap().count(), 0);
    }
}

#[test]
fn other_lists_are_handed_on() {
    let body = b"<sil>\t#\nbanaan\tbanan[@/]\n#\n\xe9\n".as_slice();
    for (lines, kind) in [
        (
            "DATA\tDICTIONARY\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t4\nUNIT_TYPE\tphones\n",
            "spraak-list",
        ),
        ("DIM1\t4\nDATA\tUNIT\n", "spraak-list"),
        ("DATA\tDES\n", "spraak-list"),
        ("DATA\tOTHER\nLAYOUT\tLIST\n", "spraak-list"),
        (
            "DATA\tPARAM\nLAYOUT\tCUSTOM\nTYPE\tCUSTOM\nFORMAT\tBIN01\n",
            "spraak-custom",
        ),
    ] {
        let bytes = [b".spr\n", lines.as_bytes(), b"#\n", body].concat();
        let utts = read_memory(&SPR, &[], &bytes).unwrap();
        let object = Object::Opaque {
            kind,
            bytes: body.to_vec(),
        };
        assert_eq!(utts[0].object, Some(object), "{lines}");
        assert_eq!(write_memory(&SPR, &[], &utts).unwrap(), bytes, "{lines}");
        for n in 0..bytes.len() {
            let _ = read_memory(&SPR, &[], &bytes[..n]);
        }
        let mut random = faults::Random::new(1);
        for _ in 0..200 {
            let _ = read_memory(&SPR, &[], &faults::flip(&bytes, &mut random));
        }
        match (kind, write_memory(&KEY, &[], &utts)) {
            ("spraak-list", Ok(key)) => {
                let back = read_memory(&KEY, &[], &key).unwrap();
                assert_eq!(back[0].object, utts[0].object, "{lines}");
            }
            (_, Err(e)) => assert!(e.to_string().contains("key header"), "{lines}: {e}"),
            (_, Ok(_)) => panic!("{lines}"),
        }
    }
}

#[test]
fn packed_lists_are_read() {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(FRAMES.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let head = b".spr\nDATA SEG\nCOMPRESS gzip\nDIM1 4\n#\n";
    let bytes = [&head[..], &packed].concat();
    assert_eq!(read_memory(&SPR, &[], &bytes).unwrap().len(), 2);
    assert!(read_memory(&SPR, &[], &bytes[..bytes.len() - 1]).is_err());
}

#[test]
fn headers_of_lists_change_and_bodies_do_not() {
    let key = b".key\nDICTIONARY\tnl\nDATAFORMAT\tSTRING\nNENTRY\t2\nLANGUAGE\tnl\n#\na\ta\n#\t#\n";
    let utts = read_memory(&KEY, &[], key).unwrap();
    let spr = write_memory(&SPR, &[], &utts).unwrap();
    let expected = ".spr\nDATA\tDICTIONARY\nLAYOUT\tLIST\nFORMAT\tASCII\nDICTIONARY\tnl\nTYPE\tSTRING\n\
                    DIM1\t2\nLANGUAGE\tnl\n#\na\ta\n#\t#\n";
    assert_eq!(String::from_utf8(spr.clone()).unwrap(), expected);
    assert_eq!(read_memory(&SPR, &[], &spr).unwrap(), utts);
    assert_eq!(write_memory(&KEY, &[], &utts).unwrap(), key);
}

#[test]
fn what_no_list_can_be() {
    let lex = ".spr\nDATA\tDICTIONARY\nDIM1\t1\n#\na\ta\n";
    let good = read_memory(&SPR, &[], lex.as_bytes()).unwrap().remove(0);
    let utt = |change: fn(&mut Utterance)| {
        let mut utt = good.clone();
        change(&mut utt);
        utt
    };
    for (options, utt, part) in [
        (
            &[("data", "UNIT")][..],
            utt(|_| ()),
            "is DICTIONARY data, not UNIT",
        ),
        (
            &[("data", "TRACK")],
            utt(|_| ()),
            "is DICTIONARY data, not TRACK",
        ),
        (
            &[],
            utt(|u| u.meta.tags.clear()),
            "do not say that it is a spraak-list",
        ),
        (
            &[],
            utt(|u| u.meta.tags[1].value = b"2".to_vec()),
            "2 lines are due, 1 are there",
        ),
        (
            &[],
            utt(|u| u.meta.tags.push(tag("DIM1", "1"))),
            "can't be stored as they are",
        ),
        (&[], utt(|u| u.text = Some(vec![])), "stands alone"),
        (&[], utt(|u| u.object = Some(Object::Int(1))), "has int32"),
        (
            &[("data", "DICTIONARY")],
            track("a", 2, None, None),
            "is no DICTIONARY data",
        ),
    ] {
        let error = write_memory(&SPR, options, &[utt]).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.can_continue(), "{error}");
    }
}

#[test]
fn options_that_have_no_use_are_refused() {
    let segments = list("DATA SEG", "a x 0 1\n");
    let read = |options: &[(&str, &str)]| {
        let source = Source::from_bytes("f", segments.clone().into_bytes()).unwrap();
        read_with(&SPR, options, source).unwrap_err()
    };
    for (option, value) in [
        ("root", "x"),
        ("suffix", "x"),
        ("timebase", "DISCRETE"),
        ("cor", "x"),
        ("frames", "0:1"),
        ("samplefreq", "8000"),
        ("byteorder", "big"),
    ] {
        let error = read(&[(option, value)]);
        assert_eq!(error.kind(), ErrorKind::Usage, "{option}: {error}");
    }
    for options in [
        [("data", "SEG"), ("compress", "gzip")],
        [("data", "CORPUS"), ("text", "true")],
    ] {
        let error = write_memory(&SPR, &options, &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
    }
    for (option, value) in [
        ("root", "x"),
        ("suffix", "x"),
        ("cor", "x"),
        ("timebase", "DISCRETE"),
        ("symbols", "x"),
    ] {
        let error = write_memory(&SPR, &[(option, value)], &[track("a", 1, None, None)]);
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Usage, "{option}");
    }
}

proptest! {
    #[test]
    fn any_corpus_comes_back(rows in prop::collection::vec(("[a-c/#2]{1,3}|-", "[ -^`-~]{0,6}", 0..3u8), 1..8)) {
        let body: String = rows
            .iter()
            .map(|(name, text, n)| {
                let text = text.trim_start_matches('#').replace(' ', "_");
                let text = if text.is_empty() { "#".to_owned() } else { text };
                format!("{name}\t{text}\t{n}\t{}\n", i16::from(*n) - 1)
            })
            .collect();
        let text = list("DATA CORPUS", &body);
        if let Ok((utts, _)) = read(&text) {
            let back = write_memory(&SPR, &[("data", "CORPUS")], &utts).unwrap();
            let (again, _) = read(std::str::from_utf8(&back).unwrap()).unwrap();
            prop_assert_eq!(utts, again);
        }
    }
}
