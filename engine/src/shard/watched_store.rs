//! A store that tells what it opens, and hashes what it writes.

use std::any::Any;
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::{
    Change, Draft, DraftFolder, DraftOptions, Env, FileStatus, Finish, FinishedFile, Identity,
    Leftover, Location, OpenedFile, Store,
};
use twox_hash::XxHash3_128;

use super::fingerprint::text;
use super::hashes::{Hashes, of_stored};

/// A store whose files are hashed.
#[derive(Debug)]
struct WatchedStore {
    inner: Arc<dyn Store>,
    hashes: Hashes,
}

/// Returns an environment in which files are hashed.
pub(crate) fn watched(env: &Env, hashes: &Hashes) -> Env {
    let hashes = hashes.clone();
    env.wrapping_store(|inner| Arc::new(WatchedStore { inner, hashes }))
}

/// A file that is hashed while it grows.
struct HashedDraft {
    inner: Box<dyn Draft>,
    target: Location,
    hashes: Hashes,
    /// The number of appended bytes.
    size: u64,
    /// The hash of the appended bytes; `None` after a change.
    hash: Option<XxHash3_128>,
}

impl HashedDraft {
    fn boxed(inner: Box<dyn Draft>, target: Location, hashes: &Hashes) -> Box<dyn Draft> {
        Box::new(Self {
            inner,
            target,
            hashes: hashes.clone(),
            size: 0,
            hash: Some(XxHash3_128::default()),
        })
    }
}

impl Write for HashedDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.size += n as u64;
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
            Some(hash) => text(hash.finish_128()),
            None => match whole
                .open()
                .and_then(|it| of_stored(it, XxHash3_128::default()))
            {
                // Files being sent to a server cannot be read before they have their names.
                Err(e) if e.kind() == io::ErrorKind::Unsupported => return Ok(whole),
                hash => hash?,
            },
        };
        self.hashes.add(self.target, self.size, hash);
        Ok(whole)
    }
}

/// A folder whose files are hashed while they grow.
#[derive(Debug)]
struct HashedFolder {
    inner: Box<dyn DraftFolder>,
    target: Location,
    hashes: Hashes,
}

#[warn(clippy::missing_trait_methods)]
impl DraftFolder for HashedFolder {
    fn create(&mut self, name: &Location, durable: bool) -> Result<Box<dyn Draft>> {
        let inner = self.inner.create(name, durable)?;
        Ok(HashedDraft::boxed(
            inner,
            self.target.join(name.clone()),
            &self.hashes,
        ))
    }

    fn has(&self, name: &Location) -> bool {
        self.inner.has(name)
    }

    fn open(&self, name: &Location) -> io::Result<Box<dyn OpenedFile>> {
        self.inner.open(name)
    }

    fn list(&self) -> io::Result<Vec<Location>> {
        self.inner.list()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}

#[warn(clippy::missing_trait_methods)]
impl Store for WatchedStore {
    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
        let inner = self.inner.create(target, how)?;
        Ok(HashedDraft::boxed(inner, target.clone(), &self.hashes))
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
        let opened = self.inner.open(at)?;
        self.hashes.note(at, || self.inner.look(at))?;
        Ok(self.hashes.read(at, opened))
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

    fn check_folder_of(&self, target: &Location) -> Result<()> {
        self.inner.check_folder_of(target)
    }

    fn create_folder(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn DraftFolder>> {
        Ok(Box::new(HashedFolder {
            inner: self.inner.create_folder(target, how)?,
            target: target.clone(),
            hashes: self.hashes.clone(),
        }))
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
