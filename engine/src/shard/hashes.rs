//! Hashes of the files of a shard, computed while they are written.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{
    Change, Draft, DraftFolder, DraftOptions, Env, FileStatus, Finish, FinishedFile, Identity,
    Leftover, Location, OpenedFile, Store,
};
use spr_core::{Error, Result};
use twox_hash::XxHash3_128;

/// The number of bytes read at a time.
const BLOCK: usize = 1 << 20;

fn text(hash: &XxHash3_128) -> String {
    format!("xxh3:{:032x}", hash.finish_128())
}

/// Hashes a stored file.
///
/// # Errors
/// It cannot be read.
pub fn of_file(file: &Location, env: &Env) -> Result<String> {
    let hash = env.store().open(file).and_then(of_stored);
    hash.map_err(|e| Error::io("cannot read", e).file(file.to_string()))
}

fn of_stored(mut stored: Box<dyn OpenedFile>) -> io::Result<String> {
    let mut hash = XxHash3_128::default();
    let mut block = vec![0; BLOCK];
    loop {
        match stored.read(&mut block)? {
            0 => return Ok(text(&hash)),
            n => hash.write(&block[..n]),
        }
    }
}

/// The hashes of finished files, by their final names. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Hashes(Arc<Mutex<HashMap<Location, String>>>);

impl Hashes {
    /// Returns an environment in which each written file is hashed.
    #[must_use]
    pub fn watch(&self, env: &Env) -> Env {
        let store = HashingStore {
            inner: env.store().clone(),
            hashes: self.clone(),
        };
        env.clone().with_store(Arc::new(store))
    }

    /// Returns the hash of a file.
    pub fn of(&self, file: &Location) -> Option<String> {
        let hashes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hashes.get(file).cloned()
    }

    fn add(&self, file: Location, hash: String) {
        let mut hashes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hashes.insert(file, hash);
    }
}

/// A store that hashes new files, except those in folders.
#[derive(Debug)]
struct HashingStore {
    inner: Arc<dyn Store>,
    hashes: Hashes,
}

/// A file that is hashed while it grows.
struct HashedDraft {
    inner: Box<dyn Draft>,
    target: Location,
    hashes: Hashes,
    /// The hash of the appended bytes; `None` after a change.
    hash: Option<XxHash3_128>,
}

impl Write for HashedDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        if let Some(hash) = &mut self.hash {
            hash.write(&bytes[..n]);
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[warn(clippy::missing_trait_methods)]
impl Draft for HashedDraft {
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.hash = None;
        self.inner.patch(at, bytes)
    }

    fn finish(self: Box<Self>) -> io::Result<Box<dyn FinishedFile>> {
        let whole = self.inner.finish()?;
        let hash = match self.hash {
            Some(hash) => text(&hash),
            None => match of_stored(whole.open()?) {
                // Files being sent to a server cannot be read before they have their names.
                Err(e) if e.kind() == io::ErrorKind::Unsupported => return Ok(whole),
                hash => hash?,
            },
        };
        self.hashes.add(self.target, hash);
        Ok(whole)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Store for HashingStore {
    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
        Ok(Box::new(HashedDraft {
            inner: self.inner.create(target, how)?,
            target: target.clone(),
            hashes: self.hashes.clone(),
            hash: Some(XxHash3_128::default()),
        }))
    }

    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
        self.inner.look(at)
    }

    fn identify(&self, at: &Location) -> Identity {
        self.inner.identify(at)
    }

    fn resolve(&self, at: &Location) -> Location {
        self.inner.resolve(at)
    }

    fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>> {
        self.inner.open(at)
    }

    fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
        self.inner.list(folder)
    }

    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
        self.inner.entries(folder)
    }

    fn write_to(&self, stream: &Location) -> io::Result<Box<dyn Finish>> {
        self.inner.write_to(stream)
    }

    fn may_create(&self, target: &Location, is_folder: bool, how: DraftOptions) -> Result<()> {
        self.inner.may_create(target, is_folder, how)
    }

    fn create_folder(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn DraftFolder>> {
        self.inner.create_folder(target, how)
    }

    fn commit(&self, changes: Vec<Change>, kept: &HashSet<Identity>, durable: bool) -> Result<()> {
        self.inner.commit(changes, kept, durable)
    }

    fn make_folder(&self, folder: &Location, durable: bool) -> Result<bool> {
        self.inner.make_folder(folder, durable)
    }

    fn settle_folder(&self, folder: &Location, stays: bool) {
        self.inner.settle_folder(folder, stays);
    }

    fn leftovers(&self, target: &Location) -> Vec<Leftover> {
        self.inner.leftovers(target)
    }
}
