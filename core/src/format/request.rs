//! Requests: the selected part of a data set.

use std::sync::Arc;

use super::{ChunkSupport, ErrorPolicy, FieldSet, RandomAccess, Reader};
use crate::error::{Error, Result};
use crate::model::Key;

/// Returns `true` if the utterance with a key is selected.
pub type KeyPredicate = Arc<dyn Fn(&Key) -> bool + Send + Sync>;

/// A subset of the utterances of a data set by number, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subset {
    /// Every `count`-th of the utterances with selected keys, from the `index`-th on.
    EveryNth {
        /// The index of the shard, from 0.
        index: u64,
        /// The number of shards.
        count: u64,
    },
    /// The utterances from `first` to before `end`, where utterances with other keys, and faulty
    /// ones, count as well.
    Run {
        /// The first number.
        first: u64,
        /// The number after the last.
        end: u64,
    },
}

impl Subset {
    /// Checks that the shard exists.
    ///
    /// # Errors
    /// The index is too large.
    pub fn check(self) -> Result<()> {
        match self {
            Self::EveryNth { index, count } if index >= count => Err(Error::usage(format!(
                "part {index} of {count}: parts count from 0"
            ))),
            _ => Ok(()),
        }
    }

    /// Returns `true` if it contains the utterance with this number.
    pub fn has(self, number: u64) -> bool {
        match self {
            Self::EveryNth { index, count } => number % count == index,
            Self::Run { first, end } => (first..end).contains(&number),
        }
    }

    /// Returns `true` if it contains neither this utterance nor a later one.
    pub fn is_over(self, number: u64) -> bool {
        match self {
            Self::EveryNth { .. } => false,
            Self::Run { end, .. } => number >= end,
        }
    }

    /// Returns the number of its utterances, out of `all`.
    pub fn of(self, all: u64) -> u64 {
        match self {
            Self::EveryNth { index, count } => all / count + u64::from(index < all % count),
            Self::Run { first, end } => end.min(all).saturating_sub(first),
        }
    }

    /// Returns `true` if it is applied before the selection by keys.
    fn goes_first(self) -> bool {
        matches!(self, Self::Run { .. })
    }
}

/// A request for a part of a data set. A format takes over what it does more efficiently than
/// reading everything: it skips data that are not requested. Stages behind its reader do the rest,
/// so that a request means the same for every format.
///
/// ```
/// use spr_core::format::Request;
/// use spr_core::model::Key;
/// let request = Request::all().keys(|key: &Key| key.as_bytes().starts_with(b"ann")).headers();
/// assert!(!request.values);
/// ```
#[derive(Clone)]
pub struct Request {
    keys: Option<KeyPredicate>,
    share: Option<Subset>,
    /// The byte where the first entry of a run starts.
    start: Option<u64>,
    /// The bytes to which the selected entries belong.
    within: Option<[u64; 2]>,
    /// Whether the values of features are requested. Otherwise readers may return matrices of the
    /// right type and shape with undefined content, and skip the bytes in the file.
    pub values: bool,
    /// Whether the values of labels are requested, in the same sense.
    pub label_values: bool,
    /// Whether entries are only weighed. Then no values are read, not even to check them, audio may
    /// be missing, and the origin of an utterance is where its entry starts, with its key.
    pub weighing: bool,
    /// The requested fields.
    pub parts: FieldSet,
    /// The fields that the caller supports. A data set with several forms of its utterances, such
    /// as audio and its features, returns one of these forms if it has any, otherwise all.
    pub forms: FieldSet,
    /// Whether audio is requested as samples, not in its stored form or as a reference.
    pub samples: bool,
    /// Whether sound is wanted as the names of its files alone, by a caller that takes no samples.
    pub references: bool,
    /// Whether text is wanted, so that bytes that may be numbers or words are words.
    pub words: bool,
    /// Formats of audio files that are returned as stored, without decoding.
    pub files: &'static [&'static str],
    /// Whether the intact parts of damaged data are requested: each damaged extent is an error that
    /// [can continue](crate::error::Error::can_continue), where the format lets the rest be found
    /// again.
    pub damaged: bool,
    /// Whether utterances will be looked up by key, in any order.
    pub lookup: bool,
    /// The treatment of faulty utterances. If they are skipped, the reader returns each as an error
    /// that [can continue](crate::error::Error::can_continue). A faulty first utterance does not
    /// affect how the others are read.
    pub on_error: ErrorPolicy,
    /// Makes a key that occurs in several consecutive data sets an error, and one that a format
    /// makes up twice.
    pub distinct: bool,
    /// The format that takes its objects as they are stored, if one does: a data set of that format
    /// hands them through.
    pub keep_stored: Option<&'static str>,
    /// The form in which long utterances may be returned, so that none has to be in memory
    /// completely. A request that skips errors, a lookup and a share get whole utterances.
    pub chunks: ChunkSupport,
}

impl Default for Request {
    fn default() -> Self {
        Self::all()
    }
}

impl Request {
    /// Requests everything, sequentially, with audio as stored.
    pub fn all() -> Self {
        Self {
            keys: None,
            share: None,
            start: None,
            within: None,
            values: true,
            label_values: true,
            weighing: false,
            parts: FieldSet::ALL,
            forms: FieldSet::ALL,
            samples: false,
            references: false,
            words: false,
            files: &[],
            damaged: false,
            lookup: false,
            on_error: ErrorPolicy::Stop,
            distinct: false,
            keep_stored: None,
            chunks: ChunkSupport::No,
        }
    }

    /// Requests keys only.
    pub fn names() -> Self {
        Self::all().headers().parts(FieldSet::NONE)
    }

    /// Requests keys, positions and numbers of frames.
    pub fn lengths() -> Self {
        Self::all().headers().parts(FieldSet {
            features: true,
            labels: true,
            objects: true,
            ..FieldSet::NONE
        })
    }

    /// Selects the utterances for whose keys `wanted` returns `true`.
    #[must_use]
    pub fn keys(mut self, wanted: impl Fn(&Key) -> bool + Send + Sync + 'static) -> Self {
        self.keys = Some(match self.keys.take() {
            Some(before) => Arc::new(move |key: &Key| before(key) && wanted(key)),
            None => Arc::new(wanted),
        });
        self
    }

    /// Selects a subset.
    #[must_use]
    pub fn share(self, share: Subset) -> Self {
        Self {
            share: Some(share),
            ..self
        }
    }

    /// Excludes the values of features.
    #[must_use]
    pub fn headers(self) -> Self {
        Self {
            values: false,
            ..self
        }
    }

    /// Excludes the values of features and labels.
    #[must_use]
    pub fn shapes(self) -> Self {
        Self {
            label_values: false,
            ..self.headers()
        }
    }

    /// Requests what tells the [weight](Self::weighing) of entries.
    #[must_use]
    pub fn weights(self) -> Self {
        Self {
            weighing: true,
            ..self.shapes()
        }
    }

    /// Tells the byte where the first entry of a [run](Subset::Run) starts, so that a format may
    /// go there at once.
    #[must_use]
    pub fn starting_at(self, start: Option<u64>) -> Self {
        Self { start, ..self }
    }

    /// Selects the entries that belong to the bytes from the first to before the second one, of a file
    /// that [can be cut](super::Format::can_cut). Each entry belongs to one of consecutive parts.
    #[must_use]
    pub fn within(self, within: Option<[u64; 2]>) -> Self {
        Self { within, ..self }
    }

    /// Requests audio as samples.
    #[must_use]
    pub fn samples(self) -> Self {
        Self {
            samples: true,
            ..self
        }
    }

    /// Requests sound as the names of its files, if `references` is set.
    #[must_use]
    pub fn references(self, references: bool) -> Self {
        Self { references, ..self }
    }

    /// With words where bytes may be numbers or words.
    #[must_use]
    pub fn words(self) -> Self {
        Self {
            words: true,
            ..self
        }
    }

    /// Accepts audio files of these formats as stored.
    #[must_use]
    pub fn files(self, files: &'static [&'static str]) -> Self {
        Self { files, ..self }
    }

    /// Requests only some fields of each utterance.
    #[must_use]
    pub fn parts(self, parts: FieldSet) -> Self {
        Self { parts, ..self }
    }

    /// Declares the fields that the caller supports.
    #[must_use]
    pub fn forms(self, forms: FieldSet) -> Self {
        Self { forms, ..self }
    }

    /// Requests the intact part of damaged data.
    #[must_use]
    pub fn damaged(self) -> Self {
        Self {
            damaged: true,
            ..self
        }
    }

    /// Requests lookup of utterances by key.
    #[must_use]
    pub fn lookup(self) -> Self {
        Self {
            lookup: true,
            ..self
        }
    }

    /// Sets the treatment of faulty utterances.
    #[must_use]
    pub fn on_error(self, on_error: ErrorPolicy) -> Self {
        Self { on_error, ..self }
    }

    /// Requires unique keys across data sets if `distinct` is set.
    #[must_use]
    pub fn distinct(self, distinct: bool) -> Self {
        Self { distinct, ..self }
    }

    /// With objects of this format as they are stored.
    #[must_use]
    pub fn keep_stored(self, format: Option<&'static str>) -> Self {
        Self {
            keep_stored: format,
            ..self
        }
    }

    /// Accepts long utterances in chunks as `chunked` says.
    #[must_use]
    pub fn chunks(self, chunked: ChunkSupport) -> Self {
        Self {
            chunks: chunked,
            ..self
        }
    }

    /// Splits off the share, which applies to all data sets taken together.
    #[must_use]
    pub fn split_share(mut self) -> (Self, Option<Subset>) {
        let share = self.share.take();
        (self, share)
    }

    /// Returns the request for data that stages change before this request is applied: everything,
    /// damaged or not.
    #[must_use]
    pub fn before_stages(&self) -> Self {
        Self {
            damaged: self.damaged,
            on_error: self.on_error,
            words: self.words,
            references: self.references,
            forms: self.forms,
            files: self.files,
            keep_stored: self.keep_stored,
            ..Self::all()
        }
    }

    /// Returns `true` if a subset is requested.
    pub(crate) fn has_share(&self) -> bool {
        self.share.is_some()
    }

    /// Returns `true` if only a part of a file is requested.
    pub(crate) fn is_cut(&self) -> bool {
        self.within.is_some()
    }

    /// Returns `true` if only some keys are selected.
    pub fn has_keys(&self) -> bool {
        self.keys.is_some()
    }

    /// Takes the selection of keys, which the format then applies. Returns `None` if a subset that
    /// was not [taken](Self::take_run) must be applied first.
    pub fn take_keys(&mut self) -> Option<KeyPredicate> {
        match self.share {
            Some(share) if share.goes_first() => None,
            _ => self.keys.take(),
        }
    }

    /// Takes a subset that is applied before the selection of keys, which the format then applies.
    pub fn take_run(&mut self) -> Option<Subset> {
        self.share.take_if(|share| share.goes_first())
    }

    /// Takes the byte where the first entry of the run starts, if it is known.
    pub fn take_start(&mut self) -> Option<u64> {
        self.start.take()
    }

    /// Takes the bytes to which the selected entries belong.
    pub fn take_within(&mut self) -> Option<[u64; 2]> {
        self.within.take()
    }

    /// Takes the subset after the selection of keys was taken; the format then applies it.
    pub fn take_share(&mut self) -> Option<Subset> {
        match self.keys {
            Some(_) => None,
            None => self.share.take(),
        }
    }

    /// Leaves what is selected in the list of all utterances, whose keys are given by `key`, and takes the selection.
    ///
    /// # Errors
    /// There is no such subset.
    pub fn select<T>(&mut self, list: &mut Vec<T>, key: impl Fn(&T) -> &Key) -> Result<()> {
        let deal = |list: &mut Vec<T>, share: Subset| {
            let mut number = 0..;
            list.retain(|_| number.next().is_some_and(|n| share.has(n)));
        };
        if let Some(run) = self.take_run() {
            deal(list, run);
        }
        if let Some(wanted) = self.take_keys() {
            list.retain(|item| wanted(key(item)));
        }
        if let Some(share) = self.take_share() {
            share.check()?;
            deal(list, share);
        }
        Ok(())
    }
}

/// An open data set.
pub enum OpenedDataset {
    /// For sequential reading.
    Stream(Box<dyn Reader>),
    /// For lookup of utterances by key.
    Table(Box<dyn RandomAccess>),
}

impl OpenedDataset {
    /// Wraps a stream of utterances.
    pub fn stream(reader: impl Reader + 'static) -> Self {
        Self::Stream(Box::new(reader))
    }

    /// Returns the reader of a stream.
    ///
    /// # Errors
    /// It is a table, which only a request with [`Request::lookup`] may return.
    pub fn into_stream(self) -> Result<Box<dyn Reader>> {
        match self {
            Self::Stream(reader) => Ok(reader),
            Self::Table(_) => Err(Error::unsupported("expected a stream, found a table")),
        }
    }
}

#[cfg(test)]
mod tests;
