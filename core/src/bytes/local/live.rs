//! The list of what a store has under temporary names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::done::Done;
use super::hidden::{is_temporary, remove};
use crate::{Error, ErrorKind, Result};

/// The list, shared by all that make, rename or remove what is on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Live(Arc<Mutex<State>>);

/// The right to make, rename and remove what is temporary. It is held for a few changes of names,
/// never while the disk is waited for.
pub(super) type Held<'a> = MutexGuard<'a, State>;

#[derive(Debug, Default)]
pub(super) struct State {
    closed: bool,
    /// What has a temporary name, and folders made for it.
    pub(super) paths: BTreeSet<PathBuf>,
    /// Commits that have changed names and wait for the disk.
    pending: BTreeMap<u64, Done>,
    tickets: u64,
}

impl Live {
    /// Waits for the right to change names, whether the store is closed or not.
    pub(super) fn hold(&self) -> Held<'_> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the right to make something.
    ///
    /// # Errors
    /// The store is closed.
    pub(super) fn enter(&self) -> Result<Held<'_>> {
        let held = self.hold();
        match held.closed {
            true => Err(stopped()),
            false => Ok(held),
        }
    }

    /// Removes everything, and lets nobody make anything any more.
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
        // What is inside a folder comes behind it.
        while let Some(path) = state.paths.pop_last() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            match is_temporary(&name) {
                true => remove(&path),
                false => drop(fs::remove_dir(&path)),
            }
        }
    }

    /// The error itself, or why it came about if the store was closed.
    pub(super) fn explain(&self, error: Error) -> Error {
        match self.hold().closed && !error.is_stopped() {
            true => stopped(),
            false => error,
        }
    }
}

impl State {
    /// Keeps what was done where [`Live::close`] finds it, for as long as the disk is waited for.
    pub(super) fn remember(&mut self, done: Done) -> u64 {
        self.tickets += 1;
        self.pending.insert(self.tickets, done);
        self.tickets
    }

    /// What was remembered, unless it was undone.
    pub(super) fn take_back(&mut self, ticket: u64) -> Option<Done> {
        self.pending.remove(&ticket)
    }
}

/// The error for whoever comes too late.
pub(super) fn stopped() -> Error {
    Error::new(
        ErrorKind::Stopped,
        "the program was stopped, nothing is written",
    )
}
