//! The files that were read, so that none of them is replaced.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Error, Result};

/// Files opened for reading, known as the system knows them: by any path, through any link. Clones
/// share the list.
#[derive(Clone, Default)]
pub(crate) struct Inputs(Arc<Mutex<HashSet<Id>>>);

#[cfg(unix)]
type Id = (u64, u64);
#[cfg(not(unix))]
type Id = std::path::PathBuf;

#[cfg(unix)]
fn id(path: &Path) -> Option<Id> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs::metadata(path).ok()?;
    // Devices and pipes are not replaced but written to.
    meta.is_file().then(|| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn id(path: &Path) -> Option<Id> {
    fs::canonicalize(path).ok()
}

impl Inputs {
    /// Adds a file.
    pub(crate) fn add(&self, path: &Path) {
        if let Some(id) = id(path) {
            let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            files.insert(id);
        }
    }

    /// Refuses to replace one of them.
    ///
    /// # Errors
    /// `target` is one.
    pub(crate) fn refuse(&self, target: &Path) -> Result<()> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match id(target).is_some_and(|id| files.contains(&id)) {
            true => Err(Error::usage("is read and can't be written in the same run")
                .file(target.display().to_string())
                .hint("write to another name and rename it afterwards")),
            false => Ok(()),
        }
    }
}
