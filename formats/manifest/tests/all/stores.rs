//! Features in Lhotse's stores.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::sync::Arc;

use spr_core::bytes::{Env, MemoryStore, Source};
use spr_core::format::{Options, Request};
use spr_core::model::{Matrix, Utterance};
use spr_core::{Error, ErrorKind, Result};
use spr_format_manifest::LHOTSE;
use spr_syntax::lilcom::Encoder;

/// The columns of the features.
const COLS: usize = 2;

/// The chunks of 1003 frames, and the lengths of these. Frame n has the
/// values n and -n.
fn chunks() -> (Vec<u8>, Vec<usize>) {
    let values: Vec<f32> = (0..1003u16)
        .flat_map(|n| [f32::from(n), -f32::from(n)])
        .collect();
    let encoder = Encoder::new(-5, false).unwrap();
    let (mut bytes, mut lengths) = (Vec::new(), Vec::new());
    for chunk in values.chunks(500 * COLS) {
        let (stream, _) = encoder.encode(chunk, &[chunk.len() / COLS, COLS]).unwrap();
        lengths.push(stream.len());
        bytes.extend(stream);
    }
    (bytes, lengths)
}

/// Surroundings in which the file `f.lca` has these bytes.
fn holding(bytes: Vec<u8>) -> Env {
    let store = MemoryStore::new();
    store.insert("f.lca", bytes);
    Env::default().with_store(Arc::new(store))
}

fn features(fields: &str) -> String {
    format!(
        r#"{{"type": "fbank", "num_features": 2, "frame_shift": 0.01, "sampling_rate": 8000, "storage_path": "f.lca", {fields}}}"#
    )
}

fn read(env: &Env, manifest: &str) -> Result<Vec<Utterance>> {
    let source = Source::from_bytes("m.jsonl", manifest.as_bytes().to_vec())?;
    let opened = Request::all().open(&LHOTSE, source, &Options::default(), env)?;
    let (mut reader, mut all) = (opened.into_stream()?, Vec::new());
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        all.push(utt.clone());
    }
    Ok(all)
}

/// The first value of each frame.
fn frames(features: &Matrix) -> Vec<f32> {
    let values = features.values::<f32>().unwrap();
    values.iter().step_by(COLS).copied().collect()
}

/// A cut of the 1003 frames.
fn cut(key: &str, start: f64, duration: f64) -> String {
    let features = features(&format!(
        r#""num_frames": 1003, "start": 0.0, "duration": 10.03, "storage_type": "lilcom_chunky", "storage_key": "{key}", "recording_id": "r""#
    ));
    format!(
        r#"{{"id": "c", "start": {start}, "duration": {duration}, "channel": 0, "supervisions": [], "features": {features}, "type": "MonoCut"}}"#
    )
}

#[test]
fn a_cut_reads_its_own_chunks_alone() {
    let (mut bytes, lengths) = chunks();
    let key = format!("0,{},{},{}", lengths[0], lengths[1], lengths[2]);
    // What is not read may be damaged.
    bytes[..lengths[0]].fill(0xff);
    let last = lengths[0] + lengths[1];
    bytes[last..].fill(0xff);
    let env = holding(bytes);
    for (start, duration, first, end) in [
        (5.0, 5.0, 500, 1000),
        (5.0, 0.01, 500, 501),
        (9.99, 0.01, 999, 1000),
        // 7.123 s are 56984 samples, 712 frames and 24 samples more than half of one.
        (7.123, 0.104, 712, 722),
    ] {
        let all = read(&env, &cut(&key, start, duration)).unwrap();
        let expected: Vec<f32> = (first..end).map(|n: u16| f32::from(n)).collect();
        assert_eq!(
            frames(all[0].features.as_ref().unwrap()),
            expected,
            "{start}"
        );
    }
    for (start, duration, why) in [
        (4.99, 0.02, "no lilcom stream"),
        (9.99, 0.02, "no lilcom stream"),
        (0.0, 10.03, "no lilcom stream"),
    ] {
        let error = read(&env, &cut(&key, start, duration)).unwrap_err();
        assert!(error.to_string().contains(why), "{start}: {error}");
    }
}

#[test]
fn keys_that_do_not_fit_are_refused() {
    let (bytes, lengths) = chunks();
    let env = holding(bytes);
    let [a, b, c] = lengths[..] else {
        panic!("three chunks")
    };
    let whole = |key: &str| -> Result<Vec<Utterance>, Error> { read(&env, &cut(key, 0.0, 10.03)) };
    whole(&format!("0,{a},{b},{c}")).unwrap();
    for (key, why) in [
        (format!("0,{a},{b}"), "names 2 chunks, 1003 frames have 3"),
        (format!("0,{a},{b},{c},{c}"), "names 4 chunks"),
        (format!("0,{},{b},{c}", a - 1), "storage_key says"),
        (format!("0,{},{},{c}", a + 1, b - 1), "storage_key says"),
        (format!("1,{a},{b},{c}"), "no lilcom stream"),
        (format!("0,{a},{b},{}", c + 1), "expected"),
        (format!("{a},{b},{c},{c}"), "chunk 1 has the shape"),
        ("ann-1".to_owned(), "expected an offset"),
    ] {
        let error = whole(&key).unwrap_err();
        assert!(error.to_string().contains(why), "{key}: {error}");
    }
}

#[test]
fn features_without_a_name_are_named_by_their_recording() {
    let (bytes, lengths) = chunks();
    let last = bytes.len() - lengths[2];
    let env = holding(bytes);
    let line = |recording: &str, start: f64, channel: &str| {
        features(&format!(
            r#""num_frames": 3, "start": {start}, "duration": 0.03, "storage_type": "lilcom_chunky", "storage_key": "{last},{}", "channels": {channel}{recording}"#,
            lengths[2]
        ))
    };
    let of = |id: &str| format!(r#", "recording_id": "{id}""#);
    let manifest = [
        line(&of("alone"), 0.5, "0"),
        line(&of("parts"), 0.0, "0"),
        line(&of("sides"), 0.0, "0"),
        line(&of("both"), 0.0, "0"),
        line(&of("parts"), 0.45, "0"),
        line(&of("sides"), 0.0, "[0, 1]"),
        line(&of("both"), 1.5, "1"),
    ];
    let all = read(&env, &manifest.join("\n")).unwrap();
    let keys: Vec<_> = all.iter().map(|utt| utt.key.to_string()).collect();
    assert_eq!(
        keys,
        [
            "alone",
            "parts-0000000-0000030",
            "sides-0",
            "both-0000000-0000030-0",
            "parts-0000450-0000480",
            "sides-0+1",
            "both-0001500-0001530-1",
        ]
    );
    for utt in &all {
        assert_eq!(
            frames(utt.features.as_ref().unwrap()),
            [1000.0, 1001.0, 1002.0]
        );
    }
    let error = read(&env, &line("", 0.0, "0")).unwrap_err();
    assert!(
        error.to_string().contains("without a recording_id"),
        "{error}"
    );
}

#[test]
fn stores_that_are_not_read_are_named() {
    let env = Env::default().with_store(Arc::new(MemoryStore::new()));
    for store in ["memory_raw", "memory_lilcom", "memory_npy", "shar"] {
        let line = features(&format!(
            r#""num_frames": 3, "start": 0, "duration": 0.03, "storage_type": "{store}", "storage_key": "a", "recording_id": "a""#
        ));
        let error = read(&env, &line).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(error.to_string().contains(store), "{error}");
    }
}
