//! Audio that a page can play.

use spr_core::model::{Dtype, Waveform};
use spr_core::{Limits, Result};

/// The length of a WAV header in bytes.
const HEAD: u64 = 44;

/// The audio of an utterance as a WAV file of 16-bit samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clip {
    /// The file.
    Wav(Vec<u8>),
    /// The size of a file that exceeds the limit.
    TooLarge(u64),
}

impl Clip {
    /// Returns the clip of `sound` if it has at most `most` bytes, or `None` if there are no
    /// samples.
    ///
    /// # Errors
    /// A boolean sample is neither 0 nor 1.
    pub(super) fn of(sound: &Waveform, most: u64) -> Result<Option<Self>> {
        let samples = &sound.samples;
        let channels = u16::try_from(samples.cols()).ok().filter(|n| *n > 0);
        let (Some(channels), true) = (channels, sound.rate > 0 && samples.rows() > 0) else {
            return Ok(None);
        };
        let length = 2 * samples.len() as u64;
        let Some(size) = u32::try_from(length).ok().filter(|_| length + HEAD <= most) else {
            return Ok(Some(Self::TooLarge(length + HEAD)));
        };
        let mut sound = sound.clone();
        sound.cast(Dtype::I16, &Limits::NONE)?;
        let frame = 2 * channels;
        let mut wav = b"RIFF".to_vec();
        wav.extend(size.saturating_add(36).to_le_bytes());
        wav.extend(b"WAVEfmt \x10\0\0\0\x01\0");
        wav.extend(channels.to_le_bytes());
        wav.extend(sound.rate.to_le_bytes());
        wav.extend(sound.rate.saturating_mul(u32::from(frame)).to_le_bytes());
        wav.extend(frame.to_le_bytes());
        wav.extend(b"\x10\0data");
        wav.extend(size.to_le_bytes());
        wav.extend(
            sound
                .samples
                .values::<i16>()?
                .iter()
                .flat_map(|v| v.to_le_bytes()),
        );
        Ok(Some(Self::Wav(wav)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::{Matrix, Rank};

    #[test]
    fn large_sound_is_left_out_and_told() {
        let sound = Waveform {
            rate: 8000,
            samples: Matrix::from_rows(&[0.5f32, -1.0, 0.0, 0.25], 2, Rank::Matrix).unwrap(),
        };
        let Some(Clip::Wav(wav)) = Clip::of(&sound, 52).unwrap() else {
            panic!("a clip")
        };
        assert_eq!(
            (wav.len(), &wav[..4], &wav[22..24]),
            (52, &b"RIFF"[..], &[2u8, 0][..])
        );
        assert_eq!(&wav[44..48], [0, 0x40, 0, 0x80]);
        assert_eq!(Clip::of(&sound, 51).unwrap(), Some(Clip::TooLarge(52)));
        assert_eq!(Clip::of(&Waveform::default(), 99).unwrap(), None);
    }
}
