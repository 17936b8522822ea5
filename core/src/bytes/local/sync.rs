//! Putting files and names on the disk.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::Builder;

use super::super::Location;
use crate::{Error, Result};

/// Files put on the disk at once.
const SYNCS: usize = 16;

/// Puts files, and all that folders hold, on the disk: several at a time, which the disk's journal
/// takes as one. Each comes with the name that it is to have.
pub(super) fn sync_files(made: &[(&Path, &Path)]) -> Result<()> {
    let mut paths = Vec::new();
    for &(path, target) in made {
        for entry in walkdir::WalkDir::new(path) {
            let entry = entry.map_err(|e| failed("cannot list", e.into(), target))?;
            paths.push((entry.into_path(), target));
        }
    }
    let some = paths.len().div_ceil(SYNCS).max(1);
    let sync_some = |paths: &[(PathBuf, &Path)]| {
        paths.iter().try_for_each(|(path, target)| {
            let result = match path.is_dir() {
                true => sync_folder(path),
                false => File::open(path).and_then(|file| file.sync_all()),
            };
            result.map_err(|e| failed("cannot write to the disk", e, target))
        })
    };
    std::thread::scope(|scope| {
        let mut work = Vec::new();
        for paths in paths.chunks(some) {
            let thread = Builder::new().spawn_scoped(scope, || sync_some(paths));
            match thread {
                Ok(thread) => work.push(thread),
                // The system has no more threads for us, so this one does it.
                Err(_) => sync_some(paths)?,
            }
        }
        work.into_iter().try_for_each(|thread| {
            let died = || Error::unsupported("a thread died");
            thread.join().map_err(|_| died())?
        })
    })
}

/// Puts the names in several folders on the disk.
pub(super) fn sync_folders(folders: &BTreeSet<PathBuf>) -> Result<()> {
    for folder in folders {
        sync_folder(folder).map_err(|e| failed("cannot write to the disk", e, folder))?;
    }
    Ok(())
}

/// Puts the names in a folder on the disk, where the system can.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        // A folder may be written to and not listed.
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        folder => match folder?.sync_all() {
            Err(e) if e.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result,
        },
    }
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// What went wrong with the file that was to be called `target`.
pub(super) fn failed(doing: &str, error: io::Error, target: &Path) -> Error {
    Error::io(doing, error).file(Location::from(target).to_string())
}
