//! Drafts of an output, and its finished files.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Location;
use super::finish::Finish;
use super::store::{Draft, FinishedFile, OpenedFile};

/// Finished files that wait for their names, in order of completion. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct FinishedFiles(Arc<Mutex<List>>);

#[derive(Debug, Default)]
struct List {
    count: u64,
    entries: BTreeMap<u64, (Location, Box<dyn FinishedFile>)>,
}

impl FinishedFiles {
    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, target: Location, whole: Box<dyn FinishedFile>) {
        let mut list = self.list();
        let number = list.count;
        list.count += 1;
        list.entries.insert(number, (target, whole));
    }

    /// Returns the numbers of all entries with their final names.
    pub(super) fn targets(&self) -> Vec<(u64, Location)> {
        let list = self.list();
        let entries = list.entries.iter();
        entries
            .map(|(n, (target, _))| (*n, target.clone()))
            .collect()
    }

    /// Opens an entry, if it still exists.
    pub(super) fn open(&self, number: u64) -> Option<io::Result<Box<dyn OpenedFile>>> {
        let list = self.list();
        let (_, whole) = list.entries.get(&number)?;
        Some(whole.open())
    }

    /// Takes all entries.
    pub(super) fn take(&self) -> Vec<(Location, Box<dyn FinishedFile>)> {
        std::mem::take(&mut self.list().entries)
            .into_values()
            .collect()
    }
}

/// A draft that becomes a finished file at its end.
pub(super) struct Landing {
    draft: Box<dyn Draft>,
    /// The destination of the finished file; a file in a folder needs none.
    then: Option<(Location, FinishedFiles)>,
}

impl Landing {
    /// Creates a draft with the final name `target`.
    pub(super) fn new(draft: Box<dyn Draft>, target: Location, finished: FinishedFiles) -> Self {
        Self {
            draft,
            then: Some((target, finished)),
        }
    }

    /// Creates a draft that belongs to its folder.
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
