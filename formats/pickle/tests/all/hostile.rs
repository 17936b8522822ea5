//! Small pickles that cause much work, and types that do not exist.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::time::{Duration, Instant};

use spr_core::Error;
use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, Request};
use spr_core::model::Utterance;
use spr_format_pickle::FORMAT;

/// Returns opcodes that leave an element type with the given state.
fn dtype(state: &[u8]) -> Vec<u8> {
    [b"cnumpy\ndtype\n(U\x02f4K\x00K\x01tR", state, b"b"].concat()
}

fn plain(order: &[u8]) -> Vec<u8> {
    let length = [u8::try_from(order.len()).unwrap()];
    dtype(
        &[
            b"(K\x03U",
            &length[..],
            order,
            b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t",
        ]
        .concat(),
    )
}

/// Returns opcodes that leave an array of `rows` rows of one value.
fn array(rows: usize, dtype: &[u8]) -> Vec<u8> {
    let rows_ = i32::try_from(rows).unwrap().to_le_bytes();
    let bytes = i32::try_from(4 * rows).unwrap().to_le_bytes();
    [
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85U\x01btR(K\x01J",
        &rows_[..],
        b"K\x01\x86",
        dtype,
        b"\x89T",
        &bytes,
        &vec![0; 4 * rows],
        b"tb",
    ]
    .concat()
}

/// Counts the utterances.
fn read(pickle: Vec<u8>) -> Result<usize, Error> {
    let started = Instant::now();
    let source = Source::from_bytes("x.pkl", pickle).unwrap();
    let read = || {
        let opened = Request::all().open(&FORMAT, source, &Options::default(), &Env::default())?;
        let (mut reader, mut utt, mut n) = (opened.into_stream()?, Utterance::default(), 0);
        while reader.read(&mut utt)? {
            n += 1;
        }
        Ok(n)
    };
    let result = read();
    assert!(started.elapsed() < Duration::from_secs(20));
    result
}

#[test]
fn an_array_named_again_and_again_is_bounded_by_the_size_of_the_pickle() {
    let again = |rows, times| {
        let array = array(rows, &plain(b"<"));
        [
            b"\x80\x02](",
            &array[..],
            b"q\x00",
            &b"h\x00".repeat(times),
            b"e.",
        ]
        .concat()
    };
    // Some reuse is allowed: much of small arrays, less of large ones.
    assert_eq!(read(again(1000, 10_000)).unwrap(), 10_001);
    assert_eq!(read(again(1_000_000, 40)).unwrap(), 41);
    let error = read(again(1_000_000, 20_000)).unwrap_err().to_string();
    assert!(error.contains("some are named again and again"), "{error}");
}

#[test]
fn a_dict_that_is_many_items_is_bounded_before_they_are_counted() {
    let array = array(1, &plain(b"<"));
    let keys = (0..1000u16).flat_map(|n| [&b"M"[..], &n.to_le_bytes(), b"h\x00"].concat());
    let keys: Vec<_> = keys.collect();
    let parts = [
        b"\x80\x02",
        &array[..],
        b"q\x000](}(",
        &keys,
        b"uq\x01",
        &b"h\x01".repeat(1_000_000),
        b"e.",
    ];
    let error = read(parts.concat()).unwrap_err().to_string();
    assert!(error.contains("its Python objects"), "{error}");
}

#[test]
fn a_long_state_that_many_arrays_share_costs_no_time() {
    let state = [b"(K\x03U\x01<", &b"N".repeat(400_000)[..], b"t"].concat();
    let first = [&dtype(&state)[..], b"q\x00"].concat();
    let parts = [
        b"\x80\x02](",
        &array(1, &first)[..],
        &array(1, b"h\x00").repeat(15_000),
        b"e.",
    ];
    assert_eq!(read(parts.concat()).unwrap(), 15_001);
}

#[test]
fn byte_orders_are_those_of_numpy() {
    let pickle = |order| [b"\x80\x02", &array(2, &plain(order))[..], b"."].concat();
    for order in [&b"<"[..], b">", b"=", b"|"] {
        assert_eq!(read(pickle(order)).unwrap(), 1, "{order:?}");
    }
    let mut seen = 0;
    for order in [&b"x"[..], b"X", b"\0", b"<>", b""] {
        let error = read(pickle(order)).unwrap_err().to_string();
        assert!(error.contains("f4"), "{order:?}: {error}");
        seen += 1;
    }
    assert_eq!(seen, 5);
}
