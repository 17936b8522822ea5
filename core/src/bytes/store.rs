//! Storage of files: the contract between an [`Env`](super::Env) and a file system.

use std::any::Any;
use std::collections::HashSet;
use std::fmt::Debug;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::SystemTime;

use super::finish::Finish;
use super::{Leftover, Location};
use crate::error::{Error, Remedy, Result};

/// A file system with atomic creation of files.
///
/// Readers and writers of data use an [`Env`](super::Env), which also knows permissions, inputs and
/// limits. A new kind of storage implements this trait.
///
/// ```
/// use std::io::Read;
/// use spr_core::bytes::{FileKind, MemoryStore, Store};
///
/// let store = MemoryStore::new();
/// store.insert("feats/a.bin", b"abc".to_vec());
/// let status = store.look(&"feats/a.bin".into())?.unwrap();
/// assert_eq!((status.kind, status.length), (FileKind::File, 3));
/// assert_eq!(store.list(&"feats".into())?, ["feats/a.bin".into()]);
/// assert!(store.look(&"feats/b.bin".into())?.is_none());
/// let mut bytes = Vec::new();
/// store.open(&"feats/a.bin".into())?.read_to_end(&mut bytes)?;
/// assert_eq!(bytes, b"abc");
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait Store: Send + Sync + Debug {
    /// Looks up a name, following links, and returns `None` if it does not exist.
    ///
    /// # Errors
    /// The system refuses to say.
    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>>;

    /// Returns the identity of a name, whether it exists or not: names with the same identity are
    /// names of the same file or folder.
    fn identify(&self, at: &Location) -> Identity;

    /// Returns the absolute name without links and `..`, whether it exists or not.
    fn resolve(&self, at: &Location) -> Location;

    /// Opens a file, device or pipe for reading.
    ///
    /// # Errors
    /// It does not exist, is a folder, or the system refuses.
    fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>>;

    /// Lists all files below a folder, by names that start with the folder's, following links and
    /// in any order. Uncommitted files are omitted.
    ///
    /// # Errors
    /// The system refuses, or links form a cycle.
    fn list(&self, folder: &Location) -> io::Result<Vec<Location>>;

    /// Lists the direct entries of a folder, by names that start with the folder's, in any order.
    /// The empty name is the working folder. Uncommitted files are omitted.
    ///
    /// # Errors
    /// The system refuses.
    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>>;

    /// Opens a [stream](FileKind::Stream), which is written to instead of replaced.
    ///
    /// # Errors
    /// The system refuses.
    fn write_to(&self, stream: &Location) -> io::Result<Box<dyn Finish>>;

    /// Checks that a file, or a folder of files, with the final name `target` may be created.
    ///
    /// # Errors
    /// As for [`create`](Self::create) or [`create_folder`](Self::create_folder), as far as that is
    /// known before anything is created.
    fn may_create(&self, target: &Location, is_folder: bool, how: DraftOptions) -> Result<()>;

    /// Checks that the folder in which something with the final name `target` would be created is there,
    /// in a store that does not create folders by itself.
    ///
    /// # Errors
    /// It is not.
    fn check_folder_of(&self, _target: &Location) -> Result<()> {
        Ok(())
    }

    /// Creates a draft with the final name `target`.
    ///
    /// # Errors
    /// The file exists and may not be replaced, is a folder, or the system refuses.
    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>>;

    /// Creates a folder of files with the final name `target`.
    ///
    /// # Errors
    /// There is a file, or a folder that is not empty and may be neither replaced nor added to, or
    /// the system refuses.
    fn create_folder(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn DraftFolder>>;

    /// Makes all `changes` in order, or none; with `durable`, they survive a power failure. Inputs
    /// in `kept` are neither replaced nor removed. Changes abandon themselves when they are
    /// dropped.
    ///
    /// # Errors
    /// A target exists and may not be replaced, is in `kept`, or appears twice under any names, or
    /// the system refuses; then nothing is changed.
    fn commit(&self, changes: Vec<Change>, kept: &HashSet<Identity>, durable: bool) -> Result<()>;

    /// Temporarily creates a folder for outputs if it does not exist, and returns `true` if it did
    /// not. Its parent must exist.
    ///
    /// # Errors
    /// The system refuses.
    fn make_folder(&self, folder: &Location, durable: bool) -> Result<bool>;

    /// Keeps a folder created by [`make_folder`](Self::make_folder), or removes it if it is empty.
    fn settle_folder(&self, folder: &Location, stays: bool);

    /// Returns temporary files that killed runs left behind for `target`, sorted. For a folder,
    /// those inside it as well.
    fn leftovers(&self, target: &Location) -> Vec<Leftover>;
}

/// The status of a name.
///
/// ```
/// use spr_core::bytes::{FileKind, FileStatus, Identity};
///
/// let object = FileStatus::new(FileKind::File, 1000, Identity::new(*b"bucket/a.ark"));
/// let object = object.with_version(Some("etag".to_owned()));
/// assert_eq!(object.version.as_deref(), Some("etag"));
/// assert_eq!((object.length, object.modified), (1000, None));
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStatus {
    /// The kind of file.
    pub kind: FileKind,
    /// The size in bytes of a file, otherwise 0.
    pub length: u64,
    /// The identity, which is independent of the name.
    pub identity: Identity,
    /// A mark of the content, such as an ETag, if the store has one.
    pub version: Option<String>,
    /// The time of the last change, if the store knows it.
    pub modified: Option<SystemTime>,
}

impl FileStatus {
    /// Creates a status with a size in bytes.
    pub fn new(kind: FileKind, length: u64, identity: Identity) -> Self {
        Self {
            kind,
            length,
            identity,
            version: None,
            modified: None,
        }
    }

    /// Adds a mark of the content.
    #[must_use]
    pub fn with_version(self, version: Option<String>) -> Self {
        Self { version, ..self }
    }

    /// Adds the time of the last change.
    #[must_use]
    pub fn with_modified(self, modified: Option<SystemTime>) -> Self {
        Self { modified, ..self }
    }
}

/// The kind of file behind a name.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A device or pipe: read once and sequentially, written to instead of replaced.
    Stream,
}

/// The identity of a file in a store, whatever its name; meaningless in another store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(Box<[u8]>);

impl Identity {
    /// Creates an identity of a store.
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Self {
        Self(bytes.into())
    }
}

/// A file open for reading.
pub trait OpenedFile: Read + Seek + Send {
    /// Returns the size in bytes, if it is a file.
    fn length(&self) -> Option<u64>;

    /// Returns `true` if seeking is supported.
    fn can_seek(&self) -> bool;

    /// Returns the identity in the store, if it is a file.
    fn identity(&self) -> Option<Identity>;
}

/// Returns the position that a seek in a file of `length` bytes leads to from position `now`.
///
/// # Errors
/// It is before the start of the file.
pub fn seek_position(to: SeekFrom, now: u64, length: u64) -> io::Result<u64> {
    let position = match to {
        SeekFrom::Start(at) => Some(at),
        SeekFrom::Current(by) => now.checked_add_signed(by),
        SeekFrom::End(by) => length.checked_add_signed(by),
    };
    position.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// The options for creating a file or folder.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DraftOptions {
    /// Whether it may replace a file, or the content of a folder.
    pub overwrite: bool,
    /// Whether files are added to an existing folder, where `overwrite` allows replacing some.
    pub add: bool,
    /// Whether it must survive a power failure, so that it is synced to disk while it grows.
    pub durable: bool,
}

impl DraftOptions {
    /// Creates options: whether it may replace something, may add to a folder, and must survive a
    /// power failure.
    pub fn new(overwrite: bool, add: bool, durable: bool) -> Self {
        Self {
            overwrite,
            add,
            durable,
        }
    }
}

/// A file being written without a final name, which is removed if it is dropped before it is
/// finished. Bytes are appended, in large pieces.
pub trait Draft: Write + Send {
    /// Overwrites bytes written before, from byte `at` on.
    ///
    /// # Errors
    /// The system refuses.
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Completes it. The result is for [`Store::commit`], and removed on drop; a file of a
    /// [`DraftFolder`] stays in its folder.
    ///
    /// # Errors
    /// The system refuses.
    fn finish(self: Box<Self>) -> io::Result<Box<dyn FinishedFile>>;
}

/// A finished file without its final name, which is removed on drop.
pub trait FinishedFile: Send + Debug {
    /// Opens it for reading.
    ///
    /// # Errors
    /// The system refuses.
    fn open(&self) -> io::Result<Box<dyn OpenedFile>>;

    /// Returns itself for downcasting by its store.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// A folder of files without its final name, which is removed on drop.
pub trait DraftFolder: Send + Debug {
    /// Creates a file, whose name may have several parts.
    ///
    /// # Errors
    /// The name exists in it or leads out of it, or the system refuses.
    fn create(&mut self, name: &Location, durable: bool) -> Result<Box<dyn Draft>>;

    /// Returns `true` if it has a file of this name, so that [`create`](Self::create) would fail.
    fn has(&self, name: &Location) -> bool;

    /// Opens a finished file by its name in the folder.
    ///
    /// # Errors
    /// It does not exist, or the system refuses.
    fn open(&self, name: &Location) -> io::Result<Box<dyn OpenedFile>>;

    /// Returns the names of its files in any order.
    ///
    /// # Errors
    /// The system refuses.
    fn list(&self) -> io::Result<Vec<Location>>;

    /// Returns itself for downcasting by its store.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// The change of one name.
#[non_exhaustive]
#[derive(Debug)]
pub struct Change {
    /// The name.
    pub target: Location,
    /// Its new content.
    pub new: New,
    /// The permission to replace an existing file, or to add to a folder.
    pub how: DraftOptions,
}

impl Change {
    /// Creates a change of one name.
    pub fn new(target: Location, new: New, how: DraftOptions) -> Self {
        Self { target, new, how }
    }
}

/// The new content of a name.
#[non_exhaustive]
#[derive(Debug)]
pub enum New {
    /// A file.
    File(Box<dyn FinishedFile>),
    /// A folder of files, or `None` if no file was written. The files replace the content of an
    /// existing folder, or are added to it.
    Folder(Option<Box<dyn DraftFolder>>),
    /// Nothing: a file with the name is removed, unless another change sets it.
    Nothing,
}

/// Returns the error for an output that exists and may not be replaced.
pub(super) fn exists(target: &Location) -> Error {
    Error::usage("exists already")
        .file(target.to_string())
        .suggest(Remedy::Overwrite)
}

/// Returns the error for a folder that is not empty and may not be changed.
pub(super) fn holds_files(target: &Location) -> Error {
    Error::usage("exists already and is not empty")
        .file(target.to_string())
        .suggest(Remedy::ReplaceFolder)
}

/// Returns the error for an output inside a folder that is also an output.
pub(super) fn is_inside(target: &Location, folder: &Location) -> Error {
    Error::usage(format!("is inside the output folder {folder}"))
        .file(target.to_string())
        .hint("write to another folder")
}

/// Returns the error for a folder that would be emptied although it contains an input.
pub(super) fn holds_input(target: &Location, input: &Location) -> Error {
    Error::usage(format!("is a folder that holds the input {input}"))
        .file(target.to_string())
        .hint("write to another folder")
}

/// Returns the error for a file that would replace a folder.
pub(super) fn is_folder(target: &Location) -> Error {
    Error::usage("is a folder, expected one file").file(target.to_string())
}

/// Returns the error for a folder that would replace a file.
pub(super) fn is_file(target: &Location) -> Error {
    Error::usage("is a file, expected a folder").file(target.to_string())
}

/// Returns the error for a name with several changes.
pub(super) fn is_twin(target: &Location) -> Error {
    Error::usage("would be written twice").file(target.to_string())
}

/// Returns the error for an output that is an input.
pub(super) fn is_read(target: &Location) -> Error {
    Error::usage("is read and can't be written in the same run")
        .file(target.to_string())
        .hint("write to another name and rename it afterwards")
}

/// Returns the error for a second file of this name in a folder.
pub(super) fn second_in_folder(file: &Location) -> Error {
    let error = Error::unfit("a second utterance with this name").file(file.to_string());
    error.suggest(Remedy::KeepOnlyOne)
}

/// Returns the error for a change made by another store.
pub(super) fn is_foreign(target: &Location) -> Error {
    Error::usage("was made for another store").file(target.to_string())
}
