//! Drafts on their way into an output, and what of them is finished.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::{Draft, Stored, Whole};
use super::{Finish, Location};

/// What is whole and waits for its name, in the order of finishing. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Finished(Arc<Mutex<List>>);

#[derive(Debug, Default)]
struct List {
    count: u64,
    entries: BTreeMap<u64, (Location, Box<dyn Whole>)>,
}

impl Finished {
    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, target: Location, whole: Box<dyn Whole>) {
        let mut list = self.list();
        let number = list.count;
        list.count += 1;
        list.entries.insert(number, (target, whole));
    }

    /// The numbers of all entries with the names that they are to have.
    pub(super) fn targets(&self) -> Vec<(u64, Location)> {
        let list = self.list();
        let entries = list.entries.iter();
        entries
            .map(|(n, (target, _))| (*n, target.clone()))
            .collect()
    }

    /// Opens an entry, if it is still there.
    pub(super) fn open(&self, number: u64) -> Option<io::Result<Box<dyn Stored>>> {
        let list = self.list();
        let (_, whole) = list.entries.get(&number)?;
        Some(whole.open())
    }

    /// Takes all entries out.
    pub(super) fn take(&self) -> Vec<(Location, Box<dyn Whole>)> {
        std::mem::take(&mut self.list().entries)
            .into_values()
            .collect()
    }
}

/// A draft that joins what is finished at its end.
pub(super) struct Landing {
    draft: Box<dyn Draft>,
    /// Where it goes then; a file of a folder needs no such place.
    then: Option<(Location, Finished)>,
}

impl Landing {
    /// A draft that is to be called `target`.
    pub(super) fn new(draft: Box<dyn Draft>, target: Location, finished: Finished) -> Self {
        Self {
            draft,
            then: Some((target, finished)),
        }
    }

    /// A draft that its folder keeps.
    pub(super) fn in_folder(draft: Box<dyn Draft>) -> Self {
        Self { draft, then: None }
    }

    pub(super) fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.draft.patch(at, bytes)
    }
}

impl Write for Landing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.draft.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.flush()
    }
}

impl Finish for Landing {
    fn finish(self: Box<Self>) -> io::Result<()> {
        let whole = self.draft.finish()?;
        if let Some((target, finished)) = self.then {
            finished.add(target, whole);
        }
        Ok(())
    }
}
