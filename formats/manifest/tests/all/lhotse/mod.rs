//! Lhotse's manifests: recordings, supervisions and features that belong together, and folders.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod joining;
mod lines;
mod writing;

/// A recording of 2 s.
pub(crate) fn recording(id: &str) -> String {
    format!(
        r#"{{"id": "{id}", "sources": [{{"type": "file", "channels": [0], "source": "{id}.wav"}}], "sampling_rate": 8000, "num_samples": 16000, "duration": 2.0, "channel_ids": [0]}}"#
    )
}

pub(crate) fn supervision(id: &str, recording: &str, start: &str, duration: &str) -> String {
    format!(
        r#"{{"id": "{id}", "recording_id": "{recording}", "start": {start}, "duration": {duration}, "channel": 0, "text": "of {id}"}}"#
    )
}

/// Joins lines.
pub(crate) fn lines<const N: usize>(all: [String; N]) -> Vec<u8> {
    (all.join("\n") + "\n").into_bytes()
}
