//! Utterances of a second data set, found by key.

use super::kept::{Added, Kept};
use crate::format::{Opened, RandomAccess, Reader};
use crate::model::{Key, Utterance};
use crate::{Limits, Result};

/// Takes out of an utterance what is looked for, and its key.
type Take = fn(&mut Utterance) -> Utterance;

/// What joins, by key. It is read when its turn comes where it is [found by key](Opened::Table), and
/// else once, front to back, and kept.
pub(super) enum Lookup {
    Keyed(Box<dyn RandomAccess>),
    Read(Box<Read>),
}

/// What came of looking for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looked {
    Found,
    Missing,
    /// What was read on the way appears twice and differs; its key is that of the utterance.
    Twice,
}

/// What is read front to back.
pub(super) struct Read {
    reader: Box<dyn Reader>,
    take: Take,
    kept: Kept,
    ended: bool,
}

impl Lookup {
    /// Looks in `opened` for what `take` takes.
    pub(super) fn new(opened: Opened, take: Take, limits: Limits) -> Self {
        match opened {
            Opened::Table(table) => Self::Keyed(table),
            Opened::Stream(reader) => Self::Read(Box::new(Read {
                reader,
                take,
                kept: Kept::new(limits),
                ended: false,
            })),
        }
    }

    /// Reads what stands under `key` into `utt`.
    pub(super) fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<Looked> {
        match self {
            Self::Keyed(table) => Ok(match table.find(key, utt)? {
                true => Looked::Found,
                false => Looked::Missing,
            }),
            Self::Read(read) => read.find(key, utt),
        }
    }

    /// The first key that appears twice, with something else, among those that nobody asked for.
    pub(super) fn find_twice(&mut self, utt: &mut Utterance) -> Result<Option<Key>> {
        match self {
            Self::Keyed(table) => table.find_twice(),
            Self::Read(read) => read.find_twice(utt),
        }
    }
}

impl Read {
    /// Reads and keeps what comes next; nothing at the end.
    fn advance(&mut self, next: &mut Utterance) -> Result<Option<Added>> {
        if self.ended || !self.reader.read(next)? {
            self.ended = true;
            return Ok(None);
        }
        let taken = (self.take)(next);
        let added = self.kept.add(&taken)?;
        *next = taken;
        Ok(Some(added))
    }

    fn find(&mut self, key: &Key, next: &mut Utterance) -> Result<Looked> {
        if self.kept.find(key, next)? {
            return Ok(Looked::Found);
        }
        while let Some(added) = self.advance(next)? {
            if added == Added::Different {
                return Ok(Looked::Twice);
            }
            if next.key == *key {
                return Ok(Looked::Found);
            }
        }
        Ok(Looked::Missing)
    }

    fn find_twice(&mut self, next: &mut Utterance) -> Result<Option<Key>> {
        while let Some(added) = self.advance(next)? {
            if added == Added::Different {
                return Ok(Some(next.key.clone()));
            }
        }
        Ok(None)
    }
}
