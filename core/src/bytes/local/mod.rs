//! The local file system as a store: the only code that deals with paths, renames and inodes.
//!
//! Files are written under temporary names beside their targets, synced to disk and renamed.

mod attributes;
mod change;
mod commit;
mod draft;
mod folder;
mod hidden;
mod identity;
mod leftovers;
mod list;
mod local_file;
mod made;
mod moments;
mod rename_log;
mod sync;
mod sync_thread;
mod temporary;
mod temporary_list;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::store::{
    Change, Draft, DraftFolder, DraftOptions, FileKind, FileStatus, Identity, OpenedFile, Store,
    exists, holds_files, is_file, is_folder,
};
use super::{Finish, Leftover, Location};
use crate::error::{Error, Remedy, Result};
use draft::FileDraft;
use folder::Folder;
use hidden::is_empty;
pub(super) use local_file::LocalFile;
pub(crate) use made::cannot_create;
use temporary::Temporary;
use temporary_list::TemporaryList;

/// The local file system. Clones share the list of unfinished files.
///
/// A program that cleans up on a signal keeps a clone of the store of its [`Env`](super::Env) and
/// calls [`abandon`](Self::abandon).
#[derive(Clone, Debug, Default)]
pub struct Local {
    live: TemporaryList,
}

impl Local {
    /// Creates a store without temporary files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all that has a temporary name, takes back what is being committed, and keeps the
    /// rest from getting any final name: whoever creates or commits afterwards gets an error that
    /// [is stopped](crate::error::Error::is_stopped). For a program that is about to exit on a signal.
    pub fn abandon(&self) {
        self.live.close();
    }
}

impl Store for Local {
    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
        let path = path(at)?;
        match fs::metadata(path) {
            Ok(meta) => {
                let (kind, length) = match () {
                    () if meta.is_file() && !identity::is_open_already(path) => {
                        (FileKind::File, meta.len())
                    }
                    () if meta.is_dir() => (FileKind::Folder, 0),
                    () => (FileKind::Stream, 0),
                };
                let identity = identity::of_existing(path, &meta);
                let status = FileStatus::new(kind, length, identity);
                Ok(Some(status.with_modified(meta.modified().ok())))
            }
            Err(e) if is_missing(&e) => Ok(None),
            Err(e) => Err(e),
        }
    }

    fn identify(&self, at: &Location) -> Identity {
        identity::of(at.path())
    }

    fn resolve(&self, at: &Location) -> Location {
        identity::resolve(at.path()).into()
    }

    fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>> {
        Ok(Box::new(LocalFile::open(path(at)?)?))
    }

    fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
        list::list(path(folder)?)
    }

    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
        list::entries(path(folder)?)
    }

    fn write_to(&self, stream: &Location) -> io::Result<Box<dyn Finish>> {
        Ok(Box::new(File::options().write(true).open(path(stream)?)?))
    }

    fn may_create(&self, target: &Location, folder: bool, how: DraftOptions) -> Result<()> {
        let path =
            path(target).map_err(|e| Error::io("cannot create", e).file(target.to_string()))?;
        match path.symlink_metadata() {
            Ok(_) if !folder && path.is_dir() => Err(is_folder(target)),
            Ok(_) if !folder && !how.overwrite => Err(exists(target)),
            Ok(_) if folder && path.exists() && !path.is_dir() => Err(is_file(target)),
            Ok(_) if folder && !how.add && path.is_dir() && !is_empty(path) => {
                match how.overwrite {
                    true => folder::may_be_cleared(target),
                    false => Err(holds_files(target)),
                }
            }
            _ => Ok(()),
        }
    }

    fn check_folder_of(&self, target: &Location) -> Result<()> {
        let Some(folder) = target.parent() else {
            return Ok(());
        };
        let found = fs::metadata(folder.path()).and_then(|found| match found.is_dir() {
            true => Ok(()),
            false => Err(io::ErrorKind::NotADirectory.into()),
        });
        found.map_err(|e| cannot_create(target, e))
    }

    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
        self.may_create(target, false, how)?;
        let made = Temporary::file(&self.live, target.path());
        let (temporary, file) = made.map_err(|e| self.live.explain(cannot_create(target, e)))?;
        Ok(Box::new(FileDraft::new(file, temporary, how.durable)))
    }

    fn create_folder(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn DraftFolder>> {
        self.may_create(target, true, how)?;
        Ok(Box::new(Folder::begin(&self.live, target)?))
    }

    fn commit(&self, changes: Vec<Change>, kept: &HashSet<Identity>, durable: bool) -> Result<()> {
        let result = commit::commit(&self.live, changes, kept, durable);
        result.map_err(|e| self.live.explain(e))
    }

    fn make_folder(&self, folder: &Location, durable: bool) -> Result<bool> {
        made::make(&self.live, folder, durable)
    }

    fn settle_folder(&self, folder: &Location, stays: bool) {
        made::settle(&self.live, folder, stays);
    }

    fn leftovers(&self, target: &Location) -> Vec<Leftover> {
        leftovers::find(target.path())
    }
}

/// Returns the path of a name that is not a URL.
fn path(at: &Location) -> io::Result<&Path> {
    match at.is_url() {
        true => {
            let error = Error::unsupported("URLs can't be opened here");
            let error = error.suggest(Remedy::BuildRemote);
            Err(io::Error::new(io::ErrorKind::Unsupported, error))
        }
        false => Ok(at.path()),
    }
}

/// Returns `true` if the error means that the name does not exist.
fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests;
