//! The size and composition of batches.

use crate::error::{Error, Result};

/// The size of a batch.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchSize {
    /// An exact number of frames, for which utterances are cut.
    Frames(usize),
    /// A number of whole utterances.
    Utterances(usize),
    /// Whole utterances with at most this number of frames, but at least one utterance.
    WholeFrames(usize),
    /// Whole utterances with at most this number of rows when padded to the longest, but at least
    /// one utterance.
    PaddedFrames(usize),
}

/// The size and composition of batches, and the treatment of incomplete ones.
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

    /// Creates batches of exactly `n` frames, for which utterances are cut.
    pub fn frames(n: usize) -> Self {
        Self::new(BatchSize::Frames(n))
    }

    /// Creates batches of `n` whole utterances.
    pub fn utterances(n: usize) -> Self {
        Self::new(BatchSize::Utterances(n))
    }

    /// Creates batches of whole utterances with at most `n` frames. A longer utterance is a
    /// separate batch.
    pub fn whole_frames(n: usize) -> Self {
        Self::new(BatchSize::WholeFrames(n))
    }

    /// Creates batches of padded whole utterances with at most `n` rows. A longer utterance is a
    /// separate batch.
    pub fn padded_frames(n: usize) -> Self {
        Self::new(BatchSize::PaddedFrames(n))
    }

    /// Drops an incomplete batch at the end of the data, or of a partition, as PDNN does. A batch
    /// of whole utterances is incomplete if another one would have fitted.
    #[must_use]
    pub fn drop_tail(self) -> Self {
        Self {
            drop_tail: true,
            ..self
        }
    }

    /// Fills a batch with frames of the next partition.
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

    /// Groups utterances of similar length: those of up to each of these numbers of frames, and
    /// longer ones. One batch is filled for each group.
    #[must_use]
    pub fn buckets(self, up_to: impl IntoIterator<Item = usize>) -> Self {
        Self {
            buckets: up_to.into_iter().collect(),
            ..self
        }
    }

    /// # Errors
    /// The parameters are invalid.
    pub fn check(&self) -> Result<()> {
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

    /// Returns `true` if utterances stay whole.
    pub(super) fn is_whole(&self) -> bool {
        !matches!(self.size, BatchSize::Frames(_))
    }

    /// Returns the bucket of an utterance of `frames` frames.
    pub(super) fn bucket(&self, frames: usize) -> usize {
        self.buckets.partition_point(|most| *most < frames)
    }
}
