//! Sound as Kaldi's holder of waves takes it.

use spr_core::format::{AudioCaps, Options};
use spr_core::model::{Dtype, Waveform};
use spr_core::{Error, Result};

use crate::nested;

/// How an archive keeps sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SoundForm {
    /// As Kaldi has it.
    Kaldi,
    /// As a file of this format behind its size.
    Sized(&'static str),
}

const FLAC: &str = "flac";

impl SoundForm {
    /// What the options ask for.
    ///
    /// # Errors
    /// The option is wrong.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let all = [
            ("kaldi", Self::Kaldi),
            (FLAC, Self::Sized(FLAC)),
            (nested::WAV, Self::Sized(nested::WAV)),
        ];
        Ok(options.choice("audio", &all)?.unwrap_or(Self::Kaldi))
    }

    /// The format of the files.
    pub(crate) fn format(self) -> &'static str {
        match self {
            Self::Kaldi => nested::WAV,
            Self::Sized(format) => format,
        }
    }

    /// What can be kept.
    pub(crate) fn caps(self) -> AudioCaps {
        let (dtypes, files): (&[Dtype], &[&str]) = match self {
            Self::Kaldi => (&[Dtype::I16], &[]),
            Self::Sized(FLAC) => (&[Dtype::I16, Dtype::U8, Dtype::I32], &[FLAC]),
            Self::Sized(_) => (
                &[Dtype::I16, Dtype::U8, Dtype::I32, Dtype::F32, Dtype::F64],
                &[nested::WAV],
            ),
        };
        let mut caps = AudioCaps::samples(dtypes);
        caps.encoded = files;
        caps
    }
}

/// The most channels.
const CHANNELS: usize = 255;
/// As many bytes of samples would be taken for a stream without a size.
const ENDLESS: usize = 0x7fff_f000;

/// Checks that Kaldi would read sound of so many channels and, in an archive, of samples of this
/// type.
///
/// # Errors
/// There are too many, or in an archive samples of another type than `i16`.
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
