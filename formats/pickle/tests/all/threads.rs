//! Joined pickles do not depend on the number of threads.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use spr_core::Error;
use spr_core::bytes::{Env, Locator, MemoryStore, Source};
use spr_core::format::{Format, Options, Request};
use spr_core::model::{About, Matrix, Rank, Utterance};
use spr_format_pickle::FORMAT;

fn env(threads: usize) -> Env {
    let mut env = Env::default();
    env.threads = threads;
    env
}

/// Returns about 3 MB of features with all byte values, in utterances from one frame to several
/// blocks.
fn data() -> Vec<Utterance> {
    let mut bits = 1u32;
    let mut value = || {
        bits = bits.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        f32::from_bits(bits)
    };
    let lengths = (1..200).chain([40_000, 1, 7]);
    let utts = lengths.enumerate().map(|(n, frames)| {
        let values: Vec<f32> = (0..12 * frames).map(|_| value()).collect();
        let labels = (-5..).take(frames).collect::<Vec<i32>>();
        Utterance {
            key: format!("utt{n}").as_str().into(),
            features: Some(Matrix::from_rows(&values, 12, Rank::Matrix).unwrap()),
            labels: Some(Matrix::from_rows(&labels, 1, Rank::Vector).unwrap()),
            ..Utterance::default()
        }
    });
    utts.collect()
}

fn pickle(protocol: &str, threads: usize) -> Vec<u8> {
    let store = MemoryStore::new();
    let env = env(threads).with_store(Arc::new(store.clone()));
    let options = Options::new(FORMAT.info(), [("protocol", protocol)]).unwrap();
    let output = env.output(&Locator::file("x.pkl"));
    let mut writer = FORMAT
        .create(output.clone(), &options, &About::default(), &env)
        .unwrap();
    for utt in data() {
        writer.write(&utt).unwrap();
    }
    writer.finish().unwrap();
    output.commit().unwrap();
    store.get("x.pkl").unwrap().to_vec()
}

/// Returns all values, and the error at their end.
fn read(pickle: &[u8], threads: usize) -> (Vec<u8>, Result<(), Error>) {
    let source = Source::from_bytes("x.pkl", pickle.to_vec()).unwrap();
    let mut bytes = Vec::new();
    let read = || {
        let opened = Request::all().open(&FORMAT, source, &Options::default(), &env(threads))?;
        let (mut reader, mut utt) = (opened.into_stream()?, Utterance::default());
        while reader.read(&mut utt)? {
            for matrix in [&utt.features, &utt.labels].into_iter().flatten() {
                bytes.extend_from_slice(matrix.as_bytes());
            }
        }
        Ok(())
    };
    let end = read();
    (bytes, end)
}

#[test]
fn threads_change_nothing() {
    for protocol in ["0", "1", "2", "4"] {
        let alone = pickle(protocol, 1);
        let (values, end) = read(&alone, 1);
        end.unwrap();
        assert!(values.len() > 1 << 20);
        for threads in [2, 5] {
            assert!(pickle(protocol, threads) == alone, "{protocol}, {threads}");
            let (same, end) = read(&alone, threads);
            end.unwrap();
            assert!(same == values, "{protocol}, {threads}");
        }
    }
}

#[test]
fn faults_have_the_same_place() {
    let pickle = pickle("2", 1);
    for at in [0.2, 0.5, 0.7, 0.9] {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share"
        )]
        let at = (pickle.len() as f64 * at) as usize;
        // A character beyond U+00FF, and half of one.
        for fault in [&b"\xc4\x80"[..], b"\x41\xc2\x41", b"\x80\x80\x80"] {
            let mut broken = pickle.clone();
            broken[at..at + fault.len()].copy_from_slice(fault);
            let (values, end) = read(&broken, 1);
            let end = end.unwrap_err().to_string();
            assert!(end.contains("U+00FF"), "{end}");
            for threads in [2, 5] {
                let (same, other) = read(&broken, threads);
                assert_eq!(other.unwrap_err().to_string(), end);
                assert!(same == values);
            }
        }
    }
}
