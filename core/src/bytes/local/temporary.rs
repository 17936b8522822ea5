//! Temporary names beside the final ones.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::live::{Held, Live};

/// Names tried before giving up, should dead runs have left theirs.
const TRIES: u32 = 10_000;
/// Characters of the target's name in a temporary one; a name has at most 255 bytes on most systems.
pub(super) const NAME: usize = 50;

/// A file or folder called `.NAME.spr-PID.tmp`, which is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Temporary {
    path: PathBuf,
    live: Live,
}

impl Temporary {
    /// A new file in the folder of `target`.
    pub(super) fn file(live: &Live, target: &Path) -> io::Result<(Self, File)> {
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        Self::make(live, target, |path| options.open(path))
    }

    /// A new folder in the folder of `target`.
    pub(super) fn folder(live: &Live, target: &Path) -> io::Result<Self> {
        Ok(Self::make(live, target, |path| fs::create_dir(path))?.0)
    }

    fn make<T>(
        live: &Live,
        target: &Path,
        make: impl Fn(&Path) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        let mut held = live.enter().map_err(io::Error::other)?;
        let (path, made) = unused(target, "tmp", make)?;
        held.paths.insert(path.clone());
        let live = live.clone();
        Ok((Self { path, live }, made))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its final name.
    pub(super) fn rename(&mut self, to: &Path, held: &mut Held<'_>) -> io::Result<()> {
        fs::rename(&self.path, to)?;
        held.paths.remove(&std::mem::take(&mut self.path));
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let mut held = self.live.hold();
            remove(&self.path);
            held.paths.remove(&self.path);
        }
    }
}

pub(super) fn remove(path: &Path) {
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
pub(super) fn is_temporary(name: &str) -> bool {
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
        let live = Live::default();
        let stale = folder
            .path()
            .join(format!(".a.ark.spr-{}.tmp", std::process::id()));
        fs::write(&stale, "old").unwrap();
        let (first, _) = Temporary::file(&live, &target).unwrap();
        let second = Temporary::folder(&live, &target).unwrap();
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
        let (made, _) =
            Temporary::file(&Live::default(), &folder.path().join("é".repeat(127))).unwrap();
        assert!(made.path().exists());
    }

    #[test]
    fn other_names_are_not_temporary() {
        for name in ["a.tmp", ".a.tmp", ".a.spr-x.tmp", ".a.spr", "spr-1.tmp"] {
            assert!(!is_temporary(name), "{name}");
        }
    }
}
