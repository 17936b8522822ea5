//! Durations of audio.

use spr_core::bytes::Env;
use spr_core::model::{AudioReference, Decimal, Utterance};
use spr_core::{Error, Result, recording};

/// Returns the duration of the referenced audio in seconds. Reads the header of the file only if
/// necessary.
///
/// # Errors
/// It can't be opened, or is no sound.
pub fn lasts(utt: &Utterance, reference: &AudioReference, env: &Env) -> Result<Decimal> {
    let unknown = || Error::unfit("has sound of unknown duration");
    match reference.facts().time() {
        Some(time) => Ok(time),
        None => {
            let recording = recording::facts(reference, &utt.origin, env)?;
            recording.of_span(reference.span).time().ok_or_else(unknown)
        }
    }
}
