//! The identity of files, independent of their names.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::path::{Component, Path, PathBuf};

use super::super::store::Identity;

/// The largest number of consecutive links, as in common systems.
const LINKS: u32 = 40;

/// Returns the identity of the file with metadata `meta` and name `path`.
#[cfg(unix)]
pub(super) fn of_existing(_: &Path, meta: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = vec![b'i'];
    bytes.extend_from_slice(&meta.dev().to_le_bytes());
    bytes.extend_from_slice(&meta.ino().to_le_bytes());
    Identity::new(bytes)
}

#[cfg(not(unix))]
pub(super) fn of_existing(path: &Path, _: &Metadata) -> Identity {
    of_name(&Names::default().resolve(path))
}

/// Returns the identity of `path`, whether it exists or not.
pub(super) fn of(path: &Path) -> Identity {
    Names::default().identity(path)
}

/// Returns the absolute name of `path` without links and `..`.
pub(super) fn resolve(path: &Path) -> PathBuf {
    Names::default().resolve(path)
}

fn of_name(resolved: &Path) -> Identity {
    let mut bytes = vec![b'n'];
    bytes.extend_from_slice(resolved.as_os_str().as_encoded_bytes());
    Identity::new(bytes)
}

/// A cache for resolving names by folder, because many files are in one folder.
#[derive(Default)]
pub(super) struct Names(HashMap<PathBuf, PathBuf>);

impl Names {
    /// Returns the identity of `path`, whether it exists or not.
    pub(super) fn identity(&mut self, path: &Path) -> Identity {
        match fs::metadata(path) {
            Ok(meta) => of_existing(path, &meta),
            Err(_) => of_name(&self.resolve(path)),
        }
    }

    /// Returns the absolute name of `path` without links and `..`.
    pub(super) fn resolve(&mut self, path: &Path) -> PathBuf {
        self.follow(path, LINKS)
    }

    /// Returns the parent folder by its canonical name, so that all runs lock folders in the same
    /// order.
    pub(super) fn folder_of(&mut self, path: &Path) -> PathBuf {
        self.folder(above(path), LINKS)
    }

    /// Returns the parent of `folder`, which ends with `..` and does not exist yet.
    fn folder_above(&mut self, folder: &Path, links: u32) -> Option<PathBuf> {
        let below = folder.parent()?;
        (folder.components().next_back() == Some(Component::ParentDir)).then(|| {
            let below = self.folder(below, links);
            below.parent().map_or_else(|| below.clone(), Path::to_owned)
        })
    }

    fn follow(&mut self, path: &Path, links: u32) -> PathBuf {
        let Some(name) = path.file_name() else {
            return self.folder(path, links);
        };
        let folder = self.folder(above(path), links);
        match fs::read_link(path) {
            Ok(to) if links > 0 => self.follow(&folder.join(to), links - 1),
            _ => folder.join(name),
        }
    }

    fn folder(&mut self, folder: &Path, links: u32) -> PathBuf {
        if let Some(known) = self.0.get(folder) {
            return known.clone();
        }
        let resolved = match (folder.canonicalize(), folder.file_name()) {
            (Ok(resolved), _) => resolved,
            // It does not exist yet.
            (Err(_), Some(_)) => self.follow(folder, links),
            (Err(_), None) => self.folder_above(folder, links).unwrap_or_else(|| {
                std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
            }),
        };
        self.0.insert(folder.to_owned(), resolved.clone());
        resolved
    }
}

/// Returns the parent folder according to the name.
pub(super) fn above(path: &Path) -> &Path {
    let folder = path.parent().map(Path::as_os_str);
    Path::new(folder.filter(|f| !f.is_empty()).unwrap_or(OsStr::new(".")))
}

/// Returns `true` if `path` refers to an open file descriptor, which may be a file without being a
/// name of it.
pub(super) fn is_open_already(path: &Path) -> bool {
    let own = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];
    let own = own.iter().any(|name| path == Path::new(name));
    own || path.starts_with("/dev/fd")
        || path
            .parent()
            .is_some_and(|p| p.starts_with("/proc") && p.file_name() == Some(OsStr::new("fd")))
}
