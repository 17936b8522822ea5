//! What the format promises.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::slice;

use spr_core::bytes::{Access, Env, Source};
use spr_core::format::{Claim, Format, ObjectBounds, Options, Probe, Request, Score};
use spr_core::model::{Array, Matrix, NamedArray, Rank, RecordingFacts, Utterance};
use spr_core::{ErrorKind, Limits};
use spr_format_lilcom::FORMAT;
use spr_testkit::{Suite, read_memory, suite, write_memory};

/// Values that are multiples of the tick are stored as they are, and there is at least one.
fn rounded(utt: &mut Utterance) {
    let mut round = |values: &mut Matrix| {
        for value in values.values_mut::<f32>().into_iter().flatten() {
            let whole = (*value * 32.0).clamp(-1e6, 1e6).round();
            // NaN is no number, and 0 has no sign.
            *value = if whole == 0.0 || whole.is_nan() {
                0.0
            } else {
                whole / 32.0
            };
        }
    };
    utt.features.iter_mut().for_each(&mut round);
    for named in &mut utt.arrays {
        round(named.array.values_mut());
        // No axis is without elements.
        if named.array.values().is_empty() && named.array.shape().len() > 2 {
            let one = Matrix::from_rows(&[1.0f32], 1, Rank::Vector).unwrap();
            named.array = Array::of(one, &vec![1; named.array.shape().len()]).unwrap();
        }
    }
}

#[test]
fn files_behave() {
    suite(&Suite {
        options: &[
            &[("regression", "false")],
            &[("regression", "false"), ("tick", "-8")],
        ],
        prepare: rounded,
        ..Suite::new(&FORMAT)
    });
}

fn utterance(values: &[f32], cols: usize) -> Utterance {
    Utterance {
        features: Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

#[test]
fn values_are_rounded_to_the_tick() {
    let values = [1.01, -0.7, 3.3, 1.1, 2.2, -5.5];
    for tick in ["-8", "-5", "0"] {
        let options = &[("tick", tick)];
        let bytes = write_memory(&FORMAT, options, &[utterance(&values, 2)]).unwrap();
        let back = read_memory(&FORMAT, &[], &bytes).unwrap();
        let back = back[0].features.as_ref().unwrap();
        let half = 2f32.powi(tick.parse::<i32>().unwrap() - 1);
        for (value, back) in values.iter().zip(back.values::<f32>().unwrap()) {
            assert!((value - back).abs() <= half * 1.0001, "{value} {back}");
        }
    }
    let error = write_memory(&FORMAT, &[("tick", "21")], &[utterance(&values, 2)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
    for value in [f32::NAN, f32::INFINITY] {
        let error = write_memory(&FORMAT, &[], &[utterance(&[value], 1)]).unwrap_err();
        assert!(error.to_string().contains("lilcom can't hold"), "{error}");
    }
}

#[test]
fn vectors_and_arrays_keep_their_axes() {
    let vector = Matrix::from_rows(&[1.0f32, 2.0], 1, Rank::Vector).unwrap();
    let utt = Utterance {
        features: Some(vector.clone()),
        ..Utterance::default()
    };
    let bytes = write_memory(&FORMAT, &[], &[utt]).unwrap();
    let back = read_memory(&FORMAT, &[], &bytes).unwrap();
    assert_eq!(back[0].features, Some(vector));
    let values = Matrix::from_rows(&[0.5f32; 24], 1, Rank::Vector).unwrap();
    let array = Array::of(values, &[2, 3, 4]).unwrap();
    let utt = Utterance {
        arrays: vec![NamedArray {
            name: "array".into(),
            array,
        }],
        ..Utterance::default()
    };
    let options = &[("regression", "false")];
    let bytes = write_memory(&FORMAT, options, slice::from_ref(&utt)).unwrap();
    let back = read_memory(&FORMAT, &[], &bytes).unwrap();
    assert_eq!(back[0].arrays, utt.arrays);
}

#[test]
fn faults_have_their_places() {
    let bytes = write_memory(&FORMAT, &[], &[utterance(&[1.0; 40], 2)]).unwrap();
    let error = |bytes: &[u8]| read_memory(&FORMAT, &[], bytes).unwrap_err();
    let cut = error(&bytes[..bytes.len() - 1]);
    assert_eq!(cut.kind(), ErrorKind::Truncated, "{cut}");
    let more = error(&[&bytes[..], &[0, 0]].concat()).to_string();
    assert!(more.contains("2 bytes after the last value"), "{more}");
    let mut version = bytes.clone();
    version[1] = 1;
    let version = error(&version).to_string();
    assert!(version.contains("lilcom data of version 1"), "{version}");
    let wrong = error(b"[1, 2]").to_string();
    assert!(wrong.contains("no lilcom stream"), "{wrong}");
}

#[test]
fn claims_are_checked_before_memory_is_taken() {
    // Ten million zeros in 39 bytes.
    let zeros = utterance(&vec![0.0; 10_000_000], 100);
    let bytes = write_memory(&FORMAT, &[("tick", "-8")], &[zeros]).unwrap();
    assert_eq!(bytes.len(), 39);
    let limits = Limits {
        max_alloc: 1 << 20,
        ..Limits::default()
    };
    let env = Env::new(limits, Access::default(), |_| {});
    let source = Source::from_bytes("memory", bytes).unwrap();
    let opened = Request::all().open(&FORMAT, source, &Options::default(), &env);
    let mut reader = opened.unwrap().into_stream().unwrap();
    let error = reader.read(&mut Utterance::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
}

#[test]
fn the_header_tells_the_format() {
    let bytes = write_memory(&FORMAT, &[], &[utterance(&[1.0; 40], 2)]).unwrap();
    let score = |head: &[u8], path: &str| {
        FORMAT.probe(&Probe {
            head,
            whole: false,
            len: None,
            path: Some(path.as_ref()),
        })
    };
    assert!(matches!(score(&bytes, "x"), Score::Possible(_)));
    assert_eq!(score(b"L\x01abcdef", "x.llc"), Score::NameOnly);
    assert_eq!(score(b"L\0\0\0\0\0\0\0\0\0", "x"), Score::No);
}

#[test]
fn arrays_without_elements_are_refused() {
    let none = Matrix::from_rows::<f32>(&[], 1, Rank::Vector).unwrap();
    let utt = Utterance {
        arrays: vec![NamedArray {
            name: "array".into(),
            array: Array::of(none, &[2, 0, 3]).unwrap(),
        }],
        ..Utterance::default()
    };
    let error = write_memory(&FORMAT, &[], &[utt]).unwrap_err();
    assert!(
        error.to_string().contains("0 values, lilcom holds"),
        "{error}"
    );
}

#[test]
fn a_stream_inside_a_container_is_no_sound_and_may_have_more_behind_it() {
    let vector = Utterance {
        features: Some(Matrix::from_rows(&[1.0f32, -2.5], 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    };
    let (nested, env, mut bytes) = (FORMAT.nested().unwrap(), Env::default(), Vec::new());
    let mut put = |part: &[u8]| {
        bytes.extend_from_slice(part);
        Ok(())
    };
    nested.write(&vector, &mut put).unwrap();
    assert_eq!(nested.claim(&bytes), Claim::Magic);
    assert_eq!(nested.claim(b"RIFF"), Claim::No);
    let more = || Source::from_bytes("x", [&bytes[..], b"more"].concat()).unwrap();
    let (mut source, mut utt) = (more(), Utterance::default());
    let facts = nested.facts(&mut source, &env).unwrap();
    assert_eq!(facts, RecordingFacts::default());
    assert!(!nested.pass(&mut source, &env).unwrap());
    nested
        .read(&mut source, ObjectBounds::Own, &mut utt, &env)
        .unwrap();
    assert_eq!(source.offset(), bytes.len() as u64);
    assert_eq!(utt.features, vector.features);
    let whole = nested.read(&mut more(), ObjectBounds::Whole, &mut utt, &env);
    let message = whole.unwrap_err().to_string();
    assert!(
        message.contains("4 bytes after the last value"),
        "{message}"
    );
    let two = Utterance {
        arrays: vec![NamedArray {
            name: "array".into(),
            array: Array::of(Matrix::from_rows(&[1.0f32], 1, Rank::Vector).unwrap(), &[1]).unwrap(),
        }],
        ..vector
    };
    let error = nested.write(&two, &mut |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unfit, "{error}");
}

/// The lengths of features are read without their values.
#[test]
fn a_shape_is_known_before_the_values() {
    for (rank, cols) in [(Rank::Vector, 1), (Rank::Matrix, 3)] {
        let values = Matrix::from_rows(&[0.5f32; 6], cols, rank).unwrap();
        let utt = Utterance {
            features: Some(values),
            ..Utterance::default()
        };
        let bytes = write_memory(&FORMAT, &[], &[utt]).unwrap();
        let source = Source::from_bytes("memory", bytes).unwrap();
        let (request, env) = (Request::lengths(), Env::default());
        let opened = request.open(&FORMAT, source, &Options::default(), &env);
        let mut utt = Utterance::default();
        assert!(
            opened
                .unwrap()
                .into_stream()
                .unwrap()
                .read(&mut utt)
                .unwrap()
        );
        let features = utt.features.unwrap();
        let shape = (features.rank(), features.rows(), features.cols());
        assert_eq!(shape, (rank, 6 / cols, cols));
    }
}
