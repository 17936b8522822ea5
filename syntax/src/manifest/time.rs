//! Durations of audio.

use spr_core::bytes::Env;
use spr_core::model::{AudioReference, Decimal, Utterance};
use spr_core::{Error, Result, stage};

/// Returns the duration of the referenced audio in seconds. Reads the header of the file only if
/// necessary.
///
/// # Errors
/// It can't be opened, or is no sound.
pub fn lasts(utt: &Utterance, reference: &AudioReference, env: &Env) -> Result<Decimal> {
    if let Some(time) = reference.time() {
        return Ok(time);
    }
    let start = reference.start.unwrap_or_default();
    let whole = match reference.whole.time() {
        Some(time) => Some(time),
        None => stage::recording_facts(utt, env)?.time(),
    };
    let left = whole.and_then(|whole| whole.minus(start));
    left.ok_or_else(|| Error::unfit("has sound of unknown duration"))
}
