//! Files with the qualifier `_C`, and the other options for writing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::slice;

use spr_core::bytes::{Env, Locator, MemoryStore};
use spr_core::format::{Format, Medium};
use spr_core::loss::LossKind;
use spr_core::model::{Audio, Decimal, Dtype, Matrix, Rank, Tag, Utterance, Waveform};
use spr_format_htk::HTK;
use spr_testkit::{options, read_memory, write_memory, write_to};

fn utterance(features: &[f32], cols: usize, kind: &str) -> Utterance {
    let mut utt = Utterance {
        features: Some(Matrix::from_rows(features, cols, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    utt.meta.frame_shift = Decimal::parse("0.01");
    utt.meta.tags = vec![Tag::new("htk", "kind", kind)];
    utt
}

const FRAMES: [f32; 6] = [1.0, -5.0, 2.5, 0.25, 3.0, 5.0];

#[test]
fn columns_become_integers_by_the_book() {
    let utt = utterance(&FRAMES, 2, "MFCC_D");
    let pairs = [("compress", "true"), ("check", "true")];
    let bytes = write_memory(&HTK, &pairs, slice::from_ref(&utt)).unwrap();
    // Three frames and the space of four, 10 ms, two integers per frame, MFCC_D_C_K.
    assert_eq!(bytes[..8], [0, 0, 0, 7, 0, 1, 0x86, 0xa0]);
    assert_eq!(bytes[8..12], [0, 4, 0x15, 6]);
    let float = |n: usize| f32::from_be_bytes(*bytes[12 + 4 * n..].first_chunk().unwrap());
    assert_eq!([0, 1, 2, 3].map(float), [32767.0, 6553.4, 65534.0, 0.0]);
    let short = |n: usize| i16::from_be_bytes(*bytes[28 + 2 * n..].first_chunk().unwrap());
    assert_eq!([0, 1, 4, 5].map(short), [-32767, -32767, 32767, 32767]);
    assert_eq!(bytes.len(), 12 + 16 + 12 + 2);
    let back = read_memory(&HTK, &[], &bytes).unwrap();
    assert_eq!(back[0].meta, utt.meta);
    let values = back[0].features.as_ref().unwrap().values::<f32>().unwrap();
    for (a, b) in values.iter().zip(FRAMES) {
        assert!((a - b).abs() < 2e-4, "{a} {b}");
    }
    // A second compression changes nothing.
    let again = write_memory(&HTK, &pairs, &back).unwrap();
    let twice = read_memory(&HTK, &[], &again).unwrap();
    let moved = twice[0].features.as_ref().unwrap().values::<f32>().unwrap();
    for (a, b) in moved.iter().zip(values) {
        assert!((a - b).abs() <= a.abs() * 1e-6, "{a} {b}");
    }
}

#[test]
fn what_compressing_costs_is_measured() {
    let store = MemoryStore::new();
    let env = Env::default().with_store(std::sync::Arc::new(store));
    let output = env.output(&Locator::folder("d"));
    let pairs = options(&HTK, &[("compress", "true")]).unwrap();
    let mut utts = [
        utterance(&FRAMES, 2, "MFCC"),
        utterance(&[1.0, 2.0], 1, "MFCC"),
    ];
    utts[0].key.set(b"a");
    utts[1].key.set(b"b");
    let written = write_to(&HTK, &pairs, &utts, output).unwrap();
    let lines: Vec<_> = written.rounded.lines().collect();
    let [(LossKind::Precision, line)] = lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!((line.utterances, line.values, line.of), (1, 2, 6));
    assert!(line.max_abs_err > 0.0 && line.max_abs_err < 2e-4);
    assert!(HTK.caps(&pairs, Medium::Folder).unwrap().rounded);
}

#[test]
fn what_htk_does_not_compress_or_read_is_refused_by_name() {
    let sound = Waveform {
        rate: 8000,
        samples: Matrix::from_rows(&[1i16, 2], 1, Rank::Matrix).unwrap(),
    };
    let sound = Utterance {
        audio: Some(Audio::Samples(sound)),
        ..Utterance::default()
    };
    let slow = |shift| {
        let mut utt = utterance(&FRAMES, 2, "MFCC");
        utt.meta.frame_shift = Decimal::parse(shift);
        utt
    };
    let wide = |cols: usize| utterance(&vec![0.5; cols], cols, "MFCC");
    let compress: &[_] = &[("compress", "true")];
    for (utt, pairs, why) in [
        (sound, compress, "sound, which HTK does not compress"),
        (
            utterance(&FRAMES, 2, "LPREFC"),
            compress,
            "LPREFC, which HTK does not",
        ),
        (
            utterance(&[f32::NAN], 1, "MFCC"),
            compress,
            "NaN, which can't",
        ),
        (
            slow("0.1000001"),
            &[],
            "HTK reads no files with more than 0.1 s",
        ),
        (wide(1251), &[], "at most 1250"),
        (wide(2501), compress, "at most 2500"),
        (
            utterance(&FRAMES, 2, "MFCC_C"),
            &[],
            "not a kind of plain floats",
        ),
        (
            utterance(&FRAMES, 2, "MFCX"),
            &[],
            "not a kind of plain floats",
        ),
        (slow("0.01"), &[("kind", "MFCC_K")], "check=true"),
        (slow("0.01"), &[("kind", "MFC")], "did you mean 'MFCC'?"),
        (slow("0.01"), &[("kind", "MFCC_Q")], "no qualifier '_Q'"),
        (
            slow("0.01"),
            &[("byteorder", "little"), ("check", "true")],
            "big-endian files only",
        ),
        (slow("0.01"), &[("script", "x.scp")], "only of a folder"),
    ] {
        let error = write_memory(&HTK, pairs, &[utt]).unwrap_err();
        let text = format!("{error} {}", error.hint_text().unwrap_or_default());
        assert!(text.contains(why), "{why}: {text}");
    }
    for (utt, pairs) in [
        (slow("0.1"), &[][..]),
        (wide(1250), &[]),
        (wide(2500), compress),
    ] {
        write_memory(&HTK, pairs, &[utt]).unwrap();
    }
}

#[test]
fn a_kind_can_be_named() {
    for (kind, written) in [("PLP_0_D_A", 0o21411u16 + 2), ("USER", 9), ("6", 6)] {
        let utt = utterance(&FRAMES, 2, "FBANK");
        let bytes = write_memory(&HTK, &[("kind", kind)], &[utt]).unwrap();
        assert_eq!(bytes[10..12], written.to_be_bytes(), "{kind}");
    }
}

#[test]
fn either_byte_order_is_written() {
    for pairs in [
        &[("byteorder", "little")][..],
        &[("byteorder", "little"), ("compress", "true")],
    ] {
        let utt = utterance(&[0.5, 1.5], 1, "MFCC");
        let bytes = write_memory(&HTK, pairs, slice::from_ref(&utt)).unwrap();
        assert_eq!(bytes[4..8], 100_000i32.to_le_bytes());
        let back = read_memory(&HTK, &[], &bytes).unwrap();
        assert_eq!(back[0].features, utt.features);
        assert_eq!(back[0].features.as_ref().unwrap().dtype(), Dtype::F32);
        assert_eq!(back[0].meta, utt.meta);
    }
}
