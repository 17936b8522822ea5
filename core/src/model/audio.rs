//! Audio: samples, encoded bytes, or a reference.

use serde::{Deserialize, Serialize};

use super::recording::{AudioFacts, RecordingFacts, Span};
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
    pub fn facts(&self) -> AudioFacts {
        match self {
            Self::Samples(sound) => sound.facts().whole(),
            Self::Encoded(encoded) => encoded.facts.whole(),
            Self::Reference(reference) => reference.facts(),
        }
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
    pub facts: RecordingFacts,
}

/// A reference to audio: a whole recording, or a span of one.
///
/// Two are equal if they name the same audio, whatever the shortest span that is loaded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AudioReference {
    /// The location of the recording. A command is text; it runs only when the audio is loaded, and
    /// only if commands in files are allowed.
    pub at: Locator,
    /// The size in bytes from the position of [`Locator::FileAt`] on, if it is a member of a larger
    /// file.
    pub len: Option<u64>,
    /// The part of the recording that is meant.
    pub span: Span,
    /// The selected channel, counted from 0; `None` for all.
    pub channel: Option<u32>,
    /// The shortest span that is loaded, in seconds, if the format sets such a limit.
    pub shortest: Option<Decimal>,
    /// The known facts about the recording.
    pub recording: RecordingFacts,
    /// The duration of the utterance in seconds as the data set states it, if it does.
    pub duration: Option<Decimal>,
}

impl PartialEq for AudioReference {
    fn eq(&self, other: &Self) -> bool {
        let place = |own: &Self| (own.len, own.span.bounds(), own.channel, own.facts());
        let recording = |own: &Self| own.span.bounds().map(|_| own.recording);
        self.at == other.at && place(self) == place(other) && recording(self) == recording(other)
    }
}

impl AudioReference {
    /// Creates a reference to a whole recording without facts.
    pub fn new(at: Locator) -> Self {
        Self {
            at,
            len: None,
            span: Span::Whole,
            channel: None,
            shortest: None,
            recording: RecordingFacts::default(),
            duration: None,
        }
    }

    /// Returns the facts about the audio that is meant, without opening anything.
    pub fn facts(&self) -> AudioFacts {
        let facts = self.recording.of_span(self.span).stated(self.duration);
        match self.channel {
            Some(_) => facts.of_one_channel(),
            None => facts,
        }
    }
}
