//! Lookup of utterances in a second data set.

use super::label_store::{InsertOutcome, LabelStore};
use crate::error::Result;
use crate::format::{OpenedDataset, RandomAccess, Reader};
use crate::model::{Key, Limits, Utterance};

/// Takes the requested fields and the key out of an utterance.
type Take = fn(&mut Utterance) -> Utterance;

/// The second data set. It is read on demand if it supports [lookup](OpenedDataset::Table), otherwise
/// once, sequentially, and stored.
pub(super) enum Lookup {
    Keyed(Box<dyn RandomAccess>),
    LabelStream(Box<LabelStream>),
}

/// The result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookupOutcome {
    Found,
    Missing,
    /// A key that was read on the way is repeated with different data; it is set in the utterance.
    Twice,
}

/// A data set that is read sequentially.
pub(super) struct LabelStream {
    reader: Box<dyn Reader>,
    take: Take,
    kept: LabelStore,
    ended: bool,
}

impl Lookup {
    /// Creates a lookup in `opened` of the fields that `take` takes.
    pub(super) fn new(opened: OpenedDataset, take: Take, limits: Limits) -> Self {
        match opened {
            OpenedDataset::Table(table) => Self::Keyed(table),
            OpenedDataset::Stream(reader) => Self::LabelStream(Box::new(LabelStream {
                reader,
                take,
                kept: LabelStore::new(limits),
                ended: false,
            })),
        }
    }

    /// Reads the utterance of `key` into `utt`.
    pub(super) fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<LookupOutcome> {
        match self {
            Self::Keyed(table) => Ok(match table.find(key, utt)? {
                true => LookupOutcome::Found,
                false => LookupOutcome::Missing,
            }),
            Self::LabelStream(read) => read.find(key, utt),
        }
    }

    /// Returns the first key, among those not looked up, that is repeated with different data.
    pub(super) fn find_twice(&mut self, utt: &mut Utterance) -> Result<Option<Key>> {
        match self {
            Self::Keyed(table) => table.find_twice(),
            Self::LabelStream(read) => read.find_twice(utt),
        }
    }
}

impl LabelStream {
    /// Reads and stores the next utterance, or returns nothing at the end.
    fn advance(&mut self, next: &mut Utterance) -> Result<Option<InsertOutcome>> {
        if self.ended || !self.reader.read(next)? {
            self.ended = true;
            return Ok(None);
        }
        let taken = (self.take)(next);
        let added = self.kept.add(&taken)?;
        *next = taken;
        Ok(Some(added))
    }

    fn find(&mut self, key: &Key, next: &mut Utterance) -> Result<LookupOutcome> {
        if self.kept.find(key, next)? {
            return Ok(LookupOutcome::Found);
        }
        while let Some(added) = self.advance(next)? {
            if added == InsertOutcome::Different {
                return Ok(LookupOutcome::Twice);
            }
            if next.key == *key {
                return Ok(LookupOutcome::Found);
            }
        }
        Ok(LookupOutcome::Missing)
    }

    fn find_twice(&mut self, next: &mut Utterance) -> Result<Option<Key>> {
        while let Some(added) = self.advance(next)? {
            if added == InsertOutcome::Different {
                return Ok(Some(next.key.clone()));
            }
        }
        Ok(None)
    }
}
