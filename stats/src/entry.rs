//! The facts of an utterance, as `ls` lists them.

use std::cmp::Ordering;

use spr_core::model::{Audio, Decimal, Key, Level, Utterance};

/// The description of one utterance of a data set.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name.
    pub key: Key,
    /// The kinds of data: `features`, `labels`, `audio`, `arrays`, …
    pub kinds: Vec<String>,
    /// The number of frames; of audio alone, the number of samples, if known.
    pub frames: u64,
    /// Columns of the features, else of the labels, else channels of the audio.
    pub dim: Option<u64>,
    /// The type of the numbers in these columns or channels.
    pub dtype: Option<&'static str>,
    /// The byte at which it starts in its file, where that is known.
    pub offset: Option<u64>,
    /// The sampling rate of its sound.
    pub rate: Option<u32>,
    /// The loudness of its sound, where samples are here.
    pub level: Option<Level>,
    /// The duration, where its sound says so or there is a frame shift.
    pub seconds: Option<f64>,
}

/// Returns the kinds of data that an utterance holds.
pub(crate) fn kinds(utt: &Utterance) -> impl Iterator<Item = &str> {
    let features = utt.features.iter().map(|_| "features");
    let labels = utt.labels.iter().map(|_| "labels");
    features.chain(labels).chain(utt.others())
}

/// Returns the loudness of an utterance's sound, where samples are here or were measured.
pub(crate) fn level(utt: &Utterance) -> Option<Level> {
    match utt.audio.as_ref()? {
        Audio::Samples(sound) => Level::of(sound).ok(),
        _ => utt.level.as_deref().cloned(),
    }
}

impl Entry {
    /// Takes the facts from an utterance that was just read.
    pub fn of(utt: &Utterance) -> Self {
        let seconds = utt.duration(None).map(Decimal::value);
        Self::with(utt, seconds, level(utt))
    }

    /// Compares the lengths of two utterances, in seconds if both are known, as sound may have several
    /// rates.
    pub fn compare_length(&self, other: &Self) -> Ordering {
        match (self.seconds, other.seconds) {
            (Some(own), Some(other)) => own.total_cmp(&other),
            _ => self.frames.cmp(&other.frames),
        }
    }

    /// Takes the facts from an utterance with this duration and loudness.
    pub(crate) fn with(utt: &Utterance, seconds: Option<f64>, level: Option<Level>) -> Self {
        let samples = || utt.waveform().map(|sound| &sound.samples);
        let main = utt.features.as_ref().or(utt.labels.as_ref());
        let sound = utt.audio.as_ref().filter(|_| main.is_none());
        let facts = sound.map(Audio::facts).unwrap_or_default();
        let cols = main.map(|matrix| matrix.cols() as u64);
        Self {
            key: utt.key.clone(),
            kinds: kinds(utt).map(str::to_owned).collect(),
            frames: facts.samples().unwrap_or(utt.frames()),
            dim: cols.or(facts.channels().map(u64::from)),
            dtype: main.or_else(samples).map(|matrix| matrix.dtype().name()),
            offset: utt.origin.byte(),
            rate: utt.audio.as_ref().and_then(|audio| audio.facts().rate()),
            level,
            seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::bytes::Locator;
    use spr_core::model::{AudioReference, Decimal, NamedArray, Position, RecordingFacts, Span};

    #[test]
    fn sound_that_is_elsewhere_is_told_as_far_as_known() {
        let mut place = AudioReference::new(Locator::file("a.wav"));
        place.span = Span::new(Decimal::parse("0.5"), Decimal::parse("2"));
        let mut utt = Utterance {
            audio: Some(Audio::Reference(place.clone())),
            arrays: vec![NamedArray::default()],
            ..Utterance::default()
        };
        utt.origin.at = Some(Position::Byte(7));
        let entry = Entry::of(&utt);
        assert_eq!(entry.kinds, ["audio", "arrays"]);
        assert_eq!((entry.frames, entry.dim, entry.dtype), (0, None, None));
        assert_eq!((entry.offset, entry.seconds), (Some(7), Some(1.5)));
        place.recording = RecordingFacts {
            rate: Some(8000),
            channels: Some(2),
            samples: Some(40_000),
            duration: None,
        };
        utt.audio = Some(Audio::Reference(place));
        let entry = Entry::of(&utt);
        assert_eq!((entry.frames, entry.dim), (12_000, Some(2)));
        assert_eq!(entry.seconds, Some(1.5));
    }
}
