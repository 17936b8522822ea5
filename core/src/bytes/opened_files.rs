//! The number and size of the files that data are read from.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::store::Identity;

/// The files opened through an environment, each counted once. Clones share the count.
#[derive(Clone, Debug, Default)]
pub struct OpenedFiles(Arc<Mutex<HashMap<Identity, u64>>>);

impl OpenedFiles {
    /// Adds a file of so many bytes.
    pub(super) fn add(&self, identity: Identity, bytes: u64) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(identity, bytes);
    }

    /// Returns the number of files and the sum of their stored sizes in bytes.
    pub fn sum(&self) -> (usize, u64) {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = files.values().fold(0u64, |sum, n| sum.saturating_add(*n));
        (files.len(), bytes)
    }
}
