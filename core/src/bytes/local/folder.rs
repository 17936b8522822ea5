//! Folders with one file per utterance.

use std::any::Any;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use super::super::Location;
use super::super::store::{
    Draft, DraftFolder, DraftOptions, FinishedFile, OpenedFile, is_foreign, second_in_folder,
};
use super::change::{Change, Fill, New};
use super::draft::AppendFile;
use super::hidden::FILLING;
use super::identity::{above, resolve};
use super::list::list;
use super::local_file::LocalFile;
use super::made::cannot_create;
use super::temporary::Temporary;
use super::temporary_list::TemporaryList;
use crate::error::{Error, Result};

/// The variable that names the user's home folder.
const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// A folder being written. Files are written under their own names into a temporary folder, which
/// is renamed to the target. If the target exists, its files are moved instead, because only that
/// folder may be writable.
#[derive(Debug)]
pub(super) struct Folder {
    target: Location,
    staging: Temporary,
    live: TemporaryList,
}

/// Refuses to empty the working folder, the home folder, or one that contains these.
pub(super) fn may_be_cleared(target: &Location) -> Result<()> {
    let resolved = resolve(target.path());
    let home = std::env::var_os(HOME).map(PathBuf::from);
    let spared = [
        (std::env::current_dir().ok(), "the working folder"),
        (
            home.filter(|home| home.is_absolute()),
            "the user's home folder",
        ),
    ];
    for (folder, what) in spared {
        if folder.is_some_and(|folder| resolve(&folder).starts_with(&resolved)) {
            let message = format!("is or contains {what}, and is never emptied");
            return Err(Error::usage(message)
                .file(target.to_string())
                .hint("add to it, or name a folder of its own"));
        }
    }
    Ok(())
}

impl Folder {
    /// Creates a folder with the final name `target`, which may exist.
    pub(super) fn begin(live: &TemporaryList, target: &Location) -> Result<Self> {
        let path = target.path();
        let is_dir = path.is_dir();
        // Only an existing folder may be writable.
        let staging = match is_dir {
            true => Temporary::folder(live, &path.join(FILLING)),
            false => Temporary::folder(live, path),
        };
        Ok(Self {
            staging: staging.map_err(|e| live.explain(cannot_create(target, e)))?,
            target: target.clone(),
            live: live.clone(),
        })
    }

    /// Returns the changes of a commit of `folder`, and the temporary files needed until then.
    pub(super) fn changes(
        folder: Option<Box<dyn DraftFolder>>,
        target: &Location,
        how: DraftOptions,
        changes: &mut Vec<Change>,
    ) -> Result<Option<Temporary>> {
        let path = target.path();
        let (overwrite, fill) = (how.overwrite, Fill::of(how));
        let Some(folder) = folder else {
            if !above(path).exists() {
                return Err(cannot_create(target, io::ErrorKind::NotFound.into()));
            }
            changes.push(Change {
                new: New::Folder(fill),
                target: path.to_owned(),
                overwrite,
            });
            return Ok(None);
        };
        let Ok(folder) = folder.into_any().downcast::<Self>() else {
            return Err(is_foreign(target));
        };
        let staging = folder.staging;
        if !path.exists() {
            changes.push(Change {
                new: New::Whole(staging),
                target: path.to_owned(),
                overwrite: false,
            });
            return Ok(None);
        }
        let failed = |e| Error::io("cannot fill the folder", e).file(target.to_string());
        for entry in walkdir::WalkDir::new(staging.path()) {
            let entry = entry.map_err(|e| failed(e.into()))?;
            let Ok(relative) = entry.path().strip_prefix(staging.path()) else {
                continue;
            };
            let is_folder = entry.file_type().is_dir();
            // Joined with nothing, a name would end with a slash.
            let to = match entry.depth() {
                0 => path.to_owned(),
                _ => path.join(relative),
            };
            if is_folder && entry.depth() > 0 && fill == Fill::Added && to.is_symlink() {
                return Err(Error::unfit("is a link, which may lead out of the folder")
                    .file(Location::from(to).to_string()));
            }
            changes.push(Change {
                new: match is_folder {
                    true if entry.depth() == 0 => New::Folder(fill),
                    true => New::Folder(Fill::Added),
                    false => New::Inside(entry.into_path()),
                },
                target: to,
                overwrite,
            });
        }
        Ok(Some(staging))
    }

    /// Returns the path of a file in the folder until the commit.
    fn path(&self, name: &Location) -> Option<PathBuf> {
        let mut parts = name.path().components();
        let inside = parts.all(|part| matches!(part, Component::Normal(_)));
        inside.then(|| self.staging.path().join(name.path()))
    }

    fn make(&self, path: &Path) -> io::Result<File> {
        let _held = self.live.enter().map_err(io::Error::other)?;
        if let Some(parent) = path.parent().filter(|p| *p != self.staging.path()) {
            fs::create_dir_all(parent)?;
        }
        File::options().write(true).create_new(true).open(path)
    }
}

impl DraftFolder for Folder {
    fn create(&mut self, name: &Location, durable: bool) -> Result<Box<dyn Draft>> {
        let shown = self.target.join(name);
        let Some(path) = self.path(name) else {
            return Err(Error::unfit("leads out of the folder").file(shown.to_string()));
        };
        let file = self.make(&path).map_err(|e| {
            let error = match e.kind() {
                io::ErrorKind::AlreadyExists if path.exists() => second_in_folder(&shown),
                _ => Error::io("cannot create", e).file(shown.to_string()),
            };
            self.live.explain(error)
        })?;
        Ok(Box::new(FolderFile {
            growing: AppendFile::new(file, durable),
            path,
            finished: false,
        }))
    }

    fn has(&self, name: &Location) -> bool {
        self.path(name).is_some_and(|path| path.exists())
    }

    fn open(&self, name: &Location) -> io::Result<Box<dyn OpenedFile>> {
        let path = self.path(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(LocalFile::open(&path)?))
    }

    fn list(&self) -> io::Result<Vec<Location>> {
        let root = Location::from(self.staging.path());
        let files = list(self.staging.path())?.into_iter();
        Ok(files.filter_map(|file| file.relative_to(&root)).collect())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A file of the folder, which is removed unless it is finished.
struct FolderFile {
    growing: AppendFile,
    path: PathBuf,
    finished: bool,
}

impl Write for FolderFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.growing.append(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[warn(clippy::missing_trait_methods)]
impl Draft for FolderFile {
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.growing.patch(at, bytes)
    }

    fn finish(mut self: Box<Self>) -> io::Result<Box<dyn FinishedFile>> {
        self.growing.finish()?;
        self.finished = true;
        Ok(Box::new(FinishedMember(self.path.clone())))
    }
}

impl Drop for FolderFile {
    fn drop(&mut self) {
        if !self.finished {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A finished file, owned by its folder.
#[derive(Debug)]
struct FinishedMember(PathBuf);

impl FinishedFile for FinishedMember {
    fn open(&self) -> io::Result<Box<dyn OpenedFile>> {
        Ok(Box::new(LocalFile::open(&self.0)?))
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
