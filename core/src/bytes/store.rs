//! What keeps files: the contract between [`Env`](super::Env) and a place where bytes are.

use std::any::Any;
use std::collections::HashSet;
use std::fmt::Debug;
use std::io::{self, Read, Seek, Write};

use super::{Finish, Leftover, Location};
use crate::{Error, Remedy, Result};

/// A place that keeps files by name, and takes new ones all or none.
///
/// Whoever reads and writes data uses an [`Env`](super::Env), which knows more: what may run, what
/// was read and must not be replaced, and how much. A store of another kind implements this.
pub trait Store: Send + Sync + Debug {
    /// What there is under a name, links followed; `None` if nothing is.
    ///
    /// # Errors
    /// The system refuses to say.
    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>>;

    /// What a name leads to, whether something is there or not: names with the same identity are
    /// names of the same file or folder.
    fn identify(&self, at: &Location) -> Identity;

    /// The name from the root, without links and `..`, of what a name leads to, whether something is
    /// there or not.
    fn resolve(&self, at: &Location) -> Location;

    /// Opens a file, device or pipe for reading.
    ///
    /// # Errors
    /// It is not there, it is a folder, or the system refuses.
    fn open(&self, at: &Location) -> io::Result<Box<dyn Stored>>;

    /// All files below a folder, by names that start with the folder's, links followed; those that
    /// are not committed are left out. The order is any.
    ///
    /// # Errors
    /// The system refuses, or links run in a circle.
    fn list(&self, folder: &Location) -> io::Result<Vec<Location>>;

    /// The files and folders that stand in a folder itself, by names that start with the folder's, of
    /// which the empty one is the working folder; those that are not committed are left out. The
    /// order is any.
    ///
    /// # Errors
    /// The system refuses.
    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>>;

    /// Opens a [stream](FileKind::Stream), which is written to and not replaced.
    ///
    /// # Errors
    /// The system refuses.
    fn write_to(&self, stream: &Location) -> io::Result<Box<dyn Finish>>;

    /// Says whether a file, or a folder of files, that is to be called `target` may be begun.
    ///
    /// # Errors
    /// As [`create`](Self::create) or [`create_folder`](Self::create_folder), as far as that is
    /// known before anything is made.
    fn may_create(&self, target: &Location, is_folder: bool, how: Drafting) -> Result<()>;

    /// Begins a file that is to be called `target`, and has no name yet.
    ///
    /// # Errors
    /// There is one that may not be replaced, it is a folder, or the system refuses.
    fn create(&self, target: &Location, how: Drafting) -> Result<Box<dyn Draft>>;

    /// Begins a folder of files that is to be called `target`.
    ///
    /// # Errors
    /// There is a file, or a folder that is not empty and may neither be replaced nor be added to,
    /// or the system refuses.
    fn create_folder(&self, target: &Location, how: Drafting) -> Result<Box<dyn DraftFolder>>;

    /// Makes all `changes` in their order, or none; with `durable`, they outlive a power cut.
    /// Nothing in `kept`, which was read, is replaced or removed. Changes that are given back by no
    /// commit abandon themselves when they are dropped.
    ///
    /// # Errors
    /// A target exists and may not be replaced, is in `kept`, appears twice by whatever names, or
    /// the system refuses; all is then as it was before.
    fn commit(&self, changes: Vec<Change>, kept: &HashSet<Identity>, durable: bool) -> Result<()>;

    /// Makes a folder for outputs to stand in, for the time being, if there is none; `true` if
    /// there was none. The folder that it stands in must be there.
    ///
    /// # Errors
    /// The system refuses.
    fn make_folder(&self, folder: &Location, durable: bool) -> Result<bool>;

    /// Says of what [`make_folder`](Self::make_folder) made whether it stays; else it goes if it is
    /// empty.
    fn settle_folder(&self, folder: &Location, stays: bool);

    /// What runs that were killed left of outputs called `target`, or, of a folder, also what they
    /// left in it; sorted.
    fn leftovers(&self, target: &Location) -> Vec<Leftover>;
}

/// What there is under a name.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStatus {
    /// What it is.
    pub kind: FileKind,
    /// Bytes in it, if it is a file; else 0.
    pub length: u64,
    /// By what it is known under any name.
    pub identity: Identity,
    /// What tells this content from all that the name had before, where the store keeps such a mark.
    pub version: Option<String>,
}

impl FileStatus {
    /// What there is, of its length in bytes.
    pub fn new(kind: FileKind, length: u64, identity: Identity) -> Self {
        Self {
            kind,
            length,
            identity,
            version: None,
        }
    }

    /// The same with a mark of its content.
    #[must_use]
    pub fn with_version(self, version: Option<String>) -> Self {
        Self { version, ..self }
    }
}

/// What a name may stand for.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A device or pipe: read once and in order, written to and not replaced.
    Stream,
}

/// By what a store knows a file, whatever name it goes by; of no meaning in another store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(Box<[u8]>);

impl Identity {
    /// An identity of the store's own making.
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Self {
        Self(bytes.into())
    }
}

/// Something that was opened for reading.
pub trait Stored: Read + Seek + Send {
    /// Bytes in it, if it is a file.
    fn length(&self) -> Option<u64>;

    /// Whether it can go back and forth; if not, seeking fails.
    fn can_seek(&self) -> bool;

    /// By what the store knows it, if it is a file.
    fn identity(&self) -> Option<Identity>;
}

/// How something new is begun.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drafting {
    /// Whether it may replace what there is: a file, or all that a folder holds.
    pub overwrite: bool,
    /// Whether a folder that is there gets the files besides its own, of which `overwrite` may
    /// replace some.
    pub add: bool,
    /// Whether it is to outlive a power cut, so that it goes to the disk while it grows.
    pub durable: bool,
}

impl Drafting {
    /// How it is begun: whether it may replace something, may add to a folder, and is to outlive a
    /// power cut.
    pub fn new(overwrite: bool, add: bool, durable: bool) -> Self {
        Self {
            overwrite,
            add,
            durable,
        }
    }
}

/// A file that is being written and has no name yet; gone when it is dropped before it is finished.
/// What is written is appended; it is handed over in large pieces.
pub trait Draft: Write + Send {
    /// Overwrites bytes written before, from byte `at` on.
    ///
    /// # Errors
    /// The system refuses.
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Completes it. What is given back is for [`Store::commit`], and gone when it is dropped; a
    /// file of a [`DraftFolder`] stays in that.
    ///
    /// # Errors
    /// The system refuses.
    fn finish(self: Box<Self>) -> io::Result<Box<dyn Whole>>;
}

/// A finished file that has no name yet; gone when it is dropped.
pub trait Whole: Send + Debug {
    /// Opens it for reading.
    ///
    /// # Errors
    /// The system refuses.
    fn open(&self) -> io::Result<Box<dyn Stored>>;

    /// Itself, for the store that it is of.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// A folder of files that has no name yet; gone when it is dropped.
pub trait DraftFolder: Send + Debug {
    /// Begins a file, whose name may have several parts, in it.
    ///
    /// # Errors
    /// It has one of this name, the name leads out of the folder, or the system refuses.
    fn create(&mut self, name: &Location, durable: bool) -> Result<Box<dyn Draft>>;

    /// Whether it has a file of this name, so that [`create`](Self::create) would refuse it.
    fn has(&self, name: &Location) -> bool;

    /// Opens a finished file of it by its name in the folder.
    ///
    /// # Errors
    /// There is none, or the system refuses.
    fn open(&self, name: &Location) -> io::Result<Box<dyn Stored>>;

    /// The names that its files have in it; the order is any.
    ///
    /// # Errors
    /// The system refuses.
    fn list(&self) -> io::Result<Vec<Location>>;

    /// Itself, for the store that it is of.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// One name that changes.
#[non_exhaustive]
#[derive(Debug)]
pub struct Change {
    /// The name.
    pub target: Location,
    /// What gets it.
    pub new: New,
    /// Whether it may replace what has the name, or add to it.
    pub how: Drafting,
}

impl Change {
    /// A change of one name.
    pub fn new(target: Location, new: New, how: Drafting) -> Self {
        Self { target, new, how }
    }
}

/// What gets a name.
#[non_exhaustive]
#[derive(Debug)]
pub enum New {
    /// A file.
    File(Box<dyn Whole>),
    /// A folder of files; nothing where no file was put into it. If there is one of the name, they
    /// take the place of all that it holds, or are added to that.
    Folder(Option<Box<dyn DraftFolder>>),
    /// Nothing: the name is freed if a file has it, and no other change is of that.
    Nothing,
}

/// The error for an output that is there and may not be replaced.
pub(super) fn exists(target: &Location) -> Error {
    Error::usage("exists already")
        .file(target.to_string())
        .suggest(Remedy::Overwrite)
}

/// The error for a folder that is not empty and may not be touched.
pub(super) fn holds_files(target: &Location) -> Error {
    Error::usage("exists already and is not empty")
        .file(target.to_string())
        .suggest(Remedy::ReplaceFolder)
}

/// The error for an output inside a folder that is an output itself.
pub(super) fn is_inside(target: &Location, folder: &Location) -> Error {
    Error::usage(format!("is inside the output folder {folder}"))
        .file(target.to_string())
        .hint("write to another folder")
}

/// The error for a folder that would be emptied although it holds something that was read.
pub(super) fn holds_input(target: &Location, input: &Location) -> Error {
    Error::usage(format!("is a folder that holds the input {input}"))
        .file(target.to_string())
        .hint("write to another folder")
}

/// The error for a file that is to take the place of a folder.
pub(super) fn is_folder(target: &Location) -> Error {
    Error::usage("is a folder, expected one file").file(target.to_string())
}

/// The error for a folder that is to take the place of a file.
pub(super) fn is_file(target: &Location) -> Error {
    Error::usage("is a file, expected a folder").file(target.to_string())
}

/// The error for a name that several changes are of.
pub(super) fn is_twin(target: &Location) -> Error {
    Error::usage("would be written twice").file(target.to_string())
}

/// The error for an output that is an input.
pub(super) fn is_read(target: &Location) -> Error {
    Error::usage("is read and can't be written in the same run")
        .file(target.to_string())
        .hint("write to another name and rename it afterwards")
}

/// The error for a file of a folder that has one of its name.
pub(super) fn second_in_folder(file: &Location) -> Error {
    let error = Error::unfit("a second utterance with this name").file(file.to_string());
    error.suggest(Remedy::KeepOne)
}

/// The error for a change that another store has made.
pub(super) fn is_foreign(target: &Location) -> Error {
    Error::usage("was made for another store").file(target.to_string())
}
