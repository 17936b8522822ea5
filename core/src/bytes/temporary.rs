//! Temporary names beside the final ones, and the list of those that this process has.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Error;

/// Names tried before giving up, should dead runs have left theirs.
const TRIES: u32 = 10_000;
/// Characters of the target's name in a temporary one; a name has at most 255 bytes on most systems.
pub(super) const NAME: usize = 50;

/// What this process has under temporary names, and folders made for it. Whoever makes, renames or
/// removes one holds it.
static LIVE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The error for an output that is there and may not be replaced.
pub(super) fn exists(name: String) -> Error {
    Error::usage("exists already")
        .file(name)
        .hint("replace it with --overwrite")
}

/// The right to make, rename and remove what is temporary.
pub(super) type Live = MutexGuard<'static, BTreeSet<PathBuf>>;

pub(super) fn live() -> Live {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all that this process has under temporary names and keeps it from getting any final
/// name. For a program that is about to exit on a signal: outputs block for ever afterwards.
pub fn abandon_outputs() {
    let live = live();
    // What is inside a folder comes behind it.
    for path in live.iter().rev() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match is_temporary(&name) {
            true => remove(path),
            false => drop(fs::remove_dir(path)),
        }
    }
    std::mem::forget(live);
}

/// A file or folder called `.NAME.spr-PID.tmp`, which is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Temporary(PathBuf);

impl Temporary {
    /// A new file in the folder of `target`.
    pub(super) fn file(target: &Path) -> io::Result<(Self, File)> {
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        Self::make(target, |path| options.open(path))
    }

    /// A new folder in the folder of `target`.
    pub(super) fn folder(target: &Path) -> io::Result<Self> {
        Ok(Self::make(target, |path| fs::create_dir(path))?.0)
    }

    fn make<T>(target: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(Self, T)> {
        let mut live = live();
        let (path, made) = unused(target, "tmp", make)?;
        live.insert(path.clone());
        Ok((Self(path), made))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Gives it its final name.
    pub(super) fn rename(&mut self, to: &Path, live: &mut Live) -> io::Result<()> {
        fs::rename(&self.0, to)?;
        live.remove(&std::mem::take(&mut self.0));
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            let mut live = live();
            remove(&self.0);
            live.remove(&self.0);
        }
    }
}

fn remove(path: &Path) {
    let _ = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// Calls `make` with names beside `target` until one is not taken.
pub(super) fn unused<T>(
    target: &Path,
    ending: &str,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    let target = std::path::absolute(target)?;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let name: String = name.to_string_lossy().chars().take(NAME).collect();
    let stem = format!(".{name}.spr-{}", std::process::id());
    for n in 0..TRIES {
        let name = match n {
            0 => format!("{stem}.{ending}"),
            n => format!("{stem}-{n}.{ending}"),
        };
        let path = target.with_file_name(name);
        match make(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            result => return Ok((path, result?)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Whether a file name is that of something temporary, whose run may be dead.
pub fn is_temporary(name: &str) -> bool {
    let stem = name.strip_prefix('.').and_then(|n| {
        n.strip_suffix(".tmp")
            .or_else(|| n.strip_suffix(".old"))?
            .rsplit_once(".spr-")
    });
    stem.is_some_and(|(_, id)| id.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

/// Whether `path` is a folder that holds nothing but what is temporary.
pub(super) fn is_empty(path: &Path) -> bool {
    let holds = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| !is_temporary(&entry.file_name().to_string_lossy()))
    };
    fs::read_dir(path).is_ok_and(|mut entries| !entries.any(holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_neither_touched_nor_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.ark");
        let stale = folder
            .path()
            .join(format!(".a.ark.spr-{}.tmp", std::process::id()));
        fs::write(&stale, "old").unwrap();
        let (first, _) = Temporary::file(&target).unwrap();
        let second = Temporary::folder(&target).unwrap();
        assert_ne!(first.path(), second.path());
        for path in [first.path(), second.path()] {
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(is_temporary(name), "{name}");
        }
        let paths = [first.path().to_owned(), second.path().to_owned()];
        drop((first, second));
        assert!(paths.iter().all(|path| !path.exists()));
        assert_eq!(fs::read(&stale).unwrap(), b"old");
    }

    #[test]
    fn long_names_have_temporaries_too() {
        let folder = tempfile::tempdir().unwrap();
        let (made, _) = Temporary::file(&folder.path().join("é".repeat(127))).unwrap();
        assert!(made.path().exists());
    }

    #[test]
    fn other_names_are_not_temporary() {
        for name in ["a.tmp", ".a.tmp", ".a.spr-x.tmp", ".a.spr", "spr-1.tmp"] {
            assert!(!is_temporary(name), "{name}");
        }
    }
}
