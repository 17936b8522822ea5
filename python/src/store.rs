//! Files and URLs, with a check of Python's signals while they are read.

use std::collections::HashSet;
use std::io::{self, Read, Seek, SeekFrom};
use std::time::Instant;

use spr_convert::builtin::Places;
use spr_convert::core::bytes::{
    Change, Draft, DraftFolder, DraftOptions, FileStatus, Finish, Identity, Leftover, Location,
    OpenedFile, Store,
};
use spr_convert::{Error, Result};

use crate::interrupt::{Interrupt, PERIOD, check};
use crate::server::{ServerFile, patiently};

/// The local file system, and URLs. After a signal handler has raised an exception all reading fails, so that
/// every job ends, even one that tolerates unreadable files.
#[derive(Debug, Default)]
pub(crate) struct Interruptible {
    places: Places,
    interrupt: Interrupt,
}

impl Interruptible {
    /// Returns the cell of the exception that a signal handler raises.
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Asks the place `at`. Servers may take long, which an interrupt ends.
    fn ask<T: Send + 'static>(
        &self,
        at: &Location,
        question: impl FnOnce(&Places, &Location) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        if !at.is_url() {
            return question(&self.places, at);
        }
        let (places, at) = (self.places.clone(), at.clone());
        patiently(&self.interrupt, move || question(&places, &at))?
    }
}

#[warn(clippy::missing_trait_methods)]
impl Store for Interruptible {
    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
        self.ask(at, Places::look)
    }

    fn identify(&self, at: &Location) -> Identity {
        self.places.identify(at)
    }

    fn resolve(&self, at: &Location) -> Location {
        self.places.resolve(at)
    }

    fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>> {
        let file = self.ask(at, Places::open)?;
        if at.is_url() {
            return Ok(Box::new(ServerFile::new(file, self.interrupt.clone())));
        }
        Ok(Box::new(WatchedFile {
            file,
            next: Instant::now() + PERIOD,
            interrupt: self.interrupt.clone(),
        }))
    }

    fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
        self.ask(folder, Places::list)
    }

    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
        self.ask(folder, Places::entries)
    }

    fn write_to(&self, stream: &Location) -> io::Result<Box<dyn Finish>> {
        self.places.write_to(stream)
    }

    fn may_create(&self, target: &Location, is_folder: bool, how: DraftOptions) -> Result<()> {
        self.places.may_create(target, is_folder, how)
    }

    fn check_folder_of(&self, target: &Location) -> Result<()> {
        self.places.check_folder_of(target)
    }

    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
        self.places.create(target, how)
    }

    fn create_folder(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn DraftFolder>> {
        self.places.create_folder(target, how)
    }

    fn commit(&self, changes: Vec<Change>, kept: &HashSet<Identity>, durable: bool) -> Result<()> {
        // The last moment at which nothing has been written.
        check(&self.interrupt).map_err(|e| Error::io("cannot write", e))?;
        self.places.commit(changes, kept, durable)
    }

    fn make_folder(&self, folder: &Location, durable: bool) -> Result<bool> {
        self.places.make_folder(folder, durable)
    }

    fn settle_folder(&self, folder: &Location, stays: bool) {
        self.places.settle_folder(folder, stays);
    }

    fn leftovers(&self, target: &Location) -> Vec<Leftover> {
        self.places.leftovers(target)
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
            check(&self.interrupt)?;
        } else if self.interrupt.get().is_some() {
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
