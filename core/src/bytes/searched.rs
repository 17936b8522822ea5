//! What a search for missing files has found out.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Location;

/// What was found out about missing files, shared by the clones of an environment.
#[derive(Debug, Default)]
pub(super) struct Whereabouts(Mutex<Search>);

#[derive(Debug, Default)]
pub(super) struct Search {
    /// The answers by the list, and by the folder of the missing file.
    pub(super) known: BTreeMap<(Option<Location>, Location), Option<[Location; 2]>>,
    /// The number of places looked at.
    pub(super) looks: usize,
}

impl Whereabouts {
    pub(super) fn lock(&self) -> MutexGuard<'_, Search> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
