//! Readers made of readers: the pipeline.
//!
//! A [`Reader`](crate::format::Reader) lends itself one utterance at a time. A stage takes a reader
//! and is one, so that stages nest in any order; each works on one utterance, or as many as it must,
//! and an epoch of any size passes through little memory.
//!
//! ```
//! use spr_core::format::Reader;
//! use spr_core::stage::{Batching, KeyFilter, ReaderExt};
//! use spr_core::{Limits, Result};
//!
//! /// Windows of 11 frames of all utterances but Bob's, 256 at a time.
//! fn minibatches(reader: Box<dyn Reader>) -> Result<Box<dyn Reader>> {
//!     let limits = Limits::default();
//!     let reader = reader
//!         .without(KeyFilter::glob("bob-*")?)
//!         .map(4, |utt| {
//!             for value in utt.features_mut().values_mut::<f32>()? {
//!                 *value = value.max(1e-10).ln();
//!             }
//!             Ok(())
//!         })
//!         .context(5, 5, limits)
//!         .batch(Batching::frames(256).drop_tail(), limits)?;
//!     Ok(reader.prefetch())
//! }
//! ```
//!
//! | stage | what it does |
//! |---|---|
//! | [`select`](ReaderExt::select), [`without`](ReaderExt::without) | utterances whose keys are in a list, like a pattern, or match a regular expression |
//! | [`SelectFrames`], [`SelectColumns`] | frames and columns by [`Ranges`], in any order |
//! | [`Take`], [`Shard`] | the first utterances; every m-th |
//! | [`Filter`], [`Unique`] | what a function wants; one utterance a key |
//! | [`SkipErrors`] | what can be read; the rest is told |
//! | [`Sort`] | in the order of keys or lengths, in so much memory |
//! | [`ShapeCheck`] | refuses what is not as declared, or as the first |
//! | [`JoinLabels`] | labels from a second data set |
//! | [`JoinText`] | transcripts from a second data set |
//! | [`Speakers`], [`SpeakersByName`] | the speakers of utterances |
//! | [`Cut`] | an utterance for each segment |
//! | [`JoinPieces`] | one utterance of the parts of a recording |
//! | [`FrameShift`] | the time from frame to frame, told by the caller |
//! | [`Context`] | frames with their neighbours |
//! | [`Cmvn`], [`CmvnSums`] | features of mean 0 and variance 1; the statistics for it |
//! | [`ignore_labels`](ReaderExt::ignore_labels), [`map_labels`](ReaderExt::map_labels) | without the frames of certain labels; other labels for labels |
//! | [`TranslateLabels`] | what a model says that labels stand for |
//! | [`ShuffleFrames`] | frames in random order, all of them or partition by partition |
//! | [`shuffle_utterances`](ReaderExt::shuffle_utterances) | utterances in random order, as far as a buffer goes |
//! | [`Partition`] | utterances cut where a partition of one size is full |
//! | [`Map`] | any change to an utterance, on several threads |
//! | [`Batch`] | so many frames, or whole utterances, at a time |
//! | [`PaddedBatches`] | utterances in arrays of one shape: features, labels, audio, text |
//! | [`Chain`], [`FolderReader`] | several data sets as one; a folder of files |
//! | [`Interleave`] | several files at the same time, on several threads |
//! | [`Passes`], [`Repeat`] | epochs, each opened anew: one by one, or as one stream |
//! | [`Peek`] | whether there is more, and what |
//! | [`ThreadedReader`] | one reader for several threads |
//! | [`parts`](ReaderExt::parts), [`samples`](ReaderExt::samples) | without what nobody wants; samples for sound that is elsewhere |
//! | [`SoundChoice`] | some channels of sound, or another rate |
//! | [`Cache`] | a data set in memory, to be read again and again |
//! | [`Prefetch`] | reads ahead on a thread of its own |
//!
//! ## Rules
//!
//! * The caller lends the utterance and gets it filled; allocations go round. `for utt in reader`
//!   gives owned ones ([`Utterances`]) where that is easier.
//! * Errors come in the order of the stream. One that [can continue](crate::error::Error::can_continue)
//!   costs an utterance; another ends the stream, and every `read` after it says so.
//! * Threads change nothing but the time: [`Map`], [`Interleave`] and [`Prefetch`] give what they would
//!   give without.
//!   They end when the stage is dropped; one that waits for a silent pipe ends when the pipe does,
//!   and nobody waits for it.
//! * [`info`](crate::format::Reader::info) says what is known of what comes out. Totals are gone where
//!   a stage changes them.
//! * Order matters to cost and meaning: choose first, then widen; take neighbours ([`Context`]) before
//!   anything that cuts or mixes utterances ([`SelectFrames`], [`IgnoreLabels`], [`ShuffleFrames`],
//!   [`Partition`], [`Batch`]).

mod batch;
mod batching;
mod block;
mod cache;
mod chain;
mod cmvn;
mod context;
mod cut;
mod filter;
mod folder;
mod frame_cursor;
mod frame_shift;
pub(crate) mod guess;
mod ignore;
mod interleave;
mod join;
mod label_text;
mod labels;
mod load_audio;
mod map;
mod map_labels;
mod padded;
mod partition;
mod passes;
mod peek;
mod pieces;
mod prefetch;
mod reader_ext;
mod record;
mod rename;
mod repeat;
mod requested;
mod select;
mod shape_check;
mod shuffle_frames;
mod shuffle_utterances;
mod skip_errors;
mod sort;
mod sound;
mod speaker_pattern;
mod speakers;
mod stale;
#[cfg(test)]
mod tests;
mod threaded;
mod tier;
mod translate_labels;
mod unique;
mod utterances;

pub use batch::Batch;
pub use batching::Batching;
pub use cache::Cache;
pub use chain::Chain;
pub use cmvn::{Cmvn, CmvnGroup, CmvnSums, CmvnTable};
pub use context::Context;
pub use cut::{Cut, CutBy, CutRules, KeyPattern};
pub use filter::Filter;
pub use folder::{FolderContent, FolderReader};
pub use frame_shift::FrameShift;
pub use ignore::IgnoreLabels;
pub use interleave::Interleave;
pub use join::{JoinLabels, JoinText};
pub use labels::{LabelMap, LabelSet};
pub(crate) use load_audio::LoadAudio;
pub use map::Map;
pub(crate) use map_labels::MapLabels;
pub use padded::{
    PaddedBatch, PaddedBatches, PaddedBatching, PaddedField, PaddedLayout, PaddedStore,
};
pub use partition::{Partition, PartitionSize};
pub use passes::Passes;
pub use peek::Peek;
pub use pieces::{JoinPieces, segments_by_recording};
pub use prefetch::Prefetch;
pub use reader_ext::ReaderExt;
pub use rename::{KeyChange, Rename};
pub use repeat::Repeat;
pub use select::{Columns, KeyFilter, Ranges, SelectColumns, SelectFrames, Shard, Take};
pub(crate) use select::{SelectFields, SelectKeys};
pub use shape_check::{ShapeCheck, UtteranceShape};
pub use shuffle_frames::ShuffleFrames;
pub(crate) use shuffle_utterances::ShuffleUtterances;
pub use skip_errors::SkipErrors;
pub use sort::{Sort, SortKey, SortedReader, Sorter};
pub use sound::{Channels, SoundChoice};
pub use speaker_pattern::{SpeakerPattern, SpeakersByName};
pub use speakers::{Speakers, speaker_of};
pub use threaded::ThreadedReader;
pub use tier::PickTier;
pub use translate_labels::TranslateLabels;
pub use unique::Unique;
pub use utterances::Utterances;

/// Returns `true` if nothing follows: it was the end, or an error that cannot continue.
fn is_last(read: &crate::error::Result<bool>) -> bool {
    match read {
        Ok(more) => !more,
        Err(error) => !error.can_continue(),
    }
}
