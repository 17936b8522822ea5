//! The list of a store's temporary files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::hidden::{is_temporary, remove};
use super::rename_log::RenameLog;
use crate::error::{Error, ErrorKind, Result};

/// The list, shared by everything that creates, renames or removes its entries.
#[derive(Clone, Debug, Default)]
pub(super) struct TemporaryList(Arc<Mutex<State>>);

/// The lock for creating, renaming and removing temporary files. It is held for a few changes of
/// names, never while waiting for the disk.
pub(super) type NamesGuard<'a> = MutexGuard<'a, State>;

#[derive(Debug, Default)]
pub(super) struct State {
    closed: bool,
    /// Temporary files, and folders created for them.
    pub(super) paths: BTreeSet<PathBuf>,
    /// Commits that have changed names and wait for the disk.
    pending: BTreeMap<u64, RenameLog>,
    tickets: u64,
}

impl TemporaryList {
    /// Locks the list, whether the store is closed or not.
    pub(super) fn hold(&self) -> NamesGuard<'_> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the list for creating something.
    ///
    /// # Errors
    /// The store is closed.
    pub(super) fn enter(&self) -> Result<NamesGuard<'_>> {
        let held = self.hold();
        match held.closed {
            true => Err(stopped()),
            false => Ok(held),
        }
    }

    /// Removes everything, and prevents creating anything.
    pub(super) fn close(&self) {
        let mut state = self.hold();
        state.closed = true;
        let pending = std::mem::take(&mut state.pending);
        for (ticket, done) in pending.into_iter().rev() {
            match done.is_final {
                true => drop(state.pending.insert(ticket, done)),
                false => done.undo(),
            }
        }
        // The content of a folder sorts after it.
        while let Some(path) = state.paths.pop_last() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            match is_temporary(&name) {
                true => remove(&path),
                false => drop(fs::remove_dir(&path)),
            }
        }
    }

    /// Returns the error itself, or its reason if the store was closed.
    pub(super) fn explain(&self, error: Error) -> Error {
        match self.hold().closed && !error.is_stopped() {
            true => stopped(),
            false => error,
        }
    }
}

impl State {
    /// Registers the changes for [`TemporaryList::close`] while waiting for the disk.
    pub(super) fn remember(&mut self, done: RenameLog) -> u64 {
        self.tickets += 1;
        self.pending.insert(self.tickets, done);
        self.tickets
    }

    /// Returns registered changes, unless they were undone.
    pub(super) fn take_back(&mut self, ticket: u64) -> Option<RenameLog> {
        self.pending.remove(&ticket)
    }
}

/// Returns the error for an operation after the store was closed.
pub(super) fn stopped() -> Error {
    Error::new(
        ErrorKind::Stopped,
        "the program was stopped, nothing is written",
    )
}
