//! The files that were read, so that none of them is replaced.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::{FileKind, Identity, Store, is_read};
use super::{FileStatus, Location};
use crate::Result;

/// Files opened for reading, known as their store knows them: by any name, through any link. Clones
/// share the list.
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

    /// Adds what a name leads to, if that is a file: devices and pipes are not replaced.
    pub(super) fn add_name(&self, store: &dyn Store, at: &Location) {
        if let Ok(Some(look)) = store.look(at)
            && look.kind == FileKind::File
        {
            self.add(look.identity);
        }
    }

    /// Refuses to replace one of them with `target`, which `look` has found.
    ///
    /// # Errors
    /// It is one.
    pub(super) fn refuse(&self, target: &Location, look: Option<&FileStatus>) -> Result<()> {
        match look.is_some_and(|look| self.files().contains(&look.identity)) {
            true => Err(is_read(target)),
            false => Ok(()),
        }
    }

    /// All of them up to now.
    pub(super) fn all(&self) -> HashSet<Identity> {
        self.files().clone()
    }
}
