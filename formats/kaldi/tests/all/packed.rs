//! Packed matrices and HTK files, which are ordinary features after reading.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use crate::common;

use common::env;
use spr_core::bytes::Source;
use spr_core::model::{Dtype, Element, Matrix, Rank, Tag, Utterance};
use spr_core::{Error, ErrorKind};
use spr_format_kaldi::FORMAT;
use spr_testkit::faults::{Drained, read_source};
use spr_testkit::write_memory;

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn drained(bytes: &[u8], options: Pairs<'_>) -> Drained {
    let options = spr_testkit::options(&FORMAT, options).unwrap();
    let source = Source::from_bytes("memory", bytes.to_vec()).unwrap();
    read_source(&FORMAT, &options, source, &env())
}

fn read(bytes: &[u8], options: Pairs<'_>) -> Vec<Utterance> {
    let drained = drained(bytes, options);
    assert!(drained.errors.is_empty(), "{:?}", drained.errors);
    drained.utterances
}

fn refused(bytes: &[u8], options: Pairs<'_>) -> Error {
    drained(bytes, options).errors.remove(0)
}

const SYMMETRIC: Pairs<'_> = &[("holder", "symmetric-matrix")];
const TRIANGULAR: Pairs<'_> = &[("holder", "triangular-matrix")];
/// Packed matrices as Kaldi writes them.
const TEXT: &[u8] = b"a [\n1 \n2 3 \n4 5 6 ]\nb [ ]\nc [\n7 ]\n";

fn binary() -> Vec<u8> {
    let floats = |values: &[f32]| {
        values
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect::<Vec<_>>()
    };
    [
        b"a \0BFP \x04\x03\0\0\0",
        &floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])[..],
        b"b \0BFP \x04\0\0\0\0c \0BFP \x04\x01\0\0\0",
        &floats(&[7.0]),
    ]
    .concat()
}

#[test]
fn squares_are_filled() {
    let mirrored = [1f32, 2.0, 4.0, 2.0, 3.0, 5.0, 4.0, 5.0, 6.0];
    let lower = [1f32, 0.0, 0.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0];
    let binary = binary();
    for (bytes, options, expected) in [
        (TEXT, SYMMETRIC, mirrored),
        (TEXT, TRIANGULAR, lower),
        (&binary, SYMMETRIC, mirrored),
        (&binary, TRIANGULAR, lower),
        (&binary, &[], mirrored),
        (&binary, &[("holder", "float-matrix")], mirrored),
    ] {
        let utts = read(bytes, options);
        let expected = [
            Matrix::from_rows(&expected, 3, Rank::Matrix).unwrap(),
            Matrix::default(),
            Matrix::from_rows(&[7f32], 1, Rank::Matrix).unwrap(),
        ];
        assert_eq!(utts.len(), expected.len());
        for (utt, expected) in utts.iter().zip(&expected) {
            let features = utt.features.as_ref().unwrap();
            assert_eq!(features.rows(), expected.rows());
            assert_eq!(
                features.as_bytes(),
                expected.as_bytes(),
                "{} {options:?}",
                utt.key
            );
        }
    }
    let wide = [SYMMETRIC, &[("dtype", "f64")]].concat();
    let features = read(TEXT, &wide)[0].features.clone().unwrap();
    assert_eq!(features.dtype(), Dtype::F64);
    assert_eq!(features.as_slice::<f64>().unwrap()[2], 4.0);
}

#[test]
fn rows_grow_by_one() {
    for text in [
        "a [\n1 \n2 ]\n",
        "a [\n1 2 \n3 4 5 ]\n",
        "a [ 1 2 3 ]\n",
        "a [\n1 \n2 3 \n4 5 6 7 ]\n",
    ] {
        let error = refused(text.as_bytes(), SYMMETRIC);
        assert_eq!(error.kind(), ErrorKind::Malformed);
        assert!(error.to_string().contains("of a packed matrix"), "{error}");
    }
    let message = "row 2 of a packed matrix does not have 2 numbers";
    let error = refused(b"a [\n1 \n2 ]\n", TRIANGULAR).to_string();
    assert!(error.ends_with(message), "{error}");
    for len in 0..TEXT.len() - 1 {
        let cut = drained(&TEXT[..len], SYMMETRIC);
        let whole = cut.utterances.len() == TEXT[..len].iter().filter(|b| **b == b']').count();
        let between = TEXT[..len].ends_with(b"]") || TEXT[..len].ends_with(b"]\n");
        assert!(
            whole && (between || len == 0) == cut.errors.is_empty(),
            "{len}"
        );
    }
}

#[test]
fn without_the_option_it_is_known_by_its_rows() {
    let squares = read(TEXT, &[]);
    assert_eq!(squares[0].features, read(TEXT, SYMMETRIC)[0].features);
    let tag = &squares[0].meta.tags[0];
    assert_eq!(
        (&tag.key[..], &tag.value[..]),
        (&b"packed"[..], &b"symmetric"[..])
    );
    // Rows that begin like those of other matrices are named.
    let error = refused(b"a [\n  1 \n  2 3 \n  4 5 6 ]\n", &[]);
    assert!(
        error.to_string().contains("row 2 does not have 1 numbers"),
        "{error}"
    );
    assert!(
        error
            .hint_text()
            .unwrap()
            .contains("holder=symmetric-matrix")
    );
    // A matrix with other damage is not reported as packed.
    assert!(refused(b"a [\n1 2 \n2 3 4 ]\n", &[]).hint_text().is_none());
    let full = refused(
        &[b"a \0BFM \x04\x01\0\0\0\x04\x01\0\0\0".as_slice(), &[0; 4]].concat(),
        SYMMETRIC,
    );
    assert!(
        full.to_string()
            .contains("holds a float-matrix and not a symmetric-matrix"),
        "{full}"
    );
}

/// Returns a square matrix that was stored packed.
fn packed<T: Element>(key: &str, values: &[T], upper: &str) -> Utterance {
    let size = values.len().isqrt();
    let mut utt = Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(values, size, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    utt.meta.tags = vec![Tag::new("kaldi", "packed", upper)];
    utt
}

#[test]
fn squares_are_packed_again() {
    let mirrored = packed(
        "a",
        &[1f32, 2.0, 4.0, 2.0, 3.0, 5.0, 4.0, 5.0, 6.0],
        "symmetric",
    );
    let lower = packed("c", &[7f32], "triangular");
    let mut zeros = packed("b", &[1f32, 0.0, 2.0, 3.0], "triangular");
    let none = packed::<f32>("e", &[], "symmetric");
    let utts = [mirrored.clone(), zeros.clone(), lower, none];
    let written = write_memory(&FORMAT, &[], &utts).unwrap();
    let floats = |values: &[f32]| {
        values
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect::<Vec<_>>()
    };
    let binary = [
        b"a \0BFP \x04\x03\0\0\0",
        &floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])[..],
        b"b \0BFP \x04\x02\0\0\0",
        &floats(&[1.0, 2.0, 3.0]),
        b"c \0BFP \x04\x01\0\0\0",
        &floats(&[7.0]),
        b"e \0BFP \x04\0\0\0\0",
    ];
    assert_eq!(written, binary.concat());
    let written = write_memory(&FORMAT, &[("text", "true")], &utts).unwrap();
    let text = "a [\n1 \n2 3 \n4 5 6 ]\nb [\n1 \n2 3 ]\nc [\n7 ]\ne [ ]\n";
    assert_eq!(String::from_utf8(written).unwrap(), text);
    let wide = packed("a", &[0.1f64, 2.0, 2.0, 3.0], "symmetric");
    let written = write_memory(&FORMAT, &[], &[wide]).unwrap();
    let doubles = [0.1f64, 2.0, 3.0].map(f64::to_le_bytes).concat();
    assert_eq!(written, [b"a \0BDP \x04\x02\0\0\0", &doubles[..]].concat());
    // What is no such square any more is a matrix like others.
    let mut wide = mirrored.clone();
    wide.features = Some(Matrix::from_rows(&[1f32, 2.0], 2, Rank::Matrix).unwrap());
    let mut vector = mirrored.clone();
    vector.features = Some(Matrix::from_rows(&[1f32], 1, Rank::Vector).unwrap());
    let odd = packed("a", &[1f32, 2.0, 3.0, 4.0], "symmetric");
    zeros.meta.tags = vec![Tag::new("kaldi", "packed", "symmetric")];
    let filled = packed("a", &[1f32, 2.0, 2.0, 3.0], "triangular");
    for utt in [wide, odd, zeros, filled] {
        let written = write_memory(&FORMAT, &[], &[utt]).unwrap();
        assert_eq!(written[2..7], *b"\0BFM ");
    }
    assert_eq!(
        write_memory(&FORMAT, &[], &[vector]).unwrap()[2..7],
        *b"\0BFV "
    );
    // Compressing asks for something else.
    let small = write_memory(&FORMAT, &[("compress", "2")], &[mirrored]).unwrap();
    assert_eq!(small[2..6], *b"\0BCM");
}

#[test]
fn large_squares_are_packed_row_by_row() {
    let size = 300;
    let values: Vec<_> = (0..size * size)
        .map(|n| ((n / size) + (n % size)) as f32)
        .collect();
    let utt = packed("a", &values, "symmetric");
    for text in ["false", "true"] {
        let written = write_memory(&FORMAT, &[("text", text)], std::slice::from_ref(&utt)).unwrap();
        assert_eq!(
            read(&written, &[]),
            std::slice::from_ref(&utt),
            "text={text}"
        );
    }
    let written = write_memory(&FORMAT, &[], &[utt]).unwrap();
    assert_eq!(written.len(), 2 + 10 + 4 * size * (size + 1) / 2);
}

/// Returns an HTK file of one frame with two values.
fn htk(kind: u16) -> Vec<u8> {
    let kind = kind.to_be_bytes();
    [b"\0\0\0\x01\0\x01\x86\xa0\0\x08", &kind[..], &[0; 8]].concat()
}

#[test]
fn the_kind_of_an_htk_file_is_kept() {
    for (kind, shown) in [(6 | 0o100 | 0o400, "MFCC_E_D"), (7 | 0o20000, "FBANK_0")] {
        let utts = read(
            &[&b"a "[..], &htk(kind), b"b ", &htk(9)].concat(),
            &[("holder", "htk")],
        );
        let meta = &utts[0].meta;
        assert_eq!(meta.frame_shift.as_ref().unwrap().to_string(), "0.01");
        assert_eq!(meta.tags.len(), 1);
        let tag = &meta.tags[0];
        assert_eq!((&*tag.format, &tag.key[..]), ("htk", &b"kind"[..]));
        assert_eq!(tag.value, shown.as_bytes());
        // USER is the default kind.
        assert!(utts[1].meta.tags.is_empty());
    }
}
