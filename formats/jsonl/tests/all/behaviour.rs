//! The behaviour suite.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use proptest::prelude::*;
use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, Reader, Request};
use spr_core::model::{Decimal, Dtype, Key, Matrix, Rank, Utterance};
use spr_core::{Error, ErrorKind, Limits};
use spr_format_jsonl::FORMAT;
use spr_testkit::{Suite, compare_all, generate, read_memory, suite, write_memory};

#[test]
fn behaves() {
    suite(&Suite {
        text: true,
        self_delimiting: true,
        ..Suite::new(&FORMAT)
    });
}

fn open(text: &str, limits: Limits) -> Box<dyn Reader> {
    let source = Source::from_bytes("a.jsonl", text.as_bytes().to_vec()).unwrap();
    let env = Env::new(limits, spr_core::bytes::Access::Safe, |_| {});
    let opened = Request::all().open(&FORMAT, source, &Options::default(), &env);
    opened.unwrap().into_stream().unwrap()
}

fn error(text: &str) -> Error {
    let mut reader = open(text, Limits::default());
    reader.read(&mut Utterance::default()).unwrap_err()
}

fn utterance(features: Option<Matrix>, labels: Option<Matrix>) -> Utterance {
    Utterance {
        key: "a".into(),
        features,
        labels,
        ..Utterance::default()
    }
}

fn trip(utts: &[Utterance]) -> Vec<Utterance> {
    let bytes = write_memory(&FORMAT, &[], utts).unwrap();
    read_memory(&FORMAT, &[], &bytes).unwrap()
}

#[test]
fn errors_name_line_and_utterance_and_reading_goes_on() {
    let text = "{\"key\":\"a\",\"labels\":[1]}\n\
                \n\
                {\"key\":\"b\",\"labels\":[1.5]}\n\
                rubbish\n\
                {\"key\":\"c\",\"labels\":[2]}\n\
                {\"key\":\"d\",\"labels\":[2";
    let mut reader = open(text, Limits::default());
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt).unwrap());
    for message in [
        "a.jsonl:3: utterance b: labels: row 0, column 0: 1.5 is not i64",
        "a.jsonl:4: byte 1 of the line: expected value",
    ] {
        let error = reader.read(&mut utt).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.can_continue());
    }
    assert!(reader.read(&mut utt).unwrap());
    assert_eq!(utt.key, "c".into());
    let error = reader.read(&mut utt).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated);
    assert_eq!(
        error.to_string(),
        "a.jsonl:6: utterance d: the line ends after 22 bytes, inside the object"
    );
    assert!(!reader.read(&mut utt).unwrap());
}

#[test]
fn the_last_line_may_lack_its_end() {
    let mut reader = open("\r\n{\"key\":\"a\",\"labels\":[1]}", Limits::default());
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt).unwrap());
    assert!(!reader.read(&mut utt).unwrap());
}

#[test]
fn limits_hold_for_lines_and_matrices() {
    let limits = Limits {
        max_alloc: 60,
        ..Limits::default()
    };
    let mut utt = Utterance::default();
    for (text, key) in [
        (
            r#"{"key":"a","labels":[1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7]}"#,
            "a",
        ),
        (
            r#"{"key":"b","labels":[                              ]}         "#,
            "",
        ),
    ] {
        let error = open(text, limits).read(&mut utt).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        assert_eq!(error.key().map(Key::to_string).unwrap_or_default(), key);
    }
}

#[test]
fn a_false_shape_fails_at_once() {
    for shape in [
        "[1000000,1000]",
        "[18446744073709551615,2]",
        "[0,5]",
        "[1]",
        "[]",
    ] {
        let text = format!(
            "{{\"key\":\"a\",\"features\":{{\"dtype\":\"f32\",\"shape\":{shape},\"data\":[[1,2]]}}}}"
        );
        let error = error(&text).to_string();
        assert!(
            error.starts_with("a.jsonl:1: utterance a: features: "),
            "{error}"
        );
    }
}

/// Single-column label matrices, labels without columns, frames without columns.
#[test]
fn odd_shapes_come_back_exactly() {
    let labels = |rows, cols, rank| Some(generate::plain(Dtype::I64, rank, rows, cols));
    let mut utts = vec![
        utterance(None, labels(3, 1, Rank::Matrix)),
        utterance(None, labels(0, 1, Rank::Matrix)),
        utterance(None, labels(0, 1, Rank::Vector)),
        utterance(None, labels(0, 7, Rank::Matrix)),
        utterance(None, labels(0, 0, Rank::Matrix)),
        utterance(None, labels(2, 0, Rank::Matrix)),
        utterance(labels(0, 40, Rank::Matrix), labels(0, 2, Rank::Matrix)),
        utterance(labels(3, 0, Rank::Matrix), None),
        utterance(labels(1, 1, Rank::Scalar), labels(1, 1, Rank::Vector)),
    ];
    utts[0].meta.frame_shift = Decimal::parse("+.5e1");
    let back = trip(&utts);
    compare_all(&utts, &back, true, false).unwrap();
    for (a, b) in utts.iter().zip(&back) {
        assert_eq!(a.labels, b.labels);
    }
}

#[test]
fn long_rows_and_vectors_come_back() {
    let wide = generate::matrix(Dtype::F64, Rank::Matrix, 2, 40_000, 1);
    let long = generate::matrix(Dtype::U64, Rank::Vector, 70_000, 1, 2);
    let tall = generate::matrix(Dtype::I8, Rank::Matrix, 30_000, 3, 3);
    let utts = [wide, long, tall].map(|m| utterance(Some(m), None));
    compare_all(&utts, &trip(&utts), true, true).unwrap();
}

#[test]
fn what_nobody_wants_is_passed_over() {
    let lines = ["a", "b", "c"].map(|key| {
        format!(
            "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"u8\",\"shape\":[2],\"data\":[1,2]}}}}\n"
        )
    });
    let last = "{\"labels\":[1],\"key\":\"d\"}\n{\"key\":\"e\",rubbish\n";
    let text = lines.concat() + last;
    let open = |request: Request| {
        let source = Source::from_bytes("a.jsonl", text.clone().into_bytes()).unwrap();
        let opened = request.open(&FORMAT, source, &Options::default(), &Env::default());
        opened.unwrap().into_stream().unwrap()
    };
    let mut reader = open(Request::all().keys(|key| key.as_bytes() == b"b").headers());
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt).unwrap());
    let features = utt.features.as_ref().unwrap();
    assert_eq!((&utt.key, features.rows()), (&"b".into(), 2));
    assert!(!reader.read(&mut utt).unwrap());
}

proptest! {
    /// Any text is either an error or data that can be written again.
    #[test]
    fn any_line_is_read_or_refused(
        key in "\\PC{0,5}",
        labels in "[\\[\\]0-9,.e \"-]{0,20}",
        rest in "(,\"[a-z_]{1,8}\":[\\[\\]0-9]{1,4}){0,2}",
    ) {
        let text = format!("{{\"key\":\"{key}\",\"labels\":[{labels}]{rest}}}\n");
        if let Ok(utts) = read_memory(&FORMAT, &[], text.as_bytes()) {
            compare_all(&utts, &trip(&utts), true, true).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn utterances_of_all_sorts_mix(seeds in proptest::collection::vec(any::<u64>(), 1..6)) {
        let utts: Vec<_> = seeds
            .iter()
            .map(|&seed| {
                let dtype = Dtype::ALL[usize::try_from(seed % 13).unwrap()];
                let matrix = generate::matrix(dtype, Rank::Matrix, 3, 2, seed);
                match seed % 3 {
                    0 => utterance(Some(matrix), None),
                    1 => utterance(None, Some(matrix)),
                    _ => utterance(Some(matrix.clone()), Some(matrix)),
                }
            })
            .collect();
        compare_all(&utts, &trip(&utts), true, true).map_err(TestCaseError::fail)?;
    }
}
