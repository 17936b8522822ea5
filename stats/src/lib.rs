//! What there is to count in speech data: [`Stats`] of a data set, and an [`Entry`] for each
//! utterance.

mod entry;
mod stats;

pub use entry::Entry;
pub use stats::{Column, LabelCount, Lengths, Stats};

use spr_core::model::{Element, Utterance, Wide};

/// How long an utterance lasts, where there is a sampling rate or a frame shift.
#[expect(
    clippy::cast_precision_loss,
    reason = "a duration needs no more digits"
)]
fn seconds(utt: &Utterance) -> Option<f64> {
    if let Some(audio) = &utt.audio {
        return Some(audio.samples.rows() as f64 / f64::from(audio.rate.max(1)));
    }
    let shift = utt.meta.frame_shift.as_ref()?;
    Some(shift.value() * utt.frames() as f64)
}

/// A number of any type as the nearest `f64`.
#[expect(clippy::cast_precision_loss, reason = "large integers are rounded")]
pub fn number<T: Element>(value: T) -> f64 {
    match value.widen() {
        Wide::Int(v) => v as f64,
        Wide::Float(v) => v,
    }
}
