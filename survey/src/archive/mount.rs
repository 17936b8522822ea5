//! The members of an archive, by name.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use flate2::read::DeflateDecoder;
use spr_core::Result;
use spr_core::bytes::{FileKind, FileStatus, Identity, Location, MemoryCounter, OpenedFile, Store};
use spr_core::model::Limits;

use super::part::{Head, Slice};
use crate::walk::DEEPEST;

/// The bytes kept of the start of a member that is compressed.
const HEAD: u64 = LOOK as u64;
/// The same for members that are compressed themselves, and for text.
const PACKED: u64 = 1 << 20;
const TEXT: u64 = 64 << 20;

/// Where the data of a member are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In the archive from this byte on.
    Slice { at: u64 },
    /// The first `kept` bytes, in the temporary file.
    Kept { at: u64, kept: u64 },
    /// Deflated, between these bytes of the archive.
    Deflated { start: u64, end: u64 },
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
    /// The starts of compressed members.
    kept: Mutex<Option<File>>,
    length: u64,
    /// What is wrong with the archive.
    pub(crate) damage: Vec<spr_core::Error>,
}

/// Returns how many bytes of a member are kept that starts with `head`.
pub(super) fn worth(name: &Location, head: &[u8]) -> u64 {
    match name.codec() {
        Some(_) => PACKED,
        None if head.contains(&0) => HEAD,
        None => TEXT,
    }
}

/// The bytes of a member that are looked at to say how many are kept.
pub(super) const LOOK: usize = 16 << 10;

impl Mount {
    /// Creates an archive without members.
    pub(super) fn new(archive: &Location) -> Self {
        Self {
            archive: archive.clone(),
            members: HashMap::new(),
            folders: HashMap::from([(archive.clone(), BTreeSet::new())]),
            kept: Mutex::default(),
            length: 0,
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

    /// Keeps the start of a member, and returns its place.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> io::Result<Place> {
        let kept = self.kept.get_mut().unwrap_or_else(PoisonError::into_inner);
        let file = match kept {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.write_all(bytes)?;
        let at = self.length;
        self.length += bytes.len() as u64;
        Ok(Place::Kept {
            at,
            kept: bytes.len() as u64,
        })
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
            Place::Deflated { .. } => member.length > HEAD,
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
                let mut bytes = Vec::new();
                let file = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                let mut file = file.as_ref().ok_or(io::ErrorKind::NotFound)?;
                file.seek(SeekFrom::Start(at))?;
                file.take(kept).read_to_end(&mut bytes)?;
                Box::new(Head::new(bytes, member.length, identity))
            }
            Place::Deflated { start, end } => {
                let mut archive = store.open(&self.archive)?;
                archive.seek(SeekFrom::Start(start))?;
                let mut bytes = Vec::new();
                let mut inner = DeflateDecoder::new(archive.take(end.saturating_sub(start)));
                (&mut inner).take(HEAD).read_to_end(&mut bytes)?;
                let more = worth(at, &bytes).saturating_sub(bytes.len() as u64);
                inner.take(more).read_to_end(&mut bytes)?;
                Box::new(Head::new(bytes, member.length, identity))
            }
        })
    }
}
