//! Lookup of utterances in a second data set.

use super::label_store::{InsertOutcome, LabelStore};
use crate::error::{Error, Result};
use crate::format::{OpenedDataset, RandomAccess, Reader};
use crate::model::{DatasetInfo, Key, Limits, Utterance};
use crate::stage::is_last;

/// Takes the requested fields and the key out of an utterance.
type Take = fn(&mut Utterance) -> Utterance;

/// The second data set, and what is at fault in it.
pub(super) struct Lookup {
    entries: Entries,
    /// Faults of utterances that were not looked up so far.
    faults: Vec<Error>,
    /// Whether the last lookup met a fault that belongs to no utterance.
    interrupted: bool,
}

/// The utterances of the second data set. It is read on demand if it supports
/// [lookup](OpenedDataset::Table), otherwise once, sequentially, and stored.
enum Entries {
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
struct LabelStream {
    reader: Box<dyn Reader>,
    take: Take,
    kept: LabelStore,
    ended: bool,
}

/// The largest number of faults that wait until their utterances are looked up.
const FAULTS: usize = 1024;

/// The first data set of a join. An utterance of it waits if a fault of the second data set that is not
/// its own was met while it was looked up.
pub(super) struct Main {
    reader: Box<dyn Reader>,
    waiting: Option<Utterance>,
}

impl Main {
    pub(super) fn new(reader: Box<dyn Reader>) -> Self {
        let waiting = None;
        Self { reader, waiting }
    }

    pub(super) fn info(&self) -> &DatasetInfo {
        self.reader.info()
    }

    /// Gives the utterance that waits, otherwise reads the next one.
    pub(super) fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        match self.waiting.take() {
            Some(waiting) => {
                *utt = waiting;
                Ok(true)
            }
            None => self.reader.read(utt),
        }
    }

    /// Keeps an utterance until the next call.
    pub(super) fn wait(&mut self, utt: &mut Utterance) {
        self.waiting = Some(std::mem::take(utt));
    }
}

impl Lookup {
    /// Creates a lookup in `opened` of the fields that `take` takes.
    pub(super) fn new(opened: OpenedDataset, take: Take, limits: Limits) -> Self {
        let entries = match opened {
            OpenedDataset::Table(table) => Entries::Keyed(table),
            OpenedDataset::Stream(reader) => Entries::LabelStream(Box::new(LabelStream {
                reader,
                take,
                kept: LabelStore::new(limits),
                ended: false,
            })),
        };
        Self {
            entries,
            faults: Vec::new(),
            interrupted: false,
        }
    }

    /// Reads the utterance of `key` into `utt`. Faults of others on the way wait until those are looked
    /// up.
    pub(super) fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<LookupOutcome> {
        self.interrupted = false;
        let mut faults = self.faults.iter();
        if let Some(at) = faults.position(|fault| fault.key() == Some(key)) {
            return Err(self.faults.remove(at));
        }
        loop {
            let error = match self.entries.find(key, utt) {
                Err(error) if error.key() != Some(key) => error,
                found => return found.map_err(of_one),
            };
            let waits = error.can_continue() && error.key().is_some();
            if waits && self.faults.len() < FAULTS && !self.has(&error) {
                self.faults.push(error);
                continue;
            }
            let error = of_one(error);
            // A table meets the same fault again.
            let is_stream = matches!(self.entries, Entries::LabelStream(_));
            self.interrupted = is_stream && error.can_continue();
            return Err(error);
        }
    }

    /// Returns `true` if a fault waits already.
    fn has(&self, error: &Error) -> bool {
        let place = |error: &Error| {
            (
                error.key().cloned(),
                error.byte_offset(),
                error.line_number(),
            )
        };
        self.faults.iter().any(|fault| place(fault) == place(error))
    }

    /// Returns `true` if the last lookup failed at a fault that is not that of the utterance, so that it
    /// can be repeated.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Returns the first key, among those not looked up, that is repeated with different data.
    ///
    /// # Errors
    /// One of the faults that were not looked up, or that are met now.
    pub(super) fn find_twice(&mut self, utt: &mut Utterance) -> Result<Option<Key>> {
        if let Some(fault) = self.faults.pop() {
            return Err(fault);
        }
        match &mut self.entries {
            Entries::Keyed(table) => table.find_twice().map_err(Error::fatal),
            Entries::LabelStream(read) => read.find_twice(utt).map_err(of_one),
        }
    }
}

impl Entries {
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<LookupOutcome> {
        match self {
            Self::Keyed(table) => Ok(match table.find(key, utt)? {
                true => LookupOutcome::Found,
                false => LookupOutcome::Missing,
            }),
            Self::LabelStream(read) => read.find(key, utt),
        }
    }
}

/// Makes a fault of the data one of the utterance that is looked up: others can be looked up after it.
fn of_one(error: Error) -> Error {
    match error.ends_one_input() {
        true => error.continuable(),
        false => error,
    }
}

impl LabelStream {
    /// Reads and stores the next utterance, or returns nothing at the end.
    ///
    /// # Errors
    /// Reading fails.
    fn advance(&mut self, next: &mut Utterance) -> Result<Option<InsertOutcome>> {
        if self.ended {
            return Ok(None);
        }
        let read = self.reader.read(next);
        self.ended = is_last(&read);
        if !read? {
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
