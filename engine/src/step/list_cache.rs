//! The files that steps read besides the data, each read once.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{Location, Locator};
use spr_core::format::LabelTable;
use spr_core::model::Key;
use spr_core::stage::{CmvnGroup, CmvnTable};
use spr_core::{KeyMap, Result};

/// Tables of labels by file and model.
type LabelTables = HashMap<(Location, String), Arc<LabelTable>>;

/// Statistics by file and group.
type CmvnTables = HashMap<(Location, CmvnGroup), Arc<CmvnTable>>;

/// The files that steps have read, for one opening of a plan: consecutive inputs, key filters and
/// second passes need the same file, which may be a pipe. Clones share it.
#[derive(Clone, Default)]
pub struct ListCache {
    lists: Arc<Mutex<HashMap<Location, Arc<HashSet<Key>>>>>,
    maps: Arc<Mutex<HashMap<Locator, Arc<KeyMap>>>>,
    labels: Arc<Mutex<LabelTables>>,
    cmvn: Arc<Mutex<CmvnTables>>,
}

impl ListCache {
    /// The keys of a list, which `read` gives the first time.
    ///
    /// # Errors
    /// As `read`.
    pub(super) fn keys(
        &self,
        file: &Location,
        read: impl FnOnce() -> Result<HashSet<Key>>,
    ) -> Result<Arc<HashSet<Key>>> {
        once(&self.lists, file, read)
    }

    /// A map of keys, which `read` gives the first time.
    ///
    /// # Errors
    /// As `read`.
    pub(crate) fn map(
        &self,
        file: &Locator,
        read: impl FnOnce() -> Result<KeyMap>,
    ) -> Result<Arc<KeyMap>> {
        once(&self.maps, file, read)
    }

    /// What the labels of a model are in a unit, which `read` gives the first time.
    ///
    /// # Errors
    /// As `read`.
    pub(super) fn labels(
        &self,
        model: &Location,
        unit: &str,
        read: impl FnOnce() -> Result<LabelTable>,
    ) -> Result<Arc<LabelTable>> {
        once(&self.labels, &(model.clone(), unit.to_owned()), read)
    }

    /// The stored statistics of groups of utterances, which `read` gives the first time.
    ///
    /// # Errors
    /// As `read`.
    pub(super) fn cmvn(
        &self,
        file: &Location,
        by: CmvnGroup,
        read: impl FnOnce() -> Result<CmvnTable>,
    ) -> Result<Arc<CmvnTable>> {
        once(&self.cmvn, &(file.clone(), by), read)
    }
}

/// Returns what is known of a file, or reads it now.
fn once<F: Clone + Eq + Hash, T>(
    known: &Mutex<HashMap<F, Arc<T>>>,
    file: &F,
    read: impl FnOnce() -> Result<T>,
) -> Result<Arc<T>> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(file) {
        return Ok(found.clone());
    }
    let found = Arc::new(read()?);
    known.insert(file.clone(), found.clone());
    Ok(found)
}
