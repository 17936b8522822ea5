//! Temporary names beside the final ones.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::hidden::{remove, unused};
use super::temporary_list::{NamesGuard, TemporaryList};

/// A file or folder called `.NAME.spr-HOST-PID.tmp`, which is removed on drop.
#[derive(Debug)]
pub(super) struct Temporary {
    path: PathBuf,
    live: TemporaryList,
}

impl Temporary {
    /// Creates a file in the folder of `target`.
    pub(super) fn file(live: &TemporaryList, target: &Path) -> io::Result<(Self, File)> {
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        // The replacement of a file with restricted access is private until it is complete. That of
        // a link inherits nothing, so it is an ordinary new file.
        #[cfg(unix)]
        if target.symlink_metadata().is_ok_and(|old| old.is_file()) {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        Self::make(live, target, |path| options.open(path))
    }

    /// Creates a folder in the folder of `target`.
    pub(super) fn folder(live: &TemporaryList, target: &Path) -> io::Result<Self> {
        Ok(Self::make(live, target, |path| fs::create_dir(path))?.0)
    }

    fn make<T>(
        live: &TemporaryList,
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
    pub(super) fn rename(&mut self, to: &Path, held: &mut NamesGuard<'_>) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::super::hidden::{host, is_temporary};
    use super::*;

    #[test]
    fn leftovers_are_neither_touched_nor_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.ark");
        let live = TemporaryList::default();
        let stale = folder
            .path()
            .join(format!(".a.ark.spr-{}-{}.tmp", host(), std::process::id()));
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
        let (made, _) = Temporary::file(
            &TemporaryList::default(),
            &folder.path().join("é".repeat(127)),
        )
        .unwrap();
        assert!(made.path().exists());
    }

    #[test]
    fn other_names_are_not_temporary() {
        for name in [
            ".a.spr-1.tmp",
            ".a.spr-1-2.old",
            ".a.spr-n_1-2.tmp",
            ".a.spr-n-1-2.old",
        ] {
            assert!(is_temporary(name), "{name}");
        }
        for name in [
            "a.tmp",
            ".a.tmp",
            ".a.spr-x.tmp",
            ".a.spr",
            "spr-1.tmp",
            ".a.spr-x-y.tmp",
            ".a.spr-x-1-2-3.tmp",
            ".a.spr-.tmp",
        ] {
            assert!(!is_temporary(name), "{name}");
        }
    }
}
