//! Text whose digits an f32 does not hold is counted and said.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod common;

use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, Locator, MemoryStore, Source};
use spr_core::format::Format;
use spr_core::model::{Lists, Matrix, Object, Rank, Sparse, Utterance};
use spr_format_kaldi::FORMAT;
use spr_testkit::faults::read_source;

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn listening() -> (Env, Arc<Mutex<Vec<String>>>) {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let told = warnings.clone();
    let env = common::env().listening(move |e| told.lock().unwrap().push(e.to_string()));
    (env, warnings)
}

/// What is said when this is read, whole and one byte at a time.
fn reading(text: &str, pairs: Pairs<'_>) -> Vec<String> {
    let options = spr_testkit::options(&FORMAT, pairs).unwrap();
    let said = |source: Source| {
        let (env, warnings) = listening();
        let drained = read_source(&FORMAT, &options, source, &env);
        assert!(drained.errors.is_empty(), "{text}: {:?}", drained.errors);
        let warnings = warnings.lock().unwrap().clone();
        warnings
    };
    let whole = said(Source::from_bytes("x", text.as_bytes().to_vec()).unwrap());
    let slow = said(spr_testkit::faults::one_byte(text.as_bytes()).unwrap());
    assert_eq!(whole.len(), slow.len(), "{text}");
    whole
}

#[test]
fn digits_beyond_f32_are_counted_in_every_object_of_floats() {
    let mut seen = 0;
    for (text, count) in [
        (
            "a  [\n  16777217 0.1 \n  7e-46 1 ]\nb  [\n  1 1 \n  1 3.141592653589793 ]\n",
            3,
        ),
        ("a  [ 16777217 0.5 16777219 ]\n", 2),
        ("a [\n1 \n2 0.1234567890123 ]\n", 1),
        ("a 0.1234567890123 \nb 0.5 \n", 1),
        ("a 0.1234567890123 0.5 7e-46 \n", 2),
        ("a 0.5 0.1234567890123 ; 1 2 \n", 1),
        ("a [ 1 0.1234567890123 ] [ 2 0.5 ] \n", 1),
        ("a 1 1 1  [ 0.1234567890123 ]\n", 1),
        ("a dim=3 [ 0 0.1234567890123 ] \n", 1),
        ("a rows=1 dim=3 [ 0 0.1234567890123 ] \n", 1),
        (
            "a  [ 0.10000000149011612 3.4028235e38 1e-40 inf nan 1.234568e+08 ]\n",
            0,
        ),
        ("a 16777217 3 \n", 0),
    ] {
        let said = reading(text, &[]);
        assert_eq!(said.len(), usize::from(count > 0), "{text}: {said:?}");
        let expected = match count {
            1 => "x: 1 number has digits that f32 does not hold and was rounded".to_owned(),
            n => format!("x: {n} numbers have digits that f32 does not hold and were rounded"),
        };
        for warning in said {
            assert!(warning.starts_with(&expected), "{text}: {warning}");
            assert!(warning.contains("dtype=f64"), "{warning}");
        }
        seen += 1;
    }
    assert_eq!(seen, 12);
    // Who names a type has it.
    let text = "a  [ 16777217 0.5 16777219 ]\n";
    let named: [Pairs<'_>; 4] = [
        &[("dtype", "f64")],
        &[("dtype", "f32")],
        &[("holder", "float-vector")],
        &[("holder", "double-vector")],
    ];
    for pairs in named {
        assert!(reading(text, pairs).is_empty(), "{pairs:?}");
    }
}

#[test]
fn text_of_f64_says_that_it_is_read_as_f32() {
    let matrix = |values: &[f64]| Utterance {
        key: "a".into(),
        features: Some(Matrix::from_rows(values, 1, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    let rows: Lists<(u32, f64)> = [&[(1, 0.1), (2, 0.5)][..]].into_iter().collect();
    let sparse = |kind: fn(Sparse) -> Object| Utterance {
        key: "a".into(),
        object: Some(kind(Sparse {
            dtype: spr_core::model::Dtype::F64,
            dim: 9,
            rows: rows.clone(),
        })),
        ..Utterance::default()
    };
    let text: Pairs<'_> = &[("text", "true")];
    let mut seen = 0;
    for (utt, pairs, count) in [
        (matrix(&[0.1, 0.5, 1e300]), text, 2),
        (matrix(&[0.25, f64::NAN, f64::INFINITY, -0.0]), text, 0),
        (sparse(Object::SparseVector), text, 1),
        (sparse(Object::SparseMatrix), text, 1),
        // Nothing is lost in binary, and who asks for seven digits or a type gets it.
        (matrix(&[0.1]), &[], 0),
        (matrix(&[0.1]), &[("text", "true"), ("digits", "kaldi")], 0),
        (matrix(&[0.1]), &[("text", "true"), ("dtype", "f64")], 0),
    ] {
        let store = MemoryStore::new();
        let (env, warnings) = listening();
        let env = env.with_store(Arc::new(store));
        let output = env.output(&Locator::file("x.ark"));
        let options = spr_testkit::options(&FORMAT, pairs).unwrap();
        let mut writer = FORMAT.create(output.clone(), &options, &env).unwrap();
        writer.write(&utt).unwrap();
        writer.finish().unwrap();
        output.commit().unwrap();
        let warnings = warnings.lock().unwrap().clone();
        assert_eq!(
            warnings.len(),
            usize::from(count > 0),
            "{utt:?}: {warnings:?}"
        );
        for warning in warnings {
            assert!(
                warning.starts_with(&format!("x.ark: {count} of its numbers")),
                "{warning}"
            );
            assert!(warning.contains("dtype=f64"), "{warning}");
        }
        seen += 1;
    }
    assert_eq!(seen, 7);
}
