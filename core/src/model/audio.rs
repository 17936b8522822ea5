//! Sound: samples, or encoded bytes, or where it is to be found.

use serde::{Deserialize, Serialize};

use super::{Decimal, Waveform};
use crate::bytes::Locator;

/// The sound of an utterance, as far as anybody has looked at it.
///
/// Readers of manifests and data directories say where it is, containers hand on its bytes;
/// [`Request`](crate::format::Request) and [`LoadAudio`](crate::stage::LoadAudio) make samples of
/// both for whoever needs them.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Audio {
    /// Samples.
    Samples(Waveform),
    /// A whole sound file as it is stored.
    Encoded(EncodedAudio),
    /// A place from which it can be loaded.
    Reference(AudioReference),
}

impl Default for Audio {
    /// No samples.
    fn default() -> Self {
        Self::Samples(Waveform::default())
    }
}

impl From<Waveform> for Audio {
    fn from(samples: Waveform) -> Self {
        Self::Samples(samples)
    }
}

impl Audio {
    /// The samples, if they are here.
    pub fn waveform(&self) -> Option<&Waveform> {
        match self {
            Self::Samples(samples) => Some(samples),
            Self::Encoded(_) | Self::Reference(_) => None,
        }
    }

    /// The samples to change, if they are here.
    pub fn waveform_mut(&mut self) -> Option<&mut Waveform> {
        match self {
            Self::Samples(samples) => Some(samples),
            Self::Encoded(_) | Self::Reference(_) => None,
        }
    }

    /// The samples, or an allocation for some.
    pub fn into_waveform(self) -> Waveform {
        match self {
            Self::Samples(samples) => samples,
            Self::Encoded(_) | Self::Reference(_) => Waveform::default(),
        }
    }

    /// What is known without decoding or opening anything.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no sound has more channels"
    )]
    pub fn facts(&self) -> AudioFacts {
        match self {
            Self::Samples(sound) => AudioFacts {
                rate: Some(sound.rate),
                channels: Some(sound.samples.cols() as u32),
                samples: Some(sound.samples.rows() as u64),
                duration: None,
            },
            Self::Encoded(encoded) => encoded.facts,
            Self::Reference(reference) => reference.facts,
        }
    }
}

/// What a header says of sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AudioFacts {
    /// Samples a second.
    pub rate: Option<u32>,
    /// Channels.
    pub channels: Option<u32>,
    /// Samples in each channel.
    pub samples: Option<u64>,
    /// Seconds, as a file tells them that does not count samples; they may be rounded.
    pub duration: Option<Decimal>,
}

impl AudioFacts {
    /// Seconds, where rate and samples are known, or else as they are told.
    pub fn seconds(&self) -> Option<f64> {
        self.counted().or(self.duration.map(Decimal::value))
    }

    /// Seconds as a decimal: exact where they have an end of digits.
    pub fn time(&self) -> Option<Decimal> {
        let exact = || Decimal::of_sample(self.samples?, self.rate?);
        let counted = exact().or_else(|| Decimal::of(self.counted()?));
        counted.or(self.duration)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a duration needs no more digits"
    )]
    fn counted(&self) -> Option<f64> {
        let rate = self.rate.filter(|rate| *rate > 0)?;
        Some(self.samples? as f64 / f64::from(rate))
    }
}

/// A whole sound file in memory, so that it passes from container to container untouched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EncodedAudio {
    /// The name of the format that reads the bytes, such as `wav`.
    pub format: String,
    /// All bytes of the file.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    /// What its header says.
    pub facts: AudioFacts,
}

/// Sound that is somewhere else: all of it, or a stretch of a recording.
///
/// Two are equal if they name the same sound, whatever would be too short to be loaded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AudioReference {
    /// Where the recording is. A command is handed on as text; it runs only when the sound is
    /// loaded, and only where commands in files are allowed.
    pub at: Locator,
    /// Bytes of the file, from [`Locator::FileAt`]'s on, where it is a member of a larger one.
    pub len: Option<u64>,
    /// Seconds from the start of the recording to the start of the stretch.
    pub start: Option<Decimal>,
    /// Seconds from the start of the recording to the end of the stretch; `None`: to its end.
    pub end: Option<Decimal>,
    /// The one channel that is meant, counted from 0; `None`: all.
    pub channel: Option<u32>,
    /// Seconds of the shortest stretch that is loaded, where the format sets such a bound.
    pub shortest: Option<Decimal>,
    /// What is known of the stretch.
    pub facts: AudioFacts,
    /// What is known of the whole recording, where a stretch of it is meant.
    pub whole: AudioFacts,
}

impl PartialEq for AudioReference {
    fn eq(&self, other: &Self) -> bool {
        let all = |a: &Self| (a.len, a.start, a.end, a.channel, a.facts, a.whole);
        self.at == other.at && all(self) == all(other)
    }
}

impl AudioReference {
    /// All of a recording, of which nothing else is known.
    pub fn new(at: Locator) -> Self {
        Self {
            at,
            len: None,
            start: None,
            end: None,
            channel: None,
            shortest: None,
            facts: AudioFacts::default(),
            whole: AudioFacts::default(),
        }
    }

    /// Whether only some time of the recording is meant.
    pub fn is_stretch(&self) -> bool {
        self.start.is_some() || self.end.is_some()
    }

    /// Seconds that the stretch lasts, where that is known without opening anything.
    pub fn time(&self) -> Option<Decimal> {
        let start = self.start.unwrap_or(Decimal::ZERO);
        let between = self.end.and_then(|end| end.minus(start));
        self.facts.time().or(between)
    }
}
