//! Audio: samples, encoded bytes, or a reference.

use serde::{Deserialize, Serialize};

use super::{Decimal, Waveform};
use crate::name::Locator;

/// The audio of an utterance, in the form in which it was read.
///
/// Readers of manifests and data directories return references, containers return encoded bytes.
/// [`Request`](crate::format::Request) and [`samples`](crate::stage::ReaderExt::samples) convert both to
/// samples.
///
/// ```
/// use spr_core::model::{Audio, Matrix, Rank, Waveform};
///
/// let samples = Matrix::from_rows(&[0i16; 8000], 1, Rank::Matrix)?;
/// let sound = Audio::from(Waveform { rate: 16_000, samples });
/// assert_eq!(sound.facts().seconds(), Some(0.5));
/// # Ok::<(), spr_core::Error>(())
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Audio {
    /// Samples.
    Samples(Waveform),
    /// A whole audio file as stored.
    Encoded(EncodedAudio),
    /// A reference from which it can be loaded.
    Reference(AudioReference),
}

impl Default for Audio {
    /// Returns empty samples.
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
    /// Returns the samples, if they are loaded.
    pub fn waveform(&self) -> Option<&Waveform> {
        match self {
            Self::Samples(samples) => Some(samples),
            Self::Encoded(_) | Self::Reference(_) => None,
        }
    }

    /// Returns the samples for modification, if they are loaded.
    pub fn waveform_mut(&mut self) -> Option<&mut Waveform> {
        match self {
            Self::Samples(samples) => Some(samples),
            Self::Encoded(_) | Self::Reference(_) => None,
        }
    }

    /// Returns the samples, or empty ones.
    pub fn into_waveform(self) -> Waveform {
        match self {
            Self::Samples(samples) => samples,
            Self::Encoded(_) | Self::Reference(_) => Waveform::default(),
        }
    }

    /// Returns the reference, if it is one.
    pub fn reference(&self) -> Option<&AudioReference> {
        match self {
            Self::Reference(reference) => Some(reference),
            Self::Samples(_) | Self::Encoded(_) => None,
        }
    }

    /// Returns the facts that are known without decoding or opening anything.
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

/// The facts about audio in a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AudioFacts {
    /// The sampling rate in Hz.
    pub rate: Option<u32>,
    /// The number of channels.
    pub channels: Option<u32>,
    /// The number of samples per channel.
    pub samples: Option<u64>,
    /// The duration in seconds in files that do not count samples, which may be rounded.
    pub duration: Option<Decimal>,
}

impl AudioFacts {
    /// Returns the duration in seconds, from rate and samples if they are known, otherwise as
    /// declared.
    pub fn seconds(&self) -> Option<f64> {
        self.counted().or(self.duration.map(Decimal::value))
    }

    /// Returns the duration in seconds as a decimal, exact if that is possible.
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

/// A whole audio file in memory, which can be copied between containers unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EncodedAudio {
    /// The name of the format that reads the bytes, such as `wav`.
    pub format: String,
    /// All bytes of the file.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    /// The facts in its header.
    pub facts: AudioFacts,
}

/// A reference to audio: a whole recording, or a segment of one.
///
/// Two are equal if they name the same audio, whatever their shortest length and what is made of a
/// recording that is longer than it is said to be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AudioReference {
    /// The location of the recording. A command is text; it runs only when the audio is loaded, and
    /// only if commands in files are allowed.
    pub at: Locator,
    /// The size in bytes from the position of [`Locator::FileAt`] on, if it is a member of a larger
    /// file.
    pub len: Option<u64>,
    /// The start of the segment in seconds.
    pub start: Option<Decimal>,
    /// The end of the segment in seconds; `None` for the end of the recording.
    pub end: Option<Decimal>,
    /// The selected channel, counted from 0; `None` for all.
    pub channel: Option<u32>,
    /// The shortest segment that is loaded, in seconds, if the format sets such a limit.
    pub shortest: Option<Decimal>,
    /// The facts about the segment.
    pub facts: AudioFacts,
    /// The facts about the whole recording, if this is a segment.
    pub whole: AudioFacts,
    /// Whether only the first seconds of a longer recording are meant, as many as the duration in
    /// `facts`.
    pub first_seconds: bool,
}

impl PartialEq for AudioReference {
    fn eq(&self, other: &Self) -> bool {
        let all = |a: &Self| (a.len, a.start, a.end, a.channel, a.facts, a.whole);
        self.at == other.at && all(self) == all(other)
    }
}

impl AudioReference {
    /// Creates a reference to a whole recording without facts.
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
            first_seconds: false,
        }
    }

    /// Returns `true` if it is a segment of the recording.
    pub fn is_stretch(&self) -> bool {
        self.start.is_some() || self.end.is_some()
    }

    /// Returns what is said of the whole recording.
    pub(crate) fn recording(&self) -> AudioFacts {
        match self.is_stretch() {
            true => AudioFacts {
                rate: self.facts.rate.or(self.whole.rate),
                ..self.whole
            },
            false => self.facts,
        }
    }

    /// Returns the duration of the segment in seconds, if it is known without opening anything.
    pub fn time(&self) -> Option<Decimal> {
        let start = self.start.unwrap_or(Decimal::ZERO);
        let between = self.end.and_then(|end| end.minus(start));
        self.facts.time().or(between)
    }
}
