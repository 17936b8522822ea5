//! Files in memory.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::{
    Change, Draft, DraftFolder, DraftOptions, FileKind, FileStatus, FinishedFile, Identity, New,
    OpenedFile, Store, exists, holds_files, holds_input, is_file, is_folder, is_foreign, is_read,
    is_twin, second_in_folder,
};
use super::{Finish, Leftover, Location};
use crate::error::Result;

/// The bytes of a file.
type Bytes = Arc<Vec<u8>>;

/// Files in memory, for tests and for library users. Clones share them.
///
/// Names are compared as text; a folder exists as long as it contains a file.
///
/// ```
/// use std::sync::Arc;
/// use spr_core::bytes::{Env, MemoryStore};
/// let store = MemoryStore::new();
/// store.insert("feats/a", b"abc".to_vec());
/// let env = Env::default().with_store(Arc::new(store));
/// assert_eq!(env.open_file(&"feats/a".into())?.array::<3>()?, *b"abc");
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Mutex<BTreeMap<Location, Bytes>>>);

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<Location, Bytes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Inserts a file, and returns the bytes of the file that it replaces, if there was one.
    pub fn insert(&self, at: impl Into<Location>, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let before = self.files().insert(at.into(), bytes.into());
        before.map(Arc::unwrap_or_clone)
    }

    /// Returns the bytes of a file, if it exists.
    pub fn get(&self, at: impl Into<Location>) -> Option<Vec<u8>> {
        self.files().get(&at.into()).map(|bytes| bytes.to_vec())
    }

    /// Removes a file, and returns its bytes.
    pub fn remove(&self, at: impl Into<Location>) -> Option<Vec<u8>> {
        self.files().remove(&at.into()).map(Arc::unwrap_or_clone)
    }

    /// Returns the names of all files, sorted.
    pub fn locations(&self) -> Vec<Location> {
        self.files().keys().cloned().collect()
    }
}

/// Returns `true` if the folder exists. Its files follow its name in sorted order.
fn has_folder(files: &BTreeMap<Location, Bytes>, folder: &Location) -> bool {
    let next = files
        .range(folder.join("")..)
        .find(|(file, _)| *file != folder);
    next.is_some_and(|(file, _)| file.is_within(folder))
}

fn identity(at: &Location) -> Identity {
    Identity::new(at.as_os_str().as_encoded_bytes())
}

impl Store for MemoryStore {
    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
        let files = self.files();
        let found = match files.get(at) {
            Some(bytes) => Some((FileKind::File, bytes.len() as u64)),
            None => has_folder(&files, at).then_some((FileKind::Folder, 0)),
        };
        Ok(found.map(|(kind, length)| FileStatus::new(kind, length, identity(at))))
    }

    fn identify(&self, at: &Location) -> Identity {
        identity(at)
    }

    fn resolve(&self, at: &Location) -> Location {
        at.clone()
    }

    fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>> {
        let bytes = self.files().get(at).cloned();
        Ok(opened(bytes.ok_or(io::ErrorKind::NotFound)?, identity(at)))
    }

    fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
        let files = self.files();
        let within = files.keys().filter(|file| file.is_within(folder));
        let found: Vec<_> = within.cloned().collect();
        match found.is_empty() {
            true => Err(io::ErrorKind::NotFound.into()),
            false => Ok(found),
        }
    }

    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
        let files = self.files();
        let within = files.keys().filter_map(|file| file.relative_to(folder));
        let first = within.filter_map(|file| {
            let all = std::iter::successors(Some(file), Location::parent);
            all.last().map(|first| folder.join(first))
        });
        let entries: BTreeSet<_> = first.filter(|entry| entry != folder).collect();
        Ok(entries.into_iter().collect())
    }

    fn write_to(&self, _: &Location) -> io::Result<Box<dyn Finish>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn may_create(&self, target: &Location, folder: bool, how: DraftOptions) -> Result<()> {
        let files = self.files();
        match (files.contains_key(target), has_folder(&files, target)) {
            (true, _) if folder => Err(is_file(target)),
            (_, true) if !folder => Err(is_folder(target)),
            (true, _) if !how.overwrite => Err(exists(target)),
            (_, true) if !how.overwrite && !how.add => Err(holds_files(target)),
            _ => Ok(()),
        }
    }

    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
        self.may_create(target, false, how)?;
        Ok(Box::new(MemoryDraft::default()))
    }

    fn create_folder(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn DraftFolder>> {
        self.may_create(target, true, how)?;
        let folder = Folder {
            target: target.clone(),
            begun: BTreeSet::new(),
            files: Arc::default(),
        };
        Ok(Box::new(folder))
    }

    fn commit(&self, changes: Vec<Change>, kept: &HashSet<Identity>, _: bool) -> Result<()> {
        let mut files = self.files();
        let (mut new, mut freed) = (BTreeMap::new(), Vec::new());
        for Change {
            target,
            new: what,
            how,
        } in changes
        {
            let mut add = |target: Location, bytes| {
                if kept.contains(&identity(&target)) {
                    return Err(is_read(&target));
                }
                if files.contains_key(&target) && !how.overwrite {
                    return Err(exists(&target));
                }
                match new.insert(target.clone(), bytes) {
                    Some(_) => Err(is_twin(&target)),
                    None => Ok(()),
                }
            };
            match what {
                New::File(whole) => match whole.into_any().downcast::<FinishedBytes>() {
                    Ok(whole) => add(target, whole.0)?,
                    Err(_) => return Err(is_foreign(&target)),
                },
                New::Folder(folder) => {
                    let held = files.keys().filter(|file| file.is_within(&target));
                    let held: Vec<_> = held.cloned().collect();
                    match (held.is_empty() || how.add, how.overwrite) {
                        (true, _) => {}
                        (false, false) => return Err(holds_files(&target)),
                        (false, true) => {
                            let read = |file: &&Location| kept.contains(&identity(file));
                            if let Some(input) = held.iter().find(read) {
                                return Err(holds_input(&target, input));
                            }
                            freed.extend(held);
                        }
                    }
                    let Some(folder) = folder else {
                        continue;
                    };
                    let Ok(folder) = folder.into_any().downcast::<Folder>() else {
                        return Err(is_foreign(&target));
                    };
                    for (name, bytes) in std::mem::take(&mut *folder.files()) {
                        add(target.join(name), bytes)?;
                    }
                }
                New::Nothing if kept.contains(&identity(&target)) => return Err(is_read(&target)),
                New::Nothing if files.contains_key(&target) && !how.overwrite => {
                    return Err(exists(&target));
                }
                New::Nothing => freed.push(target),
            }
        }
        freed.iter().for_each(|target| drop(files.remove(target)));
        files.append(&mut new);
        Ok(())
    }

    fn make_folder(&self, _: &Location, _: bool) -> Result<bool> {
        Ok(false)
    }

    fn settle_folder(&self, _: &Location, _: bool) {}

    fn leftovers(&self, _: &Location) -> Vec<Leftover> {
        Vec::new()
    }
}

/// An open file, as it was when it was opened.
struct MemoryFile {
    bytes: Cursor<SharedBytes>,
    identity: Identity,
}

struct SharedBytes(Bytes);

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn opened(bytes: Bytes, identity: Identity) -> Box<dyn OpenedFile> {
    let bytes = Cursor::new(SharedBytes(bytes));
    Box::new(MemoryFile { bytes, identity })
}

impl Read for MemoryFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(out)
    }
}

impl Seek for MemoryFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

impl OpenedFile for MemoryFile {
    fn length(&self) -> Option<u64> {
        Some(self.bytes.get_ref().0.len() as u64)
    }

    fn can_seek(&self) -> bool {
        true
    }

    fn identity(&self) -> Option<Identity> {
        Some(self.identity.clone())
    }
}

/// A file being written, and its folder.
#[derive(Default)]
struct MemoryDraft {
    bytes: Vec<u8>,
    folder: Option<(Location, Files)>,
}

impl Write for MemoryDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Draft for MemoryDraft {
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let at = usize::try_from(at).map_err(|_| io::ErrorKind::InvalidInput)?;
        let place = self.bytes.get_mut(at..at.saturating_add(bytes.len()));
        place
            .ok_or(io::ErrorKind::InvalidInput)?
            .copy_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Box<dyn FinishedFile>> {
        let bytes = Arc::new(self.bytes);
        if let Some((name, files)) = self.folder {
            lock(&files).insert(name, bytes.clone());
        }
        Ok(Box::new(FinishedBytes(bytes)))
    }
}

/// A finished file.
#[derive(Debug)]
struct FinishedBytes(Bytes);

impl FinishedFile for FinishedBytes {
    fn open(&self) -> io::Result<Box<dyn OpenedFile>> {
        Ok(opened(self.0.clone(), Identity::new([])))
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// The finished files of a folder.
type Files = Arc<Mutex<BTreeMap<Location, Bytes>>>;

fn lock(files: &Files) -> MutexGuard<'_, BTreeMap<Location, Bytes>> {
    files.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder being written.
#[derive(Debug)]
struct Folder {
    target: Location,
    begun: BTreeSet<Location>,
    files: Files,
}

impl Folder {
    fn files(&self) -> MutexGuard<'_, BTreeMap<Location, Bytes>> {
        lock(&self.files)
    }
}

impl DraftFolder for Folder {
    fn create(&mut self, name: &Location, _: bool) -> Result<Box<dyn Draft>> {
        if !self.begun.insert(name.clone()) {
            return Err(second_in_folder(&self.target.join(name)));
        }
        Ok(Box::new(MemoryDraft {
            bytes: Vec::new(),
            folder: Some((name.clone(), self.files.clone())),
        }))
    }

    fn has(&self, name: &Location) -> bool {
        self.begun.contains(name)
    }

    fn open(&self, name: &Location) -> io::Result<Box<dyn OpenedFile>> {
        let bytes = self.files().get(name).cloned();
        Ok(opened(
            bytes.ok_or(io::ErrorKind::NotFound)?,
            Identity::new([]),
        ))
    }

    fn list(&self) -> io::Result<Vec<Location>> {
        Ok(self.files().keys().cloned().collect())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
