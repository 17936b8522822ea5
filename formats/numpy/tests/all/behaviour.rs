//! The behaviour suite for the three formats.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::ErrorKind;
use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, Request};
use spr_core::model::{Array, Dtype, Matrix, NamedArray, Rank, Utterance};
use spr_format_numpy::{FORMAT, NPZ, SAFETENSORS};
use spr_testkit::{Suite, read_memory, suite, write_memory};

#[test]
fn npy_behaves() {
    suite(&Suite::new(&FORMAT));
}

/// Returns an array file with this header.
fn npy(version: u8, dict: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let len = u32::try_from(dict.len()).unwrap().to_le_bytes();
    bytes.extend(if version == 1 { &len[..2] } else { &len });
    bytes.extend(dict.as_bytes());
    bytes.extend(data);
    bytes
}

fn read(bytes: &[u8]) -> Result<Utterance, String> {
    let utts = read_memory(&FORMAT, &[], bytes).map_err(|e| e.to_string())?;
    Ok(utts.into_iter().next().unwrap())
}

#[test]
fn orders_and_versions_are_read() {
    let expected = Matrix::from_rows(&[1i16, 2, 3, 4, 5, 6], 3, Rank::Matrix).unwrap();
    for (version, order, fortran, data) in [
        (1, "<", "False", [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]),
        (2, ">", "False", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6]),
        (3, "<", "True", [1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0]),
    ] {
        let dict =
            format!("{{'descr': '{order}i2', 'fortran_order': {fortran}, 'shape': (2, 3), }}\n");
        let utt = read(&npy(version, &dict, &data)).unwrap();
        assert_eq!(utt.features, Some(expected.clone()));
    }
}

#[test]
fn arrays_of_more_dimensions_have_a_name() {
    let dict = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 1, 3)}";
    let utt = read(&npy(1, dict, &[0, 3, 1, 4, 2, 5])).unwrap();
    let values = Matrix::from_rows(&[0u8, 1, 2, 3, 4, 5], 1, Rank::Vector).unwrap();
    let array = NamedArray {
        name: "array".to_owned(),
        array: Array::of(values, &[2, 1, 3]).unwrap(),
    };
    assert_eq!((utt.features, utt.arrays), (None, vec![array.clone()]));
    let flat = Array::of(array.array.values().clone(), &[6]).unwrap();
    for arrays in [
        vec![array.clone(), array.clone()],
        vec![NamedArray {
            name: "x".to_owned(),
            ..array.clone()
        }],
        vec![NamedArray {
            array: flat,
            ..array
        }],
    ] {
        let utt = Utterance {
            arrays,
            ..Utterance::default()
        };
        assert!(write_memory(&FORMAT, &[], &[utt]).is_err());
    }
}

#[test]
fn what_is_not_numbers_is_refused() {
    let dict = |descr: &str, shape: &str| {
        format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")
    };
    for (bytes, phrase) in [
        (
            npy(1, &dict("'|O'", "(1,)"), b"\x80\x02."),
            "Python objects",
        ),
        (
            npy(1, &dict("'<f4'", "(3, 0)"), b""),
            "3 rows without columns",
        ),
        (npy(1, &dict("'|b1'", "(2,)"), &[1, 2]), "neither 0 nor 1"),
        (
            npy(1, &dict("'|u1'", &format!("({}1)", "1, ".repeat(8))), &[1]),
            "9 dimensions",
        ),
        (
            npy(1, &dict("'|u1'", "(1,)"), &[1, 2]),
            "goes on after the array",
        ),
        (
            npy(1, &dict("'<f8'", "(4294967296, 4294967296, 1)"), b""),
            "more elements",
        ),
        (npy(4, &dict("'|u1'", "(1,)"), &[1]), "version 4.0"),
        (npy(1, "nonsense", b""), "is not a dict"),
    ] {
        let error = read(&bytes).unwrap_err();
        assert!(error.contains(phrase), "{error}");
    }
}

#[test]
fn every_type_of_numpy_is_declared() {
    let missing = Dtype::ALL.iter().filter(|dtype| {
        let features = Matrix::from_rows(&[0u8, 1], 1, Rank::Vector).unwrap();
        let mut utt = Utterance {
            features: Some(features),
            ..Utterance::default()
        };
        let features = utt.features_mut();
        features
            .cast(**dtype, &spr_core::Limits::default())
            .unwrap();
        write_memory(&FORMAT, &[], &[utt]).is_err()
    });
    assert_eq!(missing.collect::<Vec<_>>(), [&Dtype::Bf16]);
}

#[test]
fn the_bytes_written_are_those_of_numpy() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/numpy");
    for case in [
        "scalar",
        "vector",
        "vector-of-none",
        "no-rows",
        "type-f2",
        "type-f4",
        "type-u1",
        "type-i8",
        "type-bool",
        "rank-3",
        "rank-3-of-none",
        "rank-8",
    ] {
        let bytes = std::fs::read(format!("{folder}/{case}/input.npy")).unwrap();
        let utts = read_memory(&FORMAT, &[], &bytes).unwrap();
        assert_eq!(write_memory(&FORMAT, &[], &utts).unwrap(), bytes, "{case}");
    }
}

/// The name does not end as that of a part does.
fn plain_end(utt: &mut Utterance) {
    let key = utt.key.as_bytes();
    for ending in [&b".labels"[..], b".audio", b".rate"] {
        if key.ends_with(ending) {
            utt.key = "plain".into();
            break;
        }
    }
}

#[test]
fn npz_behaves() {
    suite(&Suite {
        options: &[&[], &[("compress", "1")]],
        prepare: plain_end,
        ..Suite::new(&NPZ)
    });
}

#[test]
fn a_well_packed_array_has_the_limit_of_any() {
    const ROWS: usize = 5000;
    let mask = Matrix::from_rows(&vec![0f32; 1000 * ROWS], 1000, Rank::Matrix).unwrap();
    let utt = Utterance {
        key: "a".into(),
        features: Some(mask),
        ..Utterance::default()
    };
    let utts = std::slice::from_ref(&utt);
    let bytes = write_memory(&NPZ, &[("compress", "9")], utts).unwrap();
    assert!(bytes.len() < 40_000, "{}", bytes.len());
    let read = |bytes: &[u8], max_alloc| {
        let mut env = Env::default();
        env.limits.max_alloc = max_alloc;
        let source = Source::from_bytes("x.npz", bytes.to_vec())?;
        let opened = Request::all().open(&NPZ, source, &Options::default(), &env)?;
        let mut utt = Utterance::default();
        opened.into_stream()?.read(&mut utt)?;
        Ok(utt.features)
    };
    let size = 4 * 1000 * ROWS as u64;
    assert_eq!(read(&bytes, size).unwrap(), utt.features);
    let kind = |result: spr_core::Result<Option<Matrix>>| result.unwrap_err().kind();
    assert_eq!(kind(read(&bytes, size - 1)), ErrorKind::Limit);
    // A size that no packing reaches, in the directory.
    let directory = bytes
        .windows(4)
        .rposition(|four| four == b"PK\x01\x02")
        .unwrap();
    let mut claim = bytes.clone();
    claim[directory + 24..directory + 28].copy_from_slice(&0x7fff_ffffu32.to_le_bytes());
    assert_eq!(kind(read(&claim, 1 << 40)), ErrorKind::Malformed);
}

#[test]
fn safetensors_behave() {
    suite(&Suite {
        prepare: plain_end,
        ..Suite::new(&SAFETENSORS)
    });
}
