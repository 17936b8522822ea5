//! Sound as Kaldi's holder of waves takes it.

use spr_core::model::Waveform;
use spr_core::{Error, Result};

/// The most channels.
const CHANNELS: usize = 255;
/// As many bytes of samples would be taken for a stream without a size.
const ENDLESS: usize = 0x7fff_f000;

/// Checks that Kaldi would read sound of so many channels.
///
/// # Errors
/// There are too many.
pub(crate) fn check_channels(sound: &Waveform) -> Result<()> {
    match sound.samples.cols() {
        n if n > CHANNELS => Err(Error::unsupported(format!("a wave file of {n} channels"))),
        _ => Ok(()),
    }
}

/// Checks that Kaldi can read the wave file that will be made of sound.
///
/// # Errors
/// There are no samples, or too many of them or of channels.
pub(crate) fn check(sound: &Waveform) -> Result<()> {
    let samples = &sound.samples;
    let what = match (samples.as_bytes().len(), samples.cols()) {
        (0, _) => "without samples",
        (_, n) if n > CHANNELS => "of that many channels",
        (n, _) if n >= ENDLESS => "of that many samples",
        _ => return Ok(()),
    };
    Err(Error::unfit(format!(
        "has audio {what}, which Kaldi does not read"
    )))
}
