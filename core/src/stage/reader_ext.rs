//! Stages as methods of readers.

use std::sync::Arc;

use super::Ranges;
use super::{
    Batch, Batching, By, Context, Filter, IgnoreLabels, LabelMap, LabelSet, LoadAudio, Map,
    MapLabels, Partition, PartitionSize, Peek, Prefetch, SelectColumns, SelectFrames, SelectKeys,
    SelectParts, ShapeCheck, Shard, Shuffle, ShuffleBuffer, Sort, Take, ThreadedReader, Unique,
    UtteranceShape,
};
use crate::bytes::Env;
use crate::format::{Parts, Reader, Wanted};
use crate::model::{Key, Utterance};
use crate::random::Rng;
use crate::{Limits, Result};

/// Stages over any reader, each a method that gives the next reader: what the stages of this
/// [module](super) do, in the order in which they are written.
pub trait ReaderExt: Reader + Sized + 'static {
    /// The reader as others take it.
    fn boxed(self) -> Box<dyn Reader> {
        Box::new(self)
    }

    /// The utterances whose keys are wanted: a list, a pattern, a regular expression.
    fn select(self, keys: impl Into<Wanted>) -> Box<dyn Reader> {
        Box::new(SelectKeys::new(self.boxed(), keys, true))
    }

    /// The utterances whose keys are not among these.
    fn without(self, keys: impl Into<Wanted>) -> Box<dyn Reader> {
        Box::new(SelectKeys::new(self.boxed(), keys, false))
    }

    /// The utterances whose keys a function wants.
    fn select_by(self, wanted: impl Fn(&Key) -> bool + Send + Sync + 'static) -> Box<dyn Reader> {
        let wanted: Wanted = Arc::new(wanted);
        self.select(wanted)
    }

    /// Some parts of each utterance.
    fn parts(self, parts: Parts) -> Box<dyn Reader> {
        Box::new(SelectParts::new(self.boxed(), parts))
    }

    /// Sound as samples.
    fn samples(self, env: &Env) -> Box<dyn Reader> {
        Box::new(LoadAudio::new(self.boxed(), env))
    }

    /// Some frames of each utterance.
    fn frames(self, frames: impl Into<Ranges>, limits: Limits) -> Box<dyn Reader> {
        Box::new(SelectFrames::new(self.boxed(), frames, limits))
    }

    /// Some columns of the features.
    fn columns(self, columns: impl Into<Ranges>, limits: Limits) -> Box<dyn Reader> {
        Box::new(SelectColumns::new(self.boxed(), columns, limits))
    }

    /// The first `n` utterances.
    fn first(self, n: u64) -> Box<dyn Reader> {
        Box::new(Take::new(self.boxed(), n))
    }

    /// Every `count`-th utterance from the `index`-th on.
    ///
    /// # Errors
    /// There is no such share.
    fn shard(self, index: u64, count: u64) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Shard::new(self.boxed(), index, count)?))
    }

    /// The utterances that a function wants.
    fn filter(
        self,
        wanted: impl FnMut(&Utterance) -> Result<bool> + Send + 'static,
    ) -> Box<dyn Reader> {
        Box::new(Filter::new(self.boxed(), wanted))
    }

    /// One utterance a key: a second one is an error.
    fn unique(self) -> Box<dyn Reader> {
        Box::new(Unique::only(self.boxed()))
    }

    /// Any change to each utterance, on several threads.
    fn map(
        self,
        threads: usize,
        work: impl Fn(&mut Utterance) -> Result<()> + Send + Sync + 'static,
    ) -> Box<dyn Reader> {
        Box::new(Map::new(self.boxed(), threads, work))
    }

    /// Each frame with its neighbours.
    fn context(self, left: usize, right: usize, limits: Limits) -> Box<dyn Reader> {
        Box::new(Context::new(self.boxed(), left, right, limits))
    }

    /// Without the frames of certain labels.
    fn ignore_labels(self, ignored: LabelSet, env: &Env) -> Box<dyn Reader> {
        Box::new(IgnoreLabels::new(self.boxed(), ignored, env))
    }

    /// Other labels for labels.
    fn map_labels(self, map: LabelMap) -> Box<dyn Reader> {
        Box::new(MapLabels::new(self.boxed(), map))
    }

    /// Frames in random order: of each partition of `size`, or without a size of all.
    fn shuffle_frames(
        self,
        size: Option<PartitionSize>,
        rng: Rng,
        limits: Limits,
    ) -> Box<dyn Reader> {
        Box::new(Shuffle::new(self.boxed(), size, rng, limits))
    }

    /// Utterances in random order, as far as a buffer of `size` of them goes.
    fn shuffle(self, size: usize, rng: Rng, limits: Limits) -> Box<dyn Reader> {
        Box::new(ShuffleBuffer::new(self.boxed(), size, rng, limits))
    }

    /// Utterances cut where a partition is full.
    fn partition(self, size: Option<PartitionSize>, limits: Limits) -> Box<dyn Reader> {
        Box::new(Partition::new(self.boxed(), size, limits))
    }

    /// So many frames or utterances at a time.
    ///
    /// # Errors
    /// There are no such batches.
    fn batch(self, batching: Batching, limits: Limits) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Batch::new(self.boxed(), batching, limits)?))
    }

    /// Those of the shape that is declared, or of that of the first; others are errors.
    fn check(self, shape: Option<UtteranceShape>) -> Box<dyn Reader> {
        Box::new(ShapeCheck::new(self.boxed(), shape))
    }

    /// In another order, with about so many bytes of memory.
    fn sort(self, by: By, memory: u64) -> Box<dyn Reader> {
        Box::new(Sort::new(self.boxed(), by, memory))
    }

    /// With a look at the next utterance.
    fn peekable(self) -> Peek {
        Peek::new(self.boxed())
    }

    /// For several threads.
    fn shared(self) -> ThreadedReader {
        ThreadedReader::new(self.boxed())
    }

    /// Read ahead on a thread of its own.
    fn prefetch(self) -> Box<dyn Reader> {
        Box::new(Prefetch::new(self.boxed()))
    }
}

impl<R: Reader + 'static> ReaderExt for R {}
