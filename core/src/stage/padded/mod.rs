//! Batches of whole utterances, padded to one shape.

mod batch;
mod batching;
mod fill;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

pub use batch::{PaddedBatch, PaddedField, PaddedStore};
pub use batching::PaddedBatching;
pub use fill::PaddedLayout;

use self::batching::Length;
use super::frame_cursor::check_single;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{Limits, Utterance};

/// Joins utterances to [batches](PaddedBatch) of arrays, each utterance at an index of its own: features,
/// labels, audio and text.
///
/// ```
/// use spr_core::Limits;
/// use spr_core::format::Reader;
/// use spr_core::stage::{PaddedBatches, PaddedBatching};
///
/// fn train(reader: Box<dyn Reader>) -> spr_core::Result<()> {
///     let batching = PaddedBatching {
///         frames: Some(20_000),
///         buckets: vec![200.0, 400.0],
///         ..PaddedBatching::default()
///     };
///     let mut batches = PaddedBatches::new(reader, batching, Limits::default())?;
///     while let Some(batch) = batches.next()? {
///         let Some(features) = batch.features else { continue };
///         // Utterance n has `layout.lengths[n]` rows from here on, and then rows of padding.
///         let first = |n: usize| n * features.layout.rows;
///         assert!(features.values.rows() <= 20_000 || batch.keys.len() == 1);
///     }
///     Ok(())
/// }
/// ```
pub struct PaddedBatches {
    inner: Box<dyn Reader>,
    batching: PaddedBatching,
    limits: Limits,
    /// A batch being filled for each bucket.
    bins: Vec<Bin>,
    ready: VecDeque<Vec<Utterance>>,
    /// Utterances of earlier batches, for their allocations.
    spare: Vec<Utterance>,
    is_over: bool,
}

/// A batch being filled.
#[derive(Default)]
struct Bin {
    utterances: Vec<Utterance>,
    longest: Length,
    bytes: u64,
}

impl PaddedBatches {
    /// Creates batches of the utterances of `inner`. Those being filled may not exceed `limits` together,
    /// and no array may.
    ///
    /// # Errors
    /// The parameters are invalid.
    pub fn new(inner: Box<dyn Reader>, batching: PaddedBatching, limits: Limits) -> Result<Self> {
        batching.check()?;
        Ok(Self {
            inner,
            bins: (0..=batching.buckets.len())
                .map(|_| Bin::default())
                .collect(),
            batching,
            limits,
            ready: VecDeque::new(),
            spare: Vec::new(),
            is_over: false,
        })
    }

    /// Returns the next batch, or `None` at the end.
    ///
    /// # Errors
    /// The reader fails, or an utterance does not match those before it in a batch, or has what no batch
    /// holds. If the error [can continue](Error::can_continue), the next call goes on without it.
    #[expect(clippy::should_implement_trait, reason = "it fails")]
    pub fn next(&mut self) -> Result<Option<PaddedBatch>> {
        self.next_in(&mut batch::in_matrix)
    }

    /// Does the same, with arrays in the memory that `store` makes.
    ///
    /// # Errors
    /// As for [`next`](Self::next), or `store` fails.
    pub fn next_in<V>(&mut self, store: &mut PaddedStore<'_, V>) -> Result<Option<PaddedBatch<V>>> {
        let Some(utterances) = self.fill()? else {
            return Ok(None);
        };
        let made = PaddedBatch::stored(&utterances, &self.batching, &self.limits, store);
        self.spare.extend(utterances);
        made.map(Some)
    }

    /// Passes over the next batch. Returns `false` at the end.
    ///
    /// # Errors
    /// As for [`next`](Self::next).
    pub fn skip(&mut self) -> Result<bool> {
        let utterances = self.fill()?;
        let found = utterances.is_some();
        self.spare.extend(utterances.into_iter().flatten());
        Ok(found)
    }

    /// Returns the utterances of the next batch.
    fn fill(&mut self) -> Result<Option<Vec<Utterance>>> {
        loop {
            if let Some(done) = self.ready.pop_front() {
                return Ok(Some(done));
            }
            if self.is_over {
                return Ok(None);
            }
            let mut utt = self.spare.pop().unwrap_or_default();
            match self.inner.read(&mut utt) {
                Ok(true) => self.place(utt)?,
                Ok(false) => self.flush(),
                Err(error) => {
                    if !error.can_continue() {
                        self.is_over = true;
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Adds an utterance to the batch of its bucket, or to a new one.
    fn place(&mut self, utt: Utterance) -> Result<()> {
        let faulty = |e: Error| e.utterance(&utt.key).continuable();
        check_single(&utt).map_err(faulty)?;
        let length = self.batching.length(&utt).map_err(faulty)?;
        let bucket = self.batching.bucket(length);
        let Some(bin) = self.bins.get_mut(bucket) else {
            return Ok(());
        };
        if !self
            .batching
            .has_room(bin.utterances.len(), bin.longest, length)
        {
            self.ready.push_back(bin.take());
        }
        batch::check(&utt, bin.utterances.first()).map_err(faulty)?;
        bin.longest = bin.longest.or(length);
        bin.bytes += utt.bytes();
        bin.utterances.push(utt);
        if self.batching.is_full(bin.utterances.len(), bin.longest) {
            self.ready.push_back(bin.take());
        }
        let held = self.bins.iter().map(|bin| bin.bytes).sum();
        self.limits
            .bytes("the batches being filled", held)
            .map(drop)
    }

    /// Completes all batches being filled.
    fn flush(&mut self) {
        self.is_over = true;
        for bin in &mut self.bins {
            if !bin.utterances.is_empty() && !self.batching.drop_tail {
                self.ready.push_back(bin.take());
            }
        }
    }
}

impl Bin {
    fn take(&mut self) -> Vec<Utterance> {
        std::mem::take(self).utterances
    }
}
