//! The undo log of a commit.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::hidden::{is_temporary, remove, unused};
use super::leftovers::is_leftover;
use super::moments::moment;
use super::sync::failed;
use crate::error::Result;

/// Names that were changed.
#[derive(Debug, Default)]
pub(super) struct RenameLog {
    folders: Vec<PathBuf>,
    pub(super) named: Vec<PathBuf>,
    aside: Vec<(PathBuf, PathBuf)>,
    /// Whether a file was replaced atomically, which cannot be undone.
    pub(super) is_final: bool,
}

impl RenameLog {
    pub(super) fn make_folder(&mut self, folder: &Path) -> Result<()> {
        match fs::create_dir(folder) {
            Ok(()) => self.folders.push(folder.to_owned()),
            Err(_) if folder.is_dir() => {}
            Err(e) => return Err(failed("cannot make the folder", e, folder)),
        }
        Ok(())
    }

    /// Moves `target` aside, if it exists and is not a folder.
    pub(super) fn move_aside(&mut self, target: &Path) -> io::Result<()> {
        match target.symlink_metadata() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Ok(meta) if meta.is_dir() => Ok(()),
            _ => self.rename_aside(target, |path| {
                let new = File::options().write(true).create_new(true).open(path);
                new.map(drop)
            }),
        }
    }

    /// Moves the content of `folder` aside, except for temporary files of other runs that are alive.
    pub(super) fn clear(&mut self, folder: &Path) -> io::Result<()> {
        let entries = match fs::read_dir(folder) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries.collect::<io::Result<Vec<_>>>()? {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            match entry.file_type()?.is_dir() {
                _ if is_temporary(&name) && !is_leftover(folder, &name) => {}
                true => self.rename_aside(&entry.path(), |path| fs::create_dir(path))?,
                false => self.move_aside(&entry.path())?,
            }
        }
        Ok(())
    }

    /// Renames `target` to a name created by `reserve`.
    fn rename_aside(
        &mut self,
        target: &Path,
        reserve: impl Fn(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        // The name is reserved first, because renaming would replace an existing file.
        let (aside, ()) = unused(target, "old", reserve)?;
        moment();
        self.aside.push((aside, target.to_owned()));
        if let Some((aside, target)) = self.aside.last() {
            // On Windows a folder replaces none, not even an empty one.
            if cfg!(windows) && aside.is_dir() {
                fs::remove_dir(aside)?;
            }
            fs::rename(target, aside)?;
        }
        moment();
        Ok(())
    }

    /// Restores all names.
    pub(super) fn undo(self) {
        for path in self.named.iter().rev() {
            let _ = match path.is_dir() {
                true => fs::remove_dir_all(path),
                false => fs::remove_file(path),
            };
        }
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
        for (aside, target) in self.aside.iter().rev() {
            let _ = match target.symlink_metadata() {
                // It was never moved.
                Ok(meta) if meta.is_dir() => fs::remove_dir(aside),
                Ok(_) => fs::remove_file(aside),
                Err(_) => fs::rename(aside, target),
            };
        }
    }

    /// Removes the files that were moved aside.
    pub(super) fn forget(self) {
        for (aside, _) in &self.aside {
            remove(aside);
            moment();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_folder_is_not_taken_for_an_empty_one() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("a");
        fs::write(&file, "old").unwrap();
        let mut log = RenameLog::default();
        log.clear(&root.path().join("none")).unwrap();
        log.clear(&file).unwrap_err();
        log.move_aside(&root.path().join("none")).unwrap();
        log.move_aside(&file.join("below")).unwrap_err();
        assert!(log.aside.is_empty());
        log.clear(root.path()).unwrap();
        assert!(!file.exists());
        log.undo();
        assert_eq!(fs::read(&file).unwrap(), b"old");
    }
}
