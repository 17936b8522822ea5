//! Every element type and rank through all three formats and back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::Limits;
use spr_core::bytes::{Env, Source};
use spr_core::format::{FieldSet, Format, Options, Request};
use spr_core::model::{Array, Dtype, Matrix, NamedArray, Rank, Utterance};
use spr_format_numpy::{FORMAT, NPZ, SAFETENSORS};
use spr_testkit::{compare_all, read_memory, write_memory};

const TYPES: [Dtype; 12] = [
    Dtype::F16,
    Dtype::F32,
    Dtype::F64,
    Dtype::I8,
    Dtype::U8,
    Dtype::I16,
    Dtype::U16,
    Dtype::I32,
    Dtype::U32,
    Dtype::I64,
    Dtype::U64,
    Dtype::Bool,
];

/// A format, and its options.
type Step<'a> = (&'static dyn Format, &'a [(&'a str, &'a str)]);

/// Returns twenty-four elements with as many different bytes as possible.
fn elements(dtype: Dtype) -> Matrix {
    let mut values = Matrix::default();
    let limits = Limits::default();
    let bytes = values.reset(dtype, Rank::Vector, 24, 1, &limits).unwrap();
    for (byte, n) in bytes.iter_mut().zip(0u8..) {
        *byte = match dtype {
            Dtype::Bool => n % 2,
            // No NaN: the lowest byte of the exponent stays below its largest value.
            _ => n.wrapping_mul(5) & 0x7b,
        };
    }
    values
}

/// Returns an utterance of elements with `rank` dimensions.
fn utterance(dtype: Dtype, rank: usize) -> Utterance {
    let mut values = elements(dtype);
    let mut utt = Utterance::default();
    utt.key.set(b"memory");
    match rank {
        0 => {
            let limits = Limits::default();
            let bytes = values.as_bytes()[..dtype.size()].to_vec();
            let into = values.reset(dtype, Rank::Scalar, 1, 1, &limits).unwrap();
            into.copy_from_slice(&bytes);
        }
        1 => {}
        2 => values.reshape(Rank::Matrix, 6, 4).unwrap(),
        _ => {
            let array = Array::of(values, &[2, 3, 4]).unwrap();
            let name = "array".to_owned();
            utt.arrays.push(NamedArray { name, array });
            return utt;
        }
    }
    utt.features = Some(values);
    utt
}

#[test]
fn every_type_and_rank_goes_round() {
    let packed: &[(&str, &str)] = &[("compress", "6")];
    let way: [Step; 6] = [
        (&NPZ, &[]),
        (&FORMAT, &[]),
        (&SAFETENSORS, &[]),
        (&FORMAT, &[]),
        (&NPZ, packed),
        (&SAFETENSORS, &[]),
    ];
    for dtype in TYPES {
        for rank in 0..4 {
            let start = vec![utterance(dtype, rank)];
            let mut utts = start.clone();
            for (format, pairs) in way {
                let name = format.info().name;
                let bytes = write_memory(format, pairs, &utts).unwrap();
                utts = read_memory(format, &[], &bytes).unwrap();
                utts[0].key.set(b"memory");
                compare_all(&start, &utts, true, true)
                    .unwrap_or_else(|e| panic!("{name} {dtype} {rank}: {e}"));
            }
        }
    }
}

#[test]
fn integers_are_labels_where_only_those_are_wanted() {
    let labels = |format: &'static dyn Format, dtype, rank, parts| {
        let utt = utterance(dtype, rank);
        let bytes = write_memory(format, &[], &[utt]).unwrap();
        let source = Source::from_bytes("memory", bytes).unwrap();
        let request = Request::all().parts(parts);
        let opened = request.open(format, source, &Options::default(), &Env::default());
        let mut utt = Utterance::default();
        assert!(
            opened
                .unwrap()
                .into_stream()
                .unwrap()
                .read(&mut utt)
                .unwrap()
        );
        (utt.labels.map(|m| m.rows()), utt.features.is_some())
    };
    let formats: [&'static dyn Format; 3] = [&FORMAT, &NPZ, &SAFETENSORS];
    for format in formats {
        for (dtype, rank, parts, found) in [
            (Dtype::I32, 1, FieldSet::LABELS, (Some(24), false)),
            (Dtype::U8, 1, FieldSet::LABELS, (Some(24), false)),
            (Dtype::I64, 2, FieldSet::LABELS, (None, false)),
            (Dtype::F32, 1, FieldSet::LABELS, (None, false)),
            (Dtype::Bool, 1, FieldSet::LABELS, (None, false)),
            (Dtype::I32, 1, FieldSet::ALL, (None, true)),
        ] {
            let told = labels(format, dtype, rank, parts);
            assert_eq!(told, found, "{} {dtype} {rank}", format.info().name);
        }
    }
}
