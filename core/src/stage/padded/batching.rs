//! The size and composition of padded batches.

use crate::error::{Error, Remedy, Result};
use crate::model::Utterance;

/// The size and composition of padded batches, and the values of padding. A batch ends where another
/// utterance would exceed one of the sizes given; one that exceeds it alone is a batch of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaddedBatching {
    /// The largest number of utterances.
    pub utterances: Option<usize>,
    /// The largest number of frames, counted with padding.
    pub frames: Option<usize>,
    /// The largest duration in seconds, counted with padding.
    pub seconds: Option<f64>,
    /// Groups utterances of similar length: those of up to each of these seconds, or frames if no
    /// duration is given, and longer ones. One batch is filled for each group.
    pub buckets: Vec<f64>,
    /// Whether incomplete batches at the end are left out.
    pub drop_tail: bool,
    /// The padding of features. Audio is padded with silence.
    pub padding: f64,
    /// The padding of labels.
    pub label_padding: i64,
}

/// The length of an utterance, as far as the batching asks for it.
#[derive(Clone, Copy, Default)]
pub(super) struct Length {
    frames: usize,
    seconds: f64,
}

impl Length {
    /// The larger of both.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            frames: self.frames.max(other.frames),
            seconds: self.seconds.max(other.seconds),
        }
    }
}

impl PaddedBatching {
    /// # Errors
    /// No size is given, or one is 0, or the lengths of buckets do not ascend.
    pub fn check(&self) -> Result<()> {
        if self.utterances.is_none() && self.frames.is_none() && self.seconds.is_none() {
            return Err(Error::usage(
                "a batch needs a size: utterances, frames or seconds",
            ));
        }
        let nothing = self.utterances == Some(0) || self.frames == Some(0);
        if nothing || self.seconds.is_some_and(|n| !n.is_finite() || n <= 0.0) {
            return Err(Error::usage("a batch of nothing").hint("sizes are above 0"));
        }
        let ascend = self.buckets.windows(2).all(|pair| pair[0] < pair[1]);
        let sound = self.buckets.iter().all(|n| n.is_finite() && *n > 0.0);
        match ascend && sound {
            true => Ok(()),
            false => Err(Error::usage(
                "the lengths that separate buckets must ascend, from above 0",
            )),
        }
    }

    /// Returns the length of an utterance.
    ///
    /// # Errors
    /// It has no frames or no known duration, where these are asked for.
    pub(super) fn length(&self, utt: &Utterance) -> Result<Length> {
        let in_frames =
            self.frames.is_some() || (self.seconds.is_none() && !self.buckets.is_empty());
        let mut length = Length::default();
        if in_frames {
            let Some(matrix) = utt.features.as_ref().or(utt.labels.as_ref()) else {
                let error = Error::unfit("has no frames, which a batch is measured by");
                return Err(error.hint("sizes in utterances or seconds fit sound"));
            };
            length.frames = matrix.rows();
        }
        if self.seconds.is_some() {
            length.seconds = seconds(utt)?;
        }
        Ok(length)
    }

    /// Returns the number of the bucket for utterances of a length.
    pub(super) fn bucket(&self, length: Length) -> usize {
        let length = match self.seconds {
            Some(_) => length.seconds,
            None => float(length.frames),
        };
        self.buckets.partition_point(|most| *most < length)
    }

    /// Returns `true` if an utterance of a length fits beside `count` others.
    pub(super) fn has_room(&self, count: usize, longest: Length, length: Length) -> bool {
        let longest = longest.or(length);
        count == 0
            || (self.utterances.is_none_or(|most| count < most)
                && self
                    .frames
                    .is_none_or(|most| longest.frames.saturating_mul(count + 1) <= most)
                && self
                    .seconds
                    .is_none_or(|most| longest.seconds * float(count + 1) <= most))
    }

    /// Returns `true` if no other utterance fits beside `count`, however short it is.
    pub(super) fn is_full(&self, count: usize, longest: Length) -> bool {
        !self.has_room(count, longest, Length::default())
    }
}

/// Returns the duration of an utterance in seconds.
fn seconds(utt: &Utterance) -> Result<f64> {
    let unknown = || {
        let message = "has neither sound nor a frame shift, so that its duration is unknown";
        Error::unfit(message).suggest(Remedy::TellFrameShift)
    };
    Ok(utt.duration(None).ok_or_else(unknown)?.value())
}

#[expect(clippy::cast_precision_loss, reason = "nothing in memory is that long")]
fn float(n: usize) -> f64 {
    n as f64
}
