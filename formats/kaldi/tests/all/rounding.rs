//! Numbers in text that f32 cannot hold are counted and reported.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use crate::common;

use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, Source};
use spr_format_kaldi::FORMAT;
use spr_testkit::faults::read_source;

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn listening() -> (Env, Arc<Mutex<Vec<String>>>) {
    let (env, warnings) = spr_testkit::listening(&common::env());
    (env, warnings)
}

/// Returns the warnings from reading the text at once and one byte at a time.
fn reading(text: &str, pairs: Pairs<'_>) -> Vec<String> {
    let options = spr_testkit::options(&FORMAT, pairs).unwrap();
    let said = |source: Source| {
        let (env, warnings) = listening();
        let drained = read_source(&FORMAT, &options, source, &env);
        assert!(drained.errors.is_empty(), "{text}: {:?}", drained.errors);
        warnings.lock().unwrap().clone()
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
        ("a 16777217 3 4 \n", 0),
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
    // A requested type is not reported.
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
