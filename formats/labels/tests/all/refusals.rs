//! What a format of labels does not hold, each with its words.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::format::Format;
use spr_core::model::{Decimal, Segment, Tag, Tier, Utterance};
use spr_format_labels::{CTM, HTK_LAB, MLF, PYANNOTE, RTTM, STM, TEXTGRID, TIMIT, TRN};

use super::common::{label, labelled, write};

/// Asserts that each of these utterances is refused in these words.
fn refused<const N: usize>(format: &'static dyn Format, cases: [(Utterance, &str); N]) {
    let wrong = cases.into_iter().filter_map(|(utt, told)| {
        let written = write(format, &[], std::slice::from_ref(&utt));
        let error = written.map_err(|error| error.to_string());
        let as_told = matches!(&error, Err(error) if error.contains(told));
        (!as_told).then(|| format!("{told}: {error:?}"))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{}: {wrong:#?}", format.info().name);
}

fn one(segment: Segment) -> Utterance {
    labelled("a", vec![segment])
}

fn tagged(format: &'static str, tags: &[(&str, &str)]) -> Utterance {
    let mut utt = one(label("x", "1", "2"));
    let tags = tags
        .iter()
        .map(|(key, value)| Tag::new(format, *key, *value));
    utt.meta.tags = tags.collect();
    utt
}

#[test]
fn words_of_lists() {
    let far = || one(label("x", "0.000000000000000000000000000001", "1000000000"));
    let digits = "the time from 0.000000000000000000000000000001 to 1000000000 has too many digits";
    refused(
        &CTM,
        [
            (
                one(label("a b", "0", "1")),
                "the label 'a b' is not one word",
            ),
            (
                one(label("<ALT>", "0", "1")),
                "a label that starts with <ALT would be one of alternatives",
            ),
            (far(), digits),
            (one(label("a", "0", "")), "no end"),
            (
                labelled(";;a", vec![label("x", "0", "1")]),
                "a name that starts with ;; would be a comment",
            ),
            (
                one(Segment {
                    speaker: Some(b"NA".as_slice().into()),
                    ..label("a", "0", "1")
                }),
                "'NA' stands for no speaker",
            ),
        ],
    );
    let spoken = |name: &str, label: Segment| {
        let speaker = Some(name.as_bytes().into());
        one(Segment { speaker, ..label })
    };
    refused(
        &RTTM,
        [
            (
                spoken("<NA>", label("<NA>", "0", "1")),
                "'<NA>' stands for no label",
            ),
            (
                spoken("<NA>", label("a", "0", "1")),
                "'<NA>' stands for no speaker",
            ),
            (
                spoken(
                    "a",
                    label("a", "0.000000000000000000000000000001", "1000000000"),
                ),
                "too many digits",
            ),
        ],
    );
    refused(
        &PYANNOTE,
        [(one(label("a b", "0", "1")), "is not one word")],
    );
    // Words that would make the file one of another kind.
    let text = |text: &str| Utterance {
        key: "a".into(),
        text: Some(text.into()),
        ..Utterance::default()
    };
    refused(
        &HTK_LAB,
        [
            (
                text("#!MLF!# one"),
                "would start with '#!MLF!#', which no file of the format htk-lab does",
            ),
            (text("{ one"), "would start with '{'"),
            (text("<?xml one"), "would start with '<?xml'"),
        ],
    );
    assert!(write(&HTK_LAB, &[], &[text("one #!MLF!#")]).is_ok());
    refused(
        &TRN,
        [(
            Utterance {
                text: Some(b"a  ".to_vec()),
                ..labelled("a", vec![])
            },
            "a",
        )],
    );
}

#[test]
fn lines_of_stm() {
    let utt = |change: fn(&mut Utterance)| {
        let mut utt = Utterance {
            key: "a".into(),
            text: Some(b"one".to_vec()),
            ..Utterance::default()
        };
        let meta = &mut utt.meta;
        meta.recording = Some("r".into());
        (meta.start, meta.end) = (Decimal::parse("1"), Decimal::parse("2.5"));
        change(&mut utt);
        utt
    };
    let tag = |value: &str| Tag::new("stm", "label", value);
    assert_eq!(
        write(&STM, &[], &[utt(|_| {})]).unwrap(),
        "r 1 <NA> 1 2.5 one\n"
    );
    refused(
        &STM,
        [
            (
                utt(|utt| utt.meta.end = Decimal::parse("0.5")),
                "has a place in its recording that is not in order",
            ),
            (
                utt(|utt| utt.meta.recording = Some(";;r".into())),
                "a name that starts with ;; would be a comment",
            ),
            (
                utt(|utt| utt.meta.recording = None),
                "is not a stretch of a recording",
            ),
            (
                utt(|utt| utt.meta.end = None),
                "is not a stretch of a recording",
            ),
            (
                utt(|utt| utt.meta.speaker = Some("<NA>".into())),
                "'<NA>' stands for no speaker",
            ),
        ],
    );
    let mut odd = utt(|_| {});
    odd.meta.tags = vec![tag("o")];
    let mut twice = utt(|_| {});
    twice.meta.tags = vec![tag("<a>"), tag("<b>")];
    refused(
        &STM,
        [
            (odd, "the label 'o' is not words in <>"),
            (twice, "has several labels"),
        ],
    );
    let mut labelled = utt(|utt| utt.text = Some(b"<o> one".to_vec()));
    labelled.meta.tags = vec![tag("<a,b>")];
    assert_eq!(
        write(&STM, &[], &[labelled]).unwrap(),
        "r 1 <NA> 1 2.5 <a,b> <o> one\n"
    );
}

#[test]
fn grids_of_praat() {
    let tiers = |tiers: Vec<Tier>| Utterance {
        key: "a".into(),
        tiers,
        ..Utterance::default()
    };
    let points = |segments| Tier {
        points: true,
        ..Tier::only(segments)
    };
    let name = |name: &[u8]| Tier {
        name: name.into(),
        ..Tier::only(vec![label("x", "0", "1")])
    };
    refused(
        &TEXTGRID,
        [
            (tiers(vec![]), "has nothing that the format can hold"),
            (
                tagged("textgrid", &[("xmin", "0")]),
                "has a header line that says nothing",
            ),
            (
                tagged("textgrid", &[("xmax", "2")]),
                "has a header line that says nothing",
            ),
            (
                tagged("textgrid", &[("xmax", "x")]),
                "has a header line that is not a time",
            ),
            (
                tagged("textgrid", &[("xmax", "03")]),
                "has a header line that is not a time",
            ),
            (
                tagged("textgrid", &[("xmax", "3"), ("xmax", "4")]),
                "has a header line twice",
            ),
            (
                tagged("textgrid", &[("xmax", "1.5")]),
                "the segment 'x' at 1 ends after the grid",
            ),
            (
                tagged("textgrid", &[("xmin", "1.5")]),
                "the segment 'x' at 1 overlaps what is before it",
            ),
            (
                labelled("a", vec![label("x", "0", "2"), label("y", "1", "3")]),
                "the segment 'y' at 1 overlaps what is before it",
            ),
            (
                labelled("a", vec![label("x", "1", "1")]),
                "'x' at 1 is a point in a tier of stretches",
            ),
            (
                labelled("a", vec![label("", "0", "1")]),
                "the segment '' at 0 has no label",
            ),
            (
                tiers(vec![points(vec![label("x", "0", "1")])]),
                "the segment 'x' at 0 is not a point, but its tier holds points",
            ),
            (
                tiers(vec![points(vec![
                    label("x", "1", "1"),
                    label("y", "0", "0"),
                ])]),
                "the point 'y' at 0 is out of order",
            ),
            (
                labelled("a", vec![]),
                "has no label that ends, and so the grid would have no end",
            ),
            (labelled("a", vec![label("x\0", "0", "1")]), "0x00"),
            (tiers(vec![name(b"\xff")]), "is not UTF-8"),
        ],
    );
}

#[test]
fn times_of_praat() {
    let exact = one(label("x", "0.1", "0.3"));
    let error = write(
        &TEXTGRID,
        &[("form", "binary")],
        &[one(label("x", "0", "0.1000000000000000001"))],
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("has more digits than the binary form holds"),
        "{error}"
    );
    let long = write(&TEXTGRID, &[("form", "short")], &[exact]).unwrap();
    let grid = [
        "File type = \"ooTextFile\"",
        "Object class = \"TextGrid\"",
        "",
        "0",
        "0.3",
        "<exists>",
        "1",
        "\"IntervalTier\"",
        "\"\"",
        "0",
        "0.3",
        "2",
        "0",
        "0.1",
        "\"\"",
        "0.1",
        "0.3",
        "\"x\"",
    ];
    assert_eq!(long.trim_end().lines().collect::<Vec<_>>(), grid);
}

#[test]
fn times_and_names_of_htk_and_timit() {
    for format in [&HTK_LAB as &'static dyn Format, &MLF] {
        refused(
            format,
            [
                (one(label("", "0", "1")), "has a segment without a label"),
                (
                    labelled("a", vec![label("x", "0", ""), label("y", "1", "2")]),
                    "the segment 'x' at 0 has no end",
                ),
            ],
        );
    }
    let text = |text: &str| Utterance {
        key: "a".into(),
        text: Some(text.into()),
        ..Utterance::default()
    };
    refused(
        &HTK_LAB,
        [(text(""), "has no words, and so no line in the file")],
    );
    assert_eq!(
        write(&MLF, &[], &[text("")]).unwrap(),
        "#!MLF!#\n\"*/a.lab\"\n.\n"
    );
    refused(
        &TIMIT,
        [(one(label("", "0", "1")), "has a segment without a label")],
    );
    let error = write(&TIMIT, &[("rate", "0")], &[one(label("x", "0", "1"))]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "option rate: there is no time without samples"
    );
}

#[test]
fn numbers_without_a_name() {
    let utts = [labelled(
        "a",
        vec![label("1", "0", "1"), label("2", "1", "2")],
    )];
    let symbols = [("symbols", "words.txt")];
    assert_eq!(
        write(&CTM, &symbols, &utts).unwrap(),
        "a 1 0 1 one\na 1 1 1 two\n"
    );
    let unknown = [labelled("a", vec![label("7", "0", "1")])];
    let error = write(&CTM, &symbols, &unknown).unwrap_err().to_string();
    assert!(
        error.contains("utterance a") && error.contains('7'),
        "{error}"
    );
}
