//! Stages as methods of readers.

use super::Ranges;
use super::{
    Batch, Batching, Context, Filter, IgnoreLabels, LabelMap, LabelSet, LoadAudio, Map, MapLabels,
    Partition, PartitionSize, Peek, Prefetch, SelectColumns, SelectFields, SelectFrames,
    SelectKeys, ShapeCheck, Shard, ShuffleFrames, ShuffleUtterances, Sort, SortKey, Take,
    ThreadedReader, Unique, UtteranceShape,
};
use crate::bytes::Env;
use crate::error::Result;
use crate::format::{FieldSet, KeyPredicate, Reader};
use crate::model::{Limits, Utterance};
use crate::number::random::Rng;

/// Stages over any reader as methods that return the next reader: the stages of this
/// [module](super), in the order of the calls.
///
/// ```
/// # use spr_core::model::DatasetInfo;
/// # struct Names(u8, DatasetInfo);
/// # impl Reader for Names {
/// #     fn info(&self) -> &DatasetInfo { &self.1 }
/// #     fn read(&mut self, utt: &mut Utterance) -> spr_core::Result<bool> {
/// #         utt.start();
/// #         self.0 += 1;
/// #         utt.key = format!("utt{}", self.0).as_str().into();
/// #         utt.text = Some(b"hello".to_vec());
/// #         Ok(self.0 <= 9)
/// #     }
/// # }
/// use spr_core::format::Reader;
/// use spr_core::model::{Key, Utterance};
/// use spr_core::stage::ReaderExt;
///
/// # let reader = Names(0, DatasetInfo::default());
/// // Of utt1 to utt9, every third from the second on, and of these the first two.
/// let mut reader = reader.shard(1, 3)?.first(2);
/// let (mut keys, mut utt) = (Vec::new(), Utterance::default());
/// while reader.read(&mut utt)? {
///     keys.push(utt.key.clone());
/// }
/// assert_eq!(keys, ["utt2".into(), "utt5".into()] as [Key; 2]);
/// # Ok::<(), spr_core::Error>(())
/// ```
pub trait ReaderExt: Reader + Sized + 'static {
    /// Boxes the reader.
    fn boxed(self) -> Box<dyn Reader> {
        Box::new(self)
    }

    /// Selects the utterances whose keys are in a list, or match a pattern or a regular expression.
    fn select(self, keys: impl Into<KeyPredicate>) -> Box<dyn Reader> {
        Box::new(SelectKeys::new(self.boxed(), keys, true))
    }

    /// Selects the utterances whose keys are not among these.
    fn without(self, keys: impl Into<KeyPredicate>) -> Box<dyn Reader> {
        Box::new(SelectKeys::new(self.boxed(), keys, false))
    }

    /// Keeps some fields of each utterance.
    fn parts(self, parts: FieldSet) -> Box<dyn Reader> {
        Box::new(SelectFields::new(self.boxed(), parts))
    }

    /// Converts audio to samples.
    fn samples(self, env: &Env) -> Box<dyn Reader> {
        Box::new(LoadAudio::new(self.boxed(), env))
    }

    /// Selects frames of each utterance.
    fn frames(self, frames: impl Into<Ranges>, limits: Limits) -> Box<dyn Reader> {
        Box::new(SelectFrames::new(self.boxed(), frames, limits))
    }

    /// Selects columns of the features.
    fn columns(self, columns: impl Into<Ranges>, limits: Limits) -> Box<dyn Reader> {
        Box::new(SelectColumns::new(self.boxed(), columns, limits))
    }

    /// Takes the first `n` utterances.
    fn first(self, n: u64) -> Box<dyn Reader> {
        Box::new(Take::new(self.boxed(), n))
    }

    /// Takes every `count`-th utterance from the `index`-th on.
    ///
    /// # Errors
    /// There is no such shard.
    fn shard(self, index: u64, count: u64) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Shard::new(self.boxed(), index, count)?))
    }

    /// Selects the utterances for which a function returns `true`.
    fn filter(
        self,
        wanted: impl FnMut(&Utterance) -> Result<bool> + Send + 'static,
    ) -> Box<dyn Reader> {
        Box::new(Filter::new(self.boxed(), wanted))
    }

    /// Requires unique keys.
    fn unique(self) -> Box<dyn Reader> {
        Box::new(Unique::only(self.boxed()))
    }

    /// Changes each utterance, on several threads.
    fn map(
        self,
        threads: usize,
        work: impl Fn(&mut Utterance) -> Result<()> + Send + Sync + 'static,
    ) -> Box<dyn Reader> {
        Box::new(Map::new(self.boxed(), threads, work))
    }

    /// Extends each frame with its neighbours.
    fn context(self, left: usize, right: usize, limits: Limits) -> Box<dyn Reader> {
        Box::new(Context::new(self.boxed(), left, right, limits))
    }

    /// Removes the frames with certain labels.
    fn ignore_labels(self, ignored: LabelSet, env: &Env) -> Box<dyn Reader> {
        Box::new(IgnoreLabels::new(self.boxed(), ignored, env))
    }

    /// Replaces labels.
    fn map_labels(self, map: LabelMap) -> Box<dyn Reader> {
        Box::new(MapLabels::new(self.boxed(), map))
    }

    /// Shuffles the frames of each partition of `size`, or all frames without a size.
    fn shuffle_frames(
        self,
        size: Option<PartitionSize>,
        rng: Rng,
        limits: Limits,
    ) -> Box<dyn Reader> {
        Box::new(ShuffleFrames::new(self.boxed(), size, rng, limits))
    }

    /// Shuffles utterances in a buffer of `size` utterances.
    fn shuffle_utterances(self, size: usize, rng: Rng, limits: Limits) -> Box<dyn Reader> {
        Box::new(ShuffleUtterances::new(self.boxed(), size, rng, limits))
    }

    /// Cuts utterances at the ends of partitions.
    fn partition(self, size: Option<PartitionSize>, limits: Limits) -> Box<dyn Reader> {
        Box::new(Partition::new(self.boxed(), size, limits))
    }

    /// Joins frames or utterances to batches.
    ///
    /// # Errors
    /// The parameters are invalid.
    fn batch(self, batching: Batching, limits: Limits) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Batch::new(self.boxed(), batching, limits)?))
    }

    /// Rejects utterances whose shape is not the declared one, or that of the first.
    fn check(self, shape: Option<UtteranceShape>) -> Box<dyn Reader> {
        Box::new(ShapeCheck::new(self.boxed(), shape))
    }

    /// Sorts utterances, with about `memory` bytes of memory.
    fn sort(self, by: SortKey, memory: u64) -> Box<dyn Reader> {
        Box::new(Sort::new(self.boxed(), by, memory))
    }

    /// Adds peeking at the next utterance.
    fn peekable(self) -> Peek {
        Peek::new(self.boxed())
    }

    /// Shares the reader between several threads.
    fn shared(self) -> ThreadedReader {
        ThreadedReader::new(self.boxed())
    }

    /// Reads ahead on a separate thread.
    fn prefetch(self) -> Box<dyn Reader> {
        Box::new(Prefetch::new(self.boxed()))
    }
}

impl<R: Reader + 'static> ReaderExt for R {}
