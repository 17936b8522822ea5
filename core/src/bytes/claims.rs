//! The destinations of all outputs in a run: no file or stream is written twice, however its name
//! is spelt.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::{FileKind, Identity, Store, is_inside, is_twin};
use super::{Location, Locator};
use crate::error::Result;

/// Standard output as a file.
const STDOUT: &str = "/dev/stdout";
/// A file that accepts any number of writers.
const NULL: &str = "/dev/null";

/// The destinations being written. Clones share the list.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims(Arc<Mutex<List>>);

#[derive(Debug, Default)]
struct List {
    taken: HashSet<Identity>,
    /// Absolute names; for folders, with the names as given.
    names: BTreeMap<Location, Option<Location>>,
    /// Files that existed when they were claimed, including by outputs that were dropped.
    replaced: HashSet<Identity>,
    /// Folders that existed when they were claimed.
    emptied: Vec<Location>,
}

/// A claim to a file, folder or stream, which is released on drop.
pub(super) struct Claim {
    claims: Claims,
    identity: Identity,
    /// The absolute name of a file or folder.
    name: Option<Location>,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

impl Claims {
    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims `at`, or returns `None` if it accepts any number of writers.
    ///
    /// # Errors
    /// It is already claimed, is in a claimed folder, or is a folder with something claimed.
    pub(super) fn take(&self, at: &Locator, store: &dyn Store) -> Result<Option<Claim>> {
        let null = store.identify(&NULL.into());
        let (identity, named) = match at {
            Locator::Standard => match store.identify(&STDOUT.into()) {
                identity if identity == null => (Identity::new(*b"standard output"), None),
                identity => (identity, None),
            },
            Locator::File(file) => (store.identify(file), Some((file, false))),
            Locator::Folder(folder) => (store.identify(folder), Some((folder, true))),
            Locator::FileAt(..) | Locator::Command(_) | Locator::Nowhere => return Ok(None),
        };
        if named.is_some() && identity == null {
            return Ok(None);
        }
        let name = named.map(|(at, is_folder)| (store.resolve(at), at, is_folder));
        let look = named.and_then(|(at, _)| store.look(at).ok().flatten());
        let mut list = self.list();
        if let Some((name, at, is_folder)) = &name {
            let mut above = std::iter::successors(name.parent(), Location::parent);
            if let Some(folder) = above.find_map(|above| list.names.get(&above)?.clone()) {
                return Err(is_inside(at, &folder));
            }
            let mut within = list.names.range(name..);
            let inner = within.find(|(other, _)| *other != name);
            if let Some((inner, _)) = inner.filter(|(inner, _)| *is_folder && inner.is_within(name))
            {
                return Err(is_inside(inner, at));
            }
        }
        if !list.taken.insert(identity.clone()) {
            return Err(is_twin(&at.target().into()));
        }
        match look.map(|look| look.kind) {
            Some(FileKind::File) => drop(list.replaced.insert(identity.clone())),
            Some(FileKind::Folder) => list.emptied.extend(name.clone().map(|(name, ..)| name)),
            _ => {}
        }
        let name = name.map(|(name, at, is_folder)| {
            let folder = is_folder.then(|| at.clone());
            list.names.insert(name.clone(), folder);
            name
        });
        Ok(Some(Claim {
            claims: self.clone(),
            identity,
            name,
        }))
    }

    /// Returns `true` if an output would replace any existing file or folder.
    pub(super) fn replace_something(&self) -> bool {
        let list = self.list();
        !list.replaced.is_empty() || !list.emptied.is_empty()
    }

    /// Returns `true` if an output would replace the file.
    pub(super) fn would_replace(&self, file: &Location, store: &dyn Store) -> bool {
        let list = self.list();
        let name = (!list.emptied.is_empty()).then(|| store.resolve(file));
        list.replaced.contains(&store.identify(file))
            || name.is_some_and(|name| list.emptied.iter().any(|folder| name.is_within(folder)))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut list = self.claims.list();
        list.taken.remove(&self.identity);
        if let Some(name) = &self.name {
            list.names.remove(name);
        }
    }
}
