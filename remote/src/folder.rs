//! Folders of objects: small ones wait in a temporary file, large ones as uploads without their last
//! step, so that neither memory nor the number of open uploads grows with the number of files.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use object_store::path::Path;
use spr_core::bytes::{Draft, DraftFolder, Location, Stored, Whole};
use spr_core::{Error, Remedy, Result};

use crate::client::Client;
use crate::live::Live;
use crate::staged::Unread;
use crate::upload::{Held, How, Upload};

/// A folder that is being filled.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) client: Client,
    pub(crate) target: Location,
    path: Path,
    part: usize,
    live: Live,
    begun: BTreeSet<Location>,
    files: Files,
}

/// The finished files of a folder.
#[derive(Clone, Debug, Default)]
struct Files(Arc<Mutex<Spool>>);

#[derive(Debug, Default)]
struct Spool {
    file: Option<File>,
    end: u64,
    entries: BTreeMap<Location, Entry>,
}

#[derive(Debug)]
enum Entry {
    /// A place in the temporary file.
    Small {
        at: u64,
        length: u64,
    },
    Large(Held),
}

impl Folder {
    pub(crate) fn new(
        target: &Location,
        client: Client,
        path: Path,
        part: usize,
        live: Live,
    ) -> Self {
        Self {
            client,
            target: target.clone(),
            path,
            part,
            live,
            begun: BTreeSet::new(),
            files: Files::default(),
        }
    }

    /// Takes the files out one by one, sorted; each is in memory no longer than it is held.
    pub(crate) fn take(&self) -> io::Result<Option<(Location, Held)>> {
        let mut spool = self.files.lock();
        let Some((name, entry)) = spool.entries.pop_first() else {
            return Ok(None);
        };
        let held = match entry {
            Entry::Large(held) => held,
            Entry::Small { at, length } => Held {
                client: self.client.clone(),
                path: self.path_of(&name)?,
                length,
                how: How::Small(spool.read(at, length)?),
            },
        };
        Ok(Some((name, held)))
    }

    /// The names of its files.
    pub(crate) fn names(&self) -> Vec<Location> {
        self.files.lock().entries.keys().cloned().collect()
    }

    fn path_of(&self, name: &Location) -> io::Result<Path> {
        let name = name.to_str().unwrap_or_default();
        let whole = match self.path.as_ref() {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        Path::parse(whole).map_err(|e| io::Error::other(e.to_string()))
    }
}

impl Files {
    fn lock(&self) -> MutexGuard<'_, Spool> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spool {
    fn add(&mut self, name: Location, held: Held) -> io::Result<()> {
        let entry = match &held.how {
            How::Parts(..) => Entry::Large(held),
            How::Small(bytes) => {
                let file = match &mut self.file {
                    Some(file) => file,
                    none => none.insert(tempfile::tempfile()?),
                };
                file.seek(SeekFrom::Start(self.end))?;
                file.write_all(bytes)?;
                let (at, length) = (self.end, bytes.len() as u64);
                self.end += length;
                Entry::Small { at, length }
            }
        };
        self.entries.insert(name, entry);
        Ok(())
    }

    fn read(&mut self, at: u64, length: u64) -> io::Result<Bytes> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes)?;
        match bytes.len() as u64 == length {
            true => Ok(bytes.into()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl DraftFolder for Folder {
    fn create(&mut self, name: &Location, _: bool) -> Result<Box<dyn Draft>> {
        let shown = self.target.join(name).to_string();
        let path = self.path_of(name);
        let path = path.map_err(|_| Error::unfit("objects can't be called so").file(&shown))?;
        if !self.begun.insert(name.clone()) {
            let error = Error::unfit("a second utterance with this name").file(shown);
            return Err(error.suggest(Remedy::KeepOne));
        }
        let (client, live) = (self.client.clone(), self.live.clone());
        Ok(Box::new(Inside {
            upload: Upload::new(client, path, self.part, live),
            name: name.clone(),
            files: self.files.clone(),
        }))
    }

    fn has(&self, name: &Location) -> bool {
        self.begun.contains(name)
    }

    fn open(&self, name: &Location) -> io::Result<Box<dyn Stored>> {
        let mut spool = self.files.lock();
        match spool.entries.get(name).ok_or(io::ErrorKind::NotFound)? {
            Entry::Large(held) => held.open(),
            Entry::Small { at, length } => {
                let (at, length) = (*at, *length);
                Ok(Unread::of(spool.read(at, length)?))
            }
        }
    }

    fn list(&self) -> io::Result<Vec<Location>> {
        Ok(self.names())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A file of the folder.
struct Inside {
    upload: Upload,
    name: Location,
    files: Files,
}

impl Write for Inside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.upload.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Draft for Inside {
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.upload.patch(at, bytes)
    }

    fn finish(self: Box<Self>) -> io::Result<Box<dyn Whole>> {
        let Self {
            upload,
            name,
            files,
        } = *self;
        let held = upload.complete()?;
        files.lock().add(name.clone(), held)?;
        Ok(Box::new(Staying(name, files)))
    }
}

/// A finished file, which its folder keeps.
#[derive(Debug)]
struct Staying(Location, Files);

impl Whole for Staying {
    fn open(&self) -> io::Result<Box<dyn Stored>> {
        match self.1.lock().entries.get(&self.0) {
            Some(Entry::Small { length, .. }) => Ok(Unread::elsewhere(*length)),
            Some(Entry::Large(held)) => held.open(),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
