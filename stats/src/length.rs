//! The lengths of utterances.

use std::collections::BTreeMap;

use serde::Serialize;

/// The lengths of utterances, in frames.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lengths {
    /// The shortest length.
    pub min: u64,
    /// The mean.
    pub mean: f64,
    /// The median. Half of the utterances are no longer.
    pub median: u64,
    /// The longest length.
    pub max: u64,
}

/// The numbers of utterances by their lengths.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct LengthCounts {
    /// The numbers of utterances by frames.
    pub frames: BTreeMap<u64, u64>,
    /// The numbers of utterances with sound by hundredths of a second.
    pub hundredths: BTreeMap<u64, u64>,
}

impl LengthCounts {
    /// Counts one more utterance: its frames, and the seconds of its sound.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from float to integer saturates"
    )]
    pub(crate) fn add(&mut self, frames: u64, seconds: Option<f64>) {
        *self.frames.entry(frames).or_default() += 1;
        if let Some(seconds) = seconds {
            let hundredths = (seconds * 100.0).round() as u64;
            *self.hundredths.entry(hundredths).or_default() += 1;
        }
    }

    /// Returns the median number of frames of `utterances` utterances, or `None` if there are none.
    pub(crate) fn median(&self, utterances: u64) -> Option<u64> {
        let mut seen = 0;
        let median = self.frames.iter().find(|(_, count)| {
            seen += **count;
            seen * 2 >= utterances
        });
        median.map(|(frames, _)| *frames)
    }
}
