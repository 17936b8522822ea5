//! Audio as supported by Kaldi's wave holder.

use spr_core::format::{AudioCaps, Options};
use spr_core::model::{Dtype, Waveform};
use spr_core::{Error, Result};

/// The form of audio in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SoundForm {
    /// Kaldi's own form.
    Kaldi,
    /// A file of this format after its size.
    Sized(&'static str),
}

/// The formats of sound files.
pub(crate) const WAV: &str = "wav";
const FLAC: &str = "flac";

impl SoundForm {
    /// Parses the options.
    ///
    /// # Errors
    /// The value is invalid.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let all = [
            ("kaldi", Self::Kaldi),
            (FLAC, Self::Sized(FLAC)),
            (WAV, Self::Sized(WAV)),
        ];
        Ok(options.choice("audio", &all)?.unwrap_or(Self::Kaldi))
    }

    /// Returns the format of the files.
    pub(crate) fn format(self) -> &'static str {
        match self {
            Self::Kaldi => WAV,
            Self::Sized(format) => format,
        }
    }

    /// Returns the audio capabilities.
    pub(crate) fn caps(self) -> AudioCaps {
        let (dtypes, files): (&[Dtype], &[&str]) = match self {
            Self::Kaldi => (&[Dtype::I16], &[]),
            Self::Sized(FLAC) => (&[Dtype::I16, Dtype::U8, Dtype::I32], &[FLAC]),
            Self::Sized(_) => (
                &[Dtype::I16, Dtype::U8, Dtype::I32, Dtype::F32, Dtype::F64],
                &[WAV],
            ),
        };
        let mut caps = AudioCaps::samples(dtypes);
        caps.encoded = files;
        if self == Self::Sized(FLAC) {
            caps.bits = 24;
        }
        caps
    }
}

/// The largest number of channels.
const CHANNELS: usize = 255;
/// This number of bytes of samples would be taken for a stream without a size.
const ENDLESS: usize = 0x7fff_f000;

/// Checks that Kaldi would read audio with as many channels and, in an archive, samples of this
/// type.
///
/// # Errors
/// There are too many channels, or the samples in an archive are not `i16`.
pub(crate) fn check_read(sound: &Waveform, in_archive: bool) -> Result<()> {
    let what = match (sound.samples.dtype(), sound.samples.cols()) {
        (_, n) if n > CHANNELS => format!("{n} channels"),
        (dtype, _) if in_archive && dtype != Dtype::I16 => {
            format!("{}-bit samples, not 16-bit ones", 8 * dtype.size())
        }
        _ => return Ok(()),
    };
    Err(Error::unsupported(format!("a wave file of {what}")))
}

/// Checks that Kaldi can read the WAV file made of audio.
///
/// # Errors
/// There are no samples, or too many samples or channels.
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
