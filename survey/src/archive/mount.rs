//! The members of an archive, by name.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{FileKind, FileStatus, Identity, Location, MemoryCounter, OpenedFile, Store};
use spr_core::model::Limits;
use spr_core::{Error, Result};

use super::part::{Kept, Slice};
use crate::walk::DEEPEST;

/// The bytes of a member that are looked at to say how many are kept if there is no room for all, and
/// those that are kept of one that is neither text nor compressed itself.
const LOOK: usize = 16 << 10;
/// The same for members that are compressed themselves, and for text.
const PACKED: u64 = 1 << 20;
const TEXT: u64 = 64 << 20;
/// The bytes that are unpacked at a time.
const BLOCK: u64 = 1 << 20;

/// Room for the packed members of all archives of a survey.
#[derive(Debug)]
pub(crate) struct Room(AtomicU64);

impl Default for Room {
    fn default() -> Self {
        Self(AtomicU64::new(2 << 30))
    }
}

impl Room {
    /// Takes room for `bytes`, if there is as much.
    fn take(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }
}

/// Where the data of a member are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In the archive from this byte on.
    Slice { at: u64 },
    /// All of them or the first, `kept` bytes in the temporary file.
    Kept { at: u64, kept: u64 },
}

#[derive(Clone, Copy, Debug)]
struct Member {
    length: u64,
    place: Place,
}

/// The members of an archive as files below its name.
#[derive(Debug)]
pub(crate) struct Mount {
    archive: Location,
    members: HashMap<Location, Member>,
    folders: HashMap<Location, BTreeSet<Location>>,
    /// What is kept of packed members.
    kept: Option<Arc<Mutex<File>>>,
    length: u64,
    room: Arc<Room>,
    /// What is wrong with the archive.
    pub(crate) damage: Vec<Error>,
}

/// Returns how many bytes are kept of a member that starts with `head`, if there is no room for all.
fn worth(name: &Location, head: &[u8]) -> u64 {
    match name.codec() {
        Some(_) => PACKED,
        None if head.contains(&0) => LOOK as u64,
        None => TEXT,
    }
}

impl Mount {
    /// Creates an archive without members, which shares `room` with others.
    pub(super) fn new(archive: &Location, room: &Arc<Room>) -> Self {
        Self {
            archive: archive.clone(),
            members: HashMap::new(),
            folders: HashMap::from([(archive.clone(), BTreeSet::new())]),
            kept: None,
            length: 0,
            room: room.clone(),
            damage: Vec::new(),
        }
    }

    /// Returns the name of a member below that of the archive, or `None` for a name that leads out
    /// of it or through too many folders.
    pub(super) fn name(&self, stored: &[u8]) -> Option<Location> {
        let mut parts = Vec::new();
        for part in stored.split(|b| *b == b'/') {
            match part {
                b"" | b"." => {}
                b".." => return None,
                part => parts.push(part),
            }
        }
        let inside = Location::of_bytes(&parts.join(&b'/'))?;
        (!parts.is_empty() && parts.len() <= DEEPEST && inside.is_relative())
            .then(|| self.archive.join(inside))
    }

    /// Adds a member, which replaces an earlier one of its name, as in unpacking.
    ///
    /// # Errors
    /// There are more than the limits allow.
    pub(super) fn add(
        &mut self,
        at: Location,
        length: u64,
        place: Place,
        (held, limits): (&mut MemoryCounter, &Limits),
    ) -> Result<()> {
        held.keep(2 * at.as_os_str().len() + size_of::<Member>(), limits)?;
        let mut entry = at.clone();
        while let Some(parent) = entry.parent() {
            let known = self.folders.contains_key(&parent);
            self.folders
                .entry(parent.clone())
                .or_default()
                .insert(entry);
            if known || parent == self.archive {
                break;
            }
            entry = parent;
        }
        self.members.insert(at, Member { length, place });
        Ok(())
    }

    /// Keeps a packed member of `length` bytes, of which `next` returns so many more: all if there is
    /// room, else the start. Returns its place.
    ///
    /// # Errors
    /// `next` fails, or the temporary file cannot be written.
    pub(super) fn keep(
        &mut self,
        name: &Location,
        length: u64,
        mut next: impl FnMut(usize) -> Result<Vec<u8>>,
    ) -> Result<Place> {
        let at = self.length;
        let failed = |e| Error::io("cannot keep a member of an archive", e);
        let mut bytes = next(LOOK)?;
        let most = match self.room.take(length) {
            true => length,
            false => worth(name, &bytes).min(length),
        };
        loop {
            self.write(&bytes).map_err(failed)?;
            let kept = self.length - at;
            let left = most.saturating_sub(kept);
            if left == 0 || bytes.is_empty() {
                return Ok(Place::Kept { at, kept });
            }
            bytes = next(usize::try_from(left.min(BLOCK)).unwrap_or(LOOK))?;
        }
    }

    /// Adds bytes to the temporary file.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let kept = match &mut self.kept {
            Some(kept) => kept,
            none => none.insert(Arc::new(Mutex::new(tempfile::tempfile()?))),
        };
        let mut file = kept.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Returns the direct entries of a folder in it.
    pub(super) fn entries(&self, folder: &Location) -> Option<Vec<Location>> {
        let entries = self.folders.get(folder)?;
        Some(entries.iter().cloned().collect())
    }

    /// Returns all members below a folder.
    pub(super) fn list(&self, folder: &Location) -> Vec<Location> {
        let names = self.members.keys();
        names.filter(|at| at.is_within(folder)).cloned().collect()
    }

    /// Looks up a name.
    pub(super) fn look(&self, at: &Location) -> Option<FileStatus> {
        let identity = Identity::new(at.as_os_str().as_encoded_bytes());
        match self.members.get(at) {
            Some(member) => Some(FileStatus::new(FileKind::File, member.length, identity)),
            None => {
                let is_folder = self.folders.contains_key(at);
                is_folder.then(|| FileStatus::new(FileKind::Folder, 0, identity))
            }
        }
    }

    /// Returns `true` if it has a member of this name.
    pub(crate) fn has(&self, at: &Location) -> bool {
        self.members.contains_key(at)
    }

    /// Returns `true` if not all bytes of a member can be read.
    pub(crate) fn is_partial(&self, at: &Location) -> bool {
        let member = self.members.get(at);
        member.is_some_and(|member| match member.place {
            Place::Slice { .. } => false,
            Place::Kept { kept, .. } => kept < member.length,
        })
    }

    /// Opens a member of the archive, which is in `store`.
    pub(super) fn open(&self, at: &Location, store: &dyn Store) -> io::Result<Box<dyn OpenedFile>> {
        let member = self.members.get(at).ok_or(io::ErrorKind::NotFound)?;
        let identity = Identity::new(at.as_os_str().as_encoded_bytes());
        Ok(match member.place {
            Place::Slice { at } => {
                let archive = store.open(&self.archive)?;
                Box::new(Slice::new(archive, at, member.length, identity)?)
            }
            Place::Kept { at, kept } => {
                let file = self.kept.clone().ok_or(io::ErrorKind::NotFound)?;
                Box::new(Kept::new(file, (at, kept), member.length, identity))
            }
        })
    }
}
