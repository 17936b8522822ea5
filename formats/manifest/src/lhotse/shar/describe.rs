//! The descriptions of data, which are placeholders in cuts and lines beside the data.

use spr_core::bytes::Locator;
use spr_core::model::{AudioFacts, AudioReference, Decimal, Matrix};
use spr_syntax::json::Fields;

use super::super::recording::SHAR;
use super::super::supervision::Naming;
use super::options::FEATURES;

/// Describes sound.
pub(super) fn recording_line(id: &str, facts: AudioFacts, duration: Decimal) -> Vec<u8> {
    let channels: Vec<_> = (0..facts.channels().unwrap_or(1))
        .map(|n| n.to_string())
        .collect();
    let channels = format!("[{}]", channels.join(", "));
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    fields.text("id", id);
    let source = format!(r#"[{{"type": "{SHAR}", "channels": {channels}, "source": ""}}]"#);
    fields.raw("sources", &source);
    fields.number("sampling_rate", facts.rate());
    fields.number("num_samples", facts.samples());
    fields.time("duration", duration);
    fields.raw("channel_ids", &channels);
    fields.close();
    line
}

/// Describes features, which last as long as their cut.
pub(super) fn features_line(
    matrix: &Matrix,
    shift: Decimal,
    rate: u32,
    naming: &Naming<'_>,
) -> Vec<u8> {
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    fields.text("type", FEATURES);
    fields.count("num_frames", matrix.rows() as u64);
    fields.count("num_features", matrix.cols() as u64);
    fields.time("frame_shift", shift);
    fields.count("sampling_rate", rate);
    fields.count("start", 0u32);
    fields.time("duration", naming.duration);
    stored(&mut fields);
    fields.text("recording_id", naming.recording);
    naming.write_channel(
        "channels",
        &AudioReference::new(Locator::Nowhere),
        &mut fields,
    );
    fields.close();
    line
}

/// Adds the place of data that are in a file of a Shar.
fn stored(fields: &mut Fields<'_>) {
    fields.text("storage_type", SHAR);
    fields.text("storage_path", "");
    fields.text("storage_key", "");
}

/// Describes an array.
pub(super) fn plain(shape: &[usize]) -> Vec<u8> {
    let sizes: Vec<_> = shape.iter().map(ToString::to_string).collect();
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    stored(&mut fields);
    fields.raw("shape", &format!("[{}]", sizes.join(", ")));
    fields.close();
    line
}

/// Describes an array with an axis of time, along which a step is `shift`.
pub(super) fn temporal(shape: &[usize], axis: u64, shift: Decimal) -> Vec<u8> {
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    fields.start("array").extend_from_slice(&plain(shape));
    fields.count("temporal_dim", axis);
    fields.time("frame_shift", shift);
    fields.count("start", 0u32);
    fields.close();
    line
}
