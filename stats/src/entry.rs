//! What an utterance is, in a line.

use spr_core::model::{DatasetInfo, Key, Utterance};

use super::seconds;

/// One entry of a data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub key: Key,
    /// What it holds: `features`, `labels`, `audio`, …
    pub kinds: Vec<&'static str>,
    /// Frames; of audio alone, samples.
    pub frames: u64,
    /// Columns of the features, else of the labels, else channels of the audio.
    pub dim: Option<u64>,
    /// The type of what `dim` counts.
    pub dtype: Option<&'static str>,
    /// Where it starts in its file, in bytes, where that is known.
    pub offset: Option<u64>,
    /// How long it lasts, where there is a sampling rate or a frame shift.
    pub seconds: Option<f64>,
}

impl Entry {
    /// The entry that `utt` is, just read by a reader that knows `info`.
    pub fn of(utt: &Utterance, info: &DatasetInfo) -> Self {
        let features = utt.features.iter().map(|_| "features");
        let labels = utt.labels.iter().map(|_| "labels");
        let samples = utt.audio.as_ref().map(|audio| &audio.samples);
        let main = utt.features.as_ref().or(utt.labels.as_ref()).or(samples);
        Self {
            key: utt.key.clone(),
            kinds: features.chain(labels).chain(utt.others()).collect(),
            frames: main.map_or(utt.frames(), |m| m.rows() as u64),
            dim: main.map(|m| m.cols() as u64),
            dtype: main.map(|m| m.dtype().name()),
            offset: info.offset,
            seconds: seconds(utt),
        }
    }
}
