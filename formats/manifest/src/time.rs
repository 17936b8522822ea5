//! How long sound lasts.

use spr_core::bytes::Env;
use spr_core::model::{Audio, AudioReference, Decimal, Utterance};
use spr_core::{Error, Result, stage};

/// Seconds that a stretch of sound lasts. Only where nothing tells, its file is opened.
///
/// # Errors
/// It can't be opened, or is no sound.
pub(crate) fn lasts(reference: &AudioReference, env: &Env) -> Result<Decimal> {
    if let Some(time) = reference.time() {
        return Ok(time);
    }
    let mut utt = Utterance {
        audio: Some(Audio::Reference(reference.clone())),
        ..Utterance::default()
    };
    stage::load(&mut utt, env)?;
    let facts = utt.audio.as_ref().map(Audio::facts).unwrap_or_default();
    facts
        .time()
        .ok_or_else(|| Error::unfit("has sound of which nobody knows how long it lasts"))
}
