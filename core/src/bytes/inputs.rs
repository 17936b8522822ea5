//! The list of inputs, none of which may be replaced.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::{FileKind, Identity, Store, is_read};
use super::{FileStatus, Location};
use crate::error::Result;

/// Files opened for reading, by their identity in the store, which is independent of names and
/// links. Clones share the list.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs(Arc<Mutex<HashSet<Identity>>>);

impl Inputs {
    fn files(&self) -> MutexGuard<'_, HashSet<Identity>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a file that was opened.
    pub(super) fn add(&self, identity: Identity) {
        self.files().insert(identity);
    }

    /// Adds a name, if it is a file: devices and pipes are not replaced.
    pub(super) fn add_name(&self, store: &dyn Store, at: &Location) {
        if let Ok(Some(look)) = store.look(at)
            && look.kind == FileKind::File
        {
            self.add(look.identity);
        }
    }

    /// Refuses to replace an input by `target`, which was looked up as `look`.
    ///
    /// # Errors
    /// It is an input.
    pub(super) fn refuse(&self, target: &Location, look: Option<&FileStatus>) -> Result<()> {
        match look.is_some_and(|look| self.files().contains(&look.identity)) {
            true => Err(is_read(target)),
            false => Ok(()),
        }
    }

    /// Returns all inputs so far.
    pub(super) fn all(&self) -> HashSet<Identity> {
        self.files().clone()
    }
}
