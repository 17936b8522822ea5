//! How long sound lasts.

use spr_core::bytes::Env;
use spr_core::model::{AudioReference, Decimal, Utterance};
use spr_core::{Error, Result, stage};

/// Seconds that the stretch of sound lasts that an utterance refers to. Only where nothing tells, the
/// header of its file is read.
///
/// # Errors
/// It can't be opened, or is no sound.
pub(crate) fn lasts(utt: &Utterance, reference: &AudioReference, env: &Env) -> Result<Decimal> {
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
