//! What there is to count in speech data: [`Stats`] of a data set, and an [`Entry`] for each
//! utterance.

mod column;
mod entry;
mod label;
mod sound;
mod stats;

pub use column::{Column, MAX_COLUMNS};
pub use entry::Entry;
pub use label::LabelCount;
pub use sound::{Level, Sound, decibels};
pub use stats::{Lengths, Stats};

use spr_core::model::{Audio, Decimal, Element, Utterance, Wide};

/// Seconds that an utterance lasts, where its sound says so or there is a frame shift.
#[expect(
    clippy::cast_precision_loss,
    reason = "a duration needs no more digits"
)]
pub fn seconds(utt: &Utterance) -> Option<f64> {
    match &utt.audio {
        Some(Audio::Reference(place)) => place.time().map(Decimal::value),
        Some(audio) => audio.facts().seconds(),
        None => Some(utt.meta.frame_shift?.value() * utt.frames() as f64),
    }
}

/// A number of any type as the nearest `f64`.
#[expect(clippy::cast_precision_loss, reason = "large integers are rounded")]
pub fn number<T: Element>(value: T) -> f64 {
    match value.widen() {
        Wide::Int(v) => v as f64,
        Wide::Float(v) => v,
    }
}
