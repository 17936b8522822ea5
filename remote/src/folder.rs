//! Folders of objects. Small objects wait in a temporary file, large ones as uploads without their
//! last step, so that neither memory nor the number of open uploads grows with the number of files.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use object_store::path::Path;
use spr_core::bytes::{Draft, DraftFolder, FinishedFile, Location, OpenedFile};
use spr_core::{Error, Remedy, Result};

use crate::client::Client;
use crate::staged::UnreadObject;
use crate::upload::{FinishedObject, ObjectBytes, Upload};
use crate::upload_list::UploadList;

/// A folder that is being written.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) client: Client,
    pub(crate) target: Location,
    path: Path,
    part: usize,
    live: UploadList,
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
    /// A range of the temporary file.
    Small {
        at: u64,
        length: u64,
    },
    Large(FinishedObject),
}

impl Folder {
    pub(crate) fn new(
        target: &Location,
        client: Client,
        path: Path,
        part: usize,
        live: UploadList,
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

    /// Removes the next file in sorted order. Its content is in memory only while the caller holds
    /// it.
    pub(crate) fn take(&self) -> io::Result<Option<(Location, FinishedObject)>> {
        let mut spool = self.files.lock();
        let Some((name, entry)) = spool.entries.pop_first() else {
            return Ok(None);
        };
        let held = match entry {
            Entry::Large(held) => held,
            Entry::Small { at, length } => FinishedObject {
                client: self.client.clone(),
                path: self.path_of(&name)?,
                length,
                how: ObjectBytes::Small(spool.read(at, length)?),
            },
        };
        Ok(Some((name, held)))
    }

    /// Returns the names of the files.
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
    fn add(&mut self, name: Location, held: FinishedObject) -> io::Result<()> {
        let entry = match &held.how {
            ObjectBytes::Parts(..) => Entry::Large(held),
            ObjectBytes::Small(bytes) => {
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
            return Err(error.suggest(Remedy::KeepOnlyOne));
        }
        let (client, live) = (self.client.clone(), self.live.clone());
        Ok(Box::new(FolderFile {
            upload: Upload::new(client, path, self.part, live),
            name: name.clone(),
            files: self.files.clone(),
        }))
    }

    fn has(&self, name: &Location) -> bool {
        self.begun.contains(name)
    }

    fn open(&self, name: &Location) -> io::Result<Box<dyn OpenedFile>> {
        let mut spool = self.files.lock();
        match spool.entries.get(name).ok_or(io::ErrorKind::NotFound)? {
            Entry::Large(held) => held.open(),
            Entry::Small { at, length } => {
                let (at, length) = (*at, *length);
                Ok(UnreadObject::of(spool.read(at, length)?))
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
struct FolderFile {
    upload: Upload,
    name: Location,
    files: Files,
}

impl Write for FolderFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.upload.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[warn(clippy::missing_trait_methods)]
impl Draft for FolderFile {
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.upload.patch(at, bytes)
    }

    fn finish(self: Box<Self>) -> io::Result<Box<dyn FinishedFile>> {
        let Self {
            upload,
            name,
            files,
        } = *self;
        let held = upload.complete()?;
        files.lock().add(name.clone(), held)?;
        Ok(Box::new(FinishedMember(name, files)))
    }
}

/// A finished file, owned by its folder.
#[derive(Debug)]
struct FinishedMember(Location, Files);

impl FinishedFile for FinishedMember {
    fn open(&self) -> io::Result<Box<dyn OpenedFile>> {
        match self.1.lock().entries.get(&self.0) {
            Some(Entry::Small { length, .. }) => Ok(UnreadObject::elsewhere(*length)),
            Some(Entry::Large(held)) => held.open(),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
