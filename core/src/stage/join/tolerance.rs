//! Tolerance for a different number of labels.

use crate::error::Error;
use crate::model::{Matrix, Utterance};

/// The accepted difference between the numbers of frames and labels, and the actual ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tolerance {
    /// The accepted difference in frames.
    pub(super) most: u64,
    /// The number of utterances that were cut.
    cut: u64,
    /// The largest number of frames cut from one.
    largest: u64,
}

impl Tolerance {
    pub(super) fn of(most: u64) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// Cuts features or labels to the length of the shorter, if the difference is accepted. Returns
    /// `true` if their lengths are then equal.
    pub(super) fn fit(&mut self, utt: &mut Utterance) -> bool {
        let (Some(features), Some(labels)) = (&mut utt.features, &mut utt.labels) else {
            return true;
        };
        let [frames, there] = [features.rows(), labels.rows()];
        let apart = frames.abs_diff(there) as u64;
        if apart > self.most {
            return false;
        }
        if apart > 0 {
            let longer: &mut Matrix = match frames > there {
                true => features,
                false => labels,
            };
            longer.retain_rows(|row| row < frames.min(there));
            self.cut += 1;
            self.largest = self.largest.max(apart);
        }
        true
    }

    /// Returns the warning about cut utterances, if there are any.
    pub(super) fn told(&self) -> Option<Error> {
        let utterances = match self.cut {
            0 => return None,
            1 => "1 utterance".to_owned(),
            n => format!("{n} utterances"),
        };
        let frames = match self.largest {
            1 => "1 frame".to_owned(),
            n => format!("up to {n} frames"),
        };
        let message = format!("{frames} too many or too few for {utterances}: the longer was cut");
        Some(Error::unfit(message))
    }
}
