//! A store in which archives are folders.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use spr_core::Result;
use spr_core::bytes::{
    Change, Draft, DraftFolder, DraftOptions, Env, FileStatus, Finish, Identity, Leftover,
    Location, OpenedFile, Store,
};

use super::mount::Room;
use super::{ArchiveKind, Mount, tar, zip};

/// A store in which archives are folders once they are [mounted](Self::mount). What is in them is
/// only read.
#[derive(Debug)]
pub(crate) struct Overlay {
    inner: Arc<dyn Store>,
    mounts: RwLock<HashMap<Location, Arc<Mount>>>,
    room: Arc<Room>,
}

impl Overlay {
    /// Covers `inner`.
    pub(crate) fn new(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            mounts: RwLock::default(),
            room: Arc::default(),
        }
    }

    /// Reads the names of an archive, which is a folder from now on.
    ///
    /// # Errors
    /// It cannot be read at all.
    pub(crate) fn mount(&self, at: &Location, kind: ArchiveKind, env: &Env) -> Result<Arc<Mount>> {
        let mount = Arc::new(match kind {
            ArchiveKind::Tar => tar::mount(at, &self.room, env)?,
            ArchiveKind::Zip => zip::mount(at, &self.room, env)?,
        });
        let mut mounts = self.mounts.write().unwrap_or_else(PoisonError::into_inner);
        mounts.insert(at.clone(), mount.clone());
        Ok(mount)
    }

    /// Returns the archive that a name is in, or that it names.
    pub(crate) fn archive_of(&self, at: &Location) -> Option<Arc<Mount>> {
        let mounts = self.mounts.read().unwrap_or_else(PoisonError::into_inner);
        if mounts.is_empty() {
            return None;
        }
        let mut names = std::iter::successors(Some(at.clone()), Location::parent);
        names.find_map(|name| mounts.get(&name).cloned())
    }
}

#[warn(clippy::missing_trait_methods)]
impl Store for Overlay {
    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
        match self.archive_of(at) {
            Some(mount) => Ok(mount.look(at)),
            None => self.inner.look(at),
        }
    }

    fn identify(&self, at: &Location) -> Identity {
        match self.archive_of(at) {
            Some(_) => Identity::new(at.as_os_str().as_encoded_bytes()),
            None => self.inner.identify(at),
        }
    }

    fn resolve(&self, at: &Location) -> Location {
        match self.archive_of(at) {
            Some(_) => at.clone(),
            None => self.inner.resolve(at),
        }
    }

    fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>> {
        match self.archive_of(at) {
            Some(mount) => mount.open(at, &*self.inner),
            None => self.inner.open(at),
        }
    }

    fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
        match self.archive_of(folder) {
            Some(mount) => Ok(mount.list(folder)),
            None => self.inner.list(folder),
        }
    }

    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
        match self.archive_of(folder) {
            Some(mount) => Ok(mount.entries(folder).ok_or(io::ErrorKind::NotFound)?),
            None => self.inner.entries(folder),
        }
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

    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
        self.inner.create(target, how)
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
        match self.archive_of(target) {
            Some(_) => Vec::new(),
            None => self.inner.leftovers(target),
        }
    }
}
