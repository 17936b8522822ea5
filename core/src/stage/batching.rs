//! What a batch is to hold.

use crate::{Error, Result};

/// How large a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchSize {
    /// Exactly so many frames: utterances are cut.
    Frames(usize),
    /// So many whole utterances.
    Utterances(usize),
    /// Whole utterances of so many frames together at most, of one utterance at least.
    WholeFrames(usize),
    /// Whole utterances that take so many rows at most when each is padded to the longest, of one
    /// utterance at least.
    PaddedFrames(usize),
}

/// What a batch is to hold, and what becomes of frames that fill none.
///
/// ```
/// use spr_core::stage::Batching;
/// let like_pdnn = Batching::frames(256).drop_tail();
/// let whole = Batching::padded_frames(20_000).buckets([200, 400, 800]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batching {
    pub(super) size: BatchSize,
    pub(super) drop_tail: bool,
    pub(super) across: bool,
    pub(super) pad: bool,
    pub(super) buckets: Vec<usize>,
}

impl Batching {
    fn new(size: BatchSize) -> Self {
        Self {
            size,
            drop_tail: false,
            across: false,
            pad: matches!(size, BatchSize::PaddedFrames(_)),
            buckets: Vec::new(),
        }
    }

    /// Exactly `n` frames, for which utterances are cut.
    pub fn frames(n: usize) -> Self {
        Self::new(BatchSize::Frames(n))
    }

    /// `n` whole utterances.
    pub fn utterances(n: usize) -> Self {
        Self::new(BatchSize::Utterances(n))
    }

    /// Whole utterances of at most `n` frames together. A longer one is a batch of its own.
    pub fn whole_frames(n: usize) -> Self {
        Self::new(BatchSize::WholeFrames(n))
    }

    /// Whole utterances that are padded, at most `n` rows of them. A longer one is a batch of its own.
    pub fn padded_frames(n: usize) -> Self {
        Self::new(BatchSize::PaddedFrames(n))
    }

    /// Leaves out what fills no batch at the end of the data, or of a partition, as PDNN does, and
    /// does not give it as a smaller batch. Of whole utterances that is what another one could have
    /// joined.
    #[must_use]
    pub fn drop_tail(self) -> Self {
        Self {
            drop_tail: true,
            ..self
        }
    }

    /// Goes on with the next partition in a batch that the one before did not fill.
    #[must_use]
    pub fn across_partitions(self) -> Self {
        Self {
            across: true,
            ..self
        }
    }

    /// Pads whole utterances with zeros to the length of the longest in the batch.
    #[must_use]
    pub fn pad(self) -> Self {
        Self { pad: true, ..self }
    }

    /// Puts utterances of like length together: those of up to so many frames each, and longer ones.
    /// One batch is gathered for each of these.
    #[must_use]
    pub fn buckets(self, up_to: impl IntoIterator<Item = usize>) -> Self {
        Self {
            buckets: up_to.into_iter().collect(),
            ..self
        }
    }

    /// # Errors
    /// It makes no sense.
    pub(super) fn check(&self) -> Result<()> {
        let n = match self.size {
            BatchSize::Frames(n)
            | BatchSize::Utterances(n)
            | BatchSize::WholeFrames(n)
            | BatchSize::PaddedFrames(n) => n,
        };
        if n == 0 {
            return Err(Error::usage("a batch of nothing").hint("the least size is 1"));
        }
        if let (BatchSize::Frames(_), true) = (self.size, self.pad || !self.buckets.is_empty()) {
            let message = "only whole utterances have lengths to pad them or to sort them by";
            return Err(Error::usage(message));
        }
        let upwards = self.buckets.windows(2).all(|pair| pair[0] < pair[1]);
        if !upwards || self.buckets.first() == Some(&0) {
            return Err(Error::usage(
                "the lengths that separate buckets must ascend, from 1",
            ));
        }
        Ok(())
    }

    /// Whether utterances stay whole.
    pub(super) fn is_whole(&self) -> bool {
        !matches!(self.size, BatchSize::Frames(_))
    }

    /// The bucket of an utterance of so many frames.
    pub(super) fn bucket(&self, frames: usize) -> usize {
        self.buckets.partition_point(|most| *most < frames)
    }
}
