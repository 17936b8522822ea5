//! Labels for a few frames more or fewer than there are.

use crate::Error;
use crate::model::{Matrix, Utterance};

/// How far the numbers of frames and labels may be apart, and how far they were.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tolerance {
    /// Frames.
    pub(super) most: u64,
    /// Utterances that were cut.
    cut: u64,
    /// The most frames that were cut from one.
    largest: u64,
}

impl Tolerance {
    pub(super) fn of(most: u64) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// Cuts features or labels, whichever are longer, to the length of the other if that is near
    /// enough; says whether they are of the same length then.
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

    /// What was cut, if anything was.
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
