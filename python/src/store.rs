//! A local file system that checks Python's signals while files are read.

use std::collections::HashSet;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use spr_convert::Result;
use spr_convert::core::bytes::{
    Change, Draft, DraftFolder, DraftOptions, FileStatus, Finish, Identity, Leftover, Local,
    Location, OpenedFile, Store,
};

/// The interval between checks for signals.
const PERIOD: Duration = Duration::from_millis(100);

/// The exception of a signal handler, such as `KeyboardInterrupt`.
pub(crate) type Interrupt = Arc<OnceLock<PyErr>>;

/// The local file system. After a signal handler has raised an exception all reading fails, so that
/// every job ends, even one that tolerates unreadable files.
#[derive(Debug, Default)]
pub(crate) struct Interruptible {
    local: Local,
    interrupt: Interrupt,
}

impl Interruptible {
    /// Returns the cell of the exception that a signal handler raises.
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
}

#[warn(clippy::missing_trait_methods)]
impl Store for Interruptible {
    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
        self.local.look(at)
    }

    fn identify(&self, at: &Location) -> Identity {
        self.local.identify(at)
    }

    fn resolve(&self, at: &Location) -> Location {
        self.local.resolve(at)
    }

    fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>> {
        Ok(Box::new(WatchedFile {
            file: self.local.open(at)?,
            next: Instant::now() + PERIOD,
            interrupt: self.interrupt.clone(),
        }))
    }

    fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
        self.local.list(folder)
    }

    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
        self.local.entries(folder)
    }

    fn write_to(&self, stream: &Location) -> io::Result<Box<dyn Finish>> {
        self.local.write_to(stream)
    }

    fn may_create(&self, target: &Location, is_folder: bool, how: DraftOptions) -> Result<()> {
        self.local.may_create(target, is_folder, how)
    }

    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
        self.local.create(target, how)
    }

    fn create_folder(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn DraftFolder>> {
        self.local.create_folder(target, how)
    }

    fn commit(&self, changes: Vec<Change>, kept: &HashSet<Identity>, durable: bool) -> Result<()> {
        self.local.commit(changes, kept, durable)
    }

    fn make_folder(&self, folder: &Location, durable: bool) -> Result<bool> {
        self.local.make_folder(folder, durable)
    }

    fn settle_folder(&self, folder: &Location, stays: bool) {
        self.local.settle_folder(folder, stays);
    }

    fn leftovers(&self, target: &Location) -> Vec<Leftover> {
        self.local.leftovers(target)
    }
}

/// A file being read, and the time of the next check for signals.
struct WatchedFile {
    file: Box<dyn OpenedFile>,
    next: Instant,
    interrupt: Interrupt,
}

impl Read for WatchedFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let now = Instant::now();
        if now >= self.next {
            self.next = now + PERIOD;
            // Python runs handlers only in its main thread; elsewhere this has no effect.
            if let Err(raised) = Python::attach(|py| py.check_signals()) {
                let _ = self.interrupt.set(raised);
            }
        }
        if self.interrupt.get().is_some() {
            return Err(io::Error::other("interrupted"));
        }
        self.file.read(into)
    }
}

impl Seek for WatchedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl OpenedFile for WatchedFile {
    fn length(&self) -> Option<u64> {
        self.file.length()
    }

    fn can_seek(&self) -> bool {
        self.file.can_seek()
    }

    fn identity(&self) -> Option<Identity> {
        self.file.identity()
    }
}
