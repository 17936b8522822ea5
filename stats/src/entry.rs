//! What an utterance is, in a line.

use spr_core::model::{Audio, Key, Utterance};

use super::{Level, seconds};

/// One entry of a data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub key: Key,
    /// What it holds: `features`, `labels`, `audio`, `arrays`, …
    pub kinds: Vec<String>,
    /// Frames; of audio alone, samples, where that is known.
    pub frames: u64,
    /// Columns of the features, else of the labels, else channels of the audio.
    pub dim: Option<u64>,
    /// The type of what `dim` counts.
    pub dtype: Option<&'static str>,
    /// Where it starts in its file, in bytes, where that is known.
    pub offset: Option<u64>,
    /// Samples a second of its sound.
    pub rate: Option<u32>,
    /// How loud its sound is, where samples are here.
    pub level: Option<Level>,
    /// How long it lasts, where its sound says so or there is a frame shift.
    pub seconds: Option<f64>,
}

impl Entry {
    /// The entry that `utt` is, just read.
    pub fn of(utt: &Utterance) -> Self {
        let features = utt.features.iter().map(|_| "features");
        let labels = utt.labels.iter().map(|_| "labels");
        let samples = || utt.waveform().map(|sound| &sound.samples);
        let main = utt.features.as_ref().or(utt.labels.as_ref());
        let sound = utt.audio.as_ref().filter(|_| main.is_none());
        let facts = sound.map(Audio::facts).unwrap_or_default();
        let cols = main.map(|matrix| matrix.cols() as u64);
        Self {
            key: utt.key.clone(),
            kinds: (features.chain(labels).chain(utt.others()))
                .map(str::to_owned)
                .collect(),
            frames: facts.samples.unwrap_or(utt.frames()),
            dim: cols.or(facts.channels.map(u64::from)),
            dtype: main.or_else(samples).map(|matrix| matrix.dtype().name()),
            offset: utt.origin.byte(),
            rate: utt.audio.as_ref().and_then(|audio| audio.facts().rate),
            level: utt.waveform().and_then(|sound| Level::of(sound).ok()),
            seconds: seconds(utt),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::bytes::Locator;
    use spr_core::model::{AudioFacts, AudioReference, Decimal, NamedArray, Position};

    #[test]
    fn sound_that_is_elsewhere_is_told_as_far_as_known() {
        let mut place = AudioReference::new(Locator::file("a.wav"));
        place.start = Decimal::parse("0.5");
        place.end = Decimal::parse("2");
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
        place.facts = AudioFacts {
            rate: Some(8000),
            channels: Some(2),
            samples: Some(4000),
            duration: None,
        };
        utt.audio = Some(Audio::Reference(place));
        let entry = Entry::of(&utt);
        assert_eq!((entry.frames, entry.dim), (4000, Some(2)));
        assert_eq!(entry.seconds, Some(0.5));
    }
}
