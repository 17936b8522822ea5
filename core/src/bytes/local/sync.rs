//! Syncing of files and names to disk.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::Builder;

use super::super::Location;
use crate::error::{Error, Result};

/// The number of files synced concurrently.
const SYNCS: usize = 16;

/// Syncs files, and the content of folders: several at a time, which the file system's journal
/// combines. Each comes with its final name.
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
                false => sync_file(path),
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
                // No more threads can be started, so this one does the work.
                Err(_) => sync_some(paths)?,
            }
        }
        work.into_iter().try_for_each(|thread| {
            let died = || Error::unsupported("a thread died");
            thread.join().map_err(|_| died())?
        })
    })
}

/// Syncs the content of a file. Windows does so for files alone that are open for writing.
fn sync_file(path: &Path) -> io::Result<()> {
    let mut options = File::options();
    options
        .read(true)
        .write(cfg!(windows))
        .open(path)?
        .sync_all()
}

/// Syncs the names in several folders.
pub(super) fn sync_folders(folders: &BTreeSet<PathBuf>) -> Result<()> {
    for folder in folders {
        sync_folder(folder).map_err(|e| failed("cannot write to the disk", e, folder))?;
    }
    Ok(())
}

/// Syncs the names in a folder, if the system supports it.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        // A folder may be writable but not readable.
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

/// Returns the error for the file with the final name `target`.
pub(super) fn failed(doing: &str, error: io::Error, target: &Path) -> Error {
    Error::io(doing, error).file(Location::from(target).to_string())
}
