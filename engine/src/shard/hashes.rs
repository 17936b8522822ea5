//! Hashes of the files that a job reads and writes, computed on the way.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spr_core::bytes::{Env, FileKind, FileStatus, Identity, Location, OpenedFile};
use spr_core::{Error, Result};
use twox_hash::XxHash3_128;

use super::fingerprint::{outside, text};

/// The number of bytes read at a time.
const BLOCK: usize = 1 << 20;

/// Hashes a stored file, or the names and bytes of all files in a folder.
///
/// # Errors
/// It cannot be read.
pub(super) fn of_file(file: &Location, env: &Env) -> Result<String> {
    if !env.is_folder(file) {
        return rest_of(file, env, Progress::default());
    }
    let mut members = BTreeMap::new();
    for member in env.list(file)? {
        let hash = rest_of(&member, env, Progress::default())?;
        members.insert(member, hash);
    }
    Ok(of_members(&members))
}

/// Hashes what follows the bytes of a file that are hashed already.
fn rest_of(file: &Location, env: &Env, done: Progress) -> Result<String> {
    let rest = || {
        let mut stored = env.store().open(file)?;
        if done.end > 0 {
            stored.seek(SeekFrom::Start(done.end))?;
        }
        of_stored(stored, done.hash)
    };
    rest().map_err(|e| Error::io("cannot read", e).file(file.to_string()))
}

pub(super) fn of_stored(
    mut stored: Box<dyn OpenedFile>,
    mut hash: XxHash3_128,
) -> io::Result<String> {
    let mut block = vec![0; BLOCK];
    loop {
        match stored.read(&mut block)? {
            0 => return Ok(text(hash.finish_128())),
            n => hash.write(&block[..n]),
        }
    }
}

/// The hash of a folder with these files.
fn of_members(members: &BTreeMap<Location, String>) -> String {
    let mut hash = XxHash3_128::default();
    for (member, own) in members {
        for part in [member.to_string().as_str(), own] {
            hash.write(&(part.len() as u64).to_le_bytes());
            hash.write(part.as_bytes());
        }
    }
    text(hash.finish_128())
}

/// Hashes of the bytes that a job reads and writes. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Hashes(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The sizes and hashes of finished files, by their final names.
    written: BTreeMap<Location, (u64, String)>,
    /// The fingerprints of the opened files, while they are collected.
    opened: Option<BTreeSet<u128>>,
    /// The files whose bytes are hashed while they are read, with the hashes that they should have.
    expected: HashMap<Location, (String, Arc<Mutex<Progress>>)>,
}

/// A hash of the first bytes of a file.
#[derive(Clone, Default)]
struct Progress {
    hash: XxHash3_128,
    /// The number of bytes.
    end: u64,
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.end)
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hashes {
    /// Hashes that tell the files that are opened as well, until they are asked which.
    pub fn of_opened() -> Self {
        let state = State {
            opened: Some(BTreeSet::new()),
            ..State::default()
        };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Returns the size and the hash of a written file, or of all files written in a folder.
    pub fn of(&self, at: &Location) -> Option<(u64, String)> {
        let state = lock(&self.0);
        if let Some(own) = state.written.get(at) {
            return Some(own.clone());
        }
        let written = state.written.iter();
        let members: Vec<_> = written.filter(|(file, _)| file.is_within(at)).collect();
        let size = members.iter().map(|(_, (size, _))| size).sum();
        let named = members
            .iter()
            .map(|(file, (_, hash))| ((*file).clone(), hash.clone()));
        (!members.is_empty()).then(|| (size, of_members(&named.collect())))
    }

    /// Returns what tells the files that were opened so far from others. Those that are opened later
    /// are of no interest.
    pub(super) fn opened(&self) -> BTreeSet<u128> {
        lock(&self.0).opened.take().unwrap_or_default()
    }

    /// Hashes a file while it is read, which should come to `hash`.
    pub fn expect(&self, file: Location, hash: String) {
        lock(&self.0).expected.insert(file, (hash, Arc::default()));
    }

    /// Returns `true` if a file is expected to have a hash.
    pub fn expects(&self) -> bool {
        !lock(&self.0).expected.is_empty()
    }

    /// Returns the first of the expected files with another hash. Reads what has not been read.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn unexpected(&self, env: &Env) -> Result<Option<Location>> {
        let expected = std::mem::take(&mut lock(&self.0).expected);
        for (file, (hash, done)) in expected {
            let done = lock(&done).clone();
            let now = match env.is_folder(&file) {
                true => of_file(&file, env)?,
                false => rest_of(&file, env, done)?,
            };
            if now != hash {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    pub(super) fn add(&self, file: Location, size: u64, hash: String) {
        lock(&self.0).written.insert(file, (size, hash));
    }

    /// Takes note of a file that is read or named, as `look` finds it.
    pub(super) fn note<E>(
        &self,
        file: &Location,
        look: impl FnOnce() -> Result<Option<FileStatus>, E>,
    ) -> Result<(), E> {
        if lock(&self.0).opened.is_none() {
            return Ok(());
        }
        let status = look()?.filter(|status| status.kind == FileKind::File);
        if let (Some(opened), Some(status)) = (&mut lock(&self.0).opened, status) {
            opened.insert(outside(file, &status));
        }
        Ok(())
    }

    /// Hashes what is read of a file, if that is expected to have a hash.
    pub(super) fn read(&self, file: &Location, opened: Box<dyn OpenedFile>) -> Box<dyn OpenedFile> {
        match lock(&self.0).expected.get(file) {
            None => opened,
            Some((_, done)) => Box::new(HashedFile {
                inner: opened,
                at: 0,
                done: done.clone(),
            }),
        }
    }
}

/// A file that is hashed as far as it is read from its start.
struct HashedFile {
    inner: Box<dyn OpenedFile>,
    /// The current position.
    at: u64,
    done: Arc<Mutex<Progress>>,
}

impl Read for HashedFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(out)?;
        let mut done = lock(&self.done);
        let known = done.end.checked_sub(self.at);
        let known = known.and_then(|known| usize::try_from(known).ok());
        if let Some(new @ [_, ..]) = known.and_then(|known| out[..n].get(known..)) {
            done.hash.write(new);
            done.end += new.len() as u64;
        }
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for HashedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = self.inner.seek(to)?;
        Ok(self.at)
    }
}

#[warn(clippy::missing_trait_methods)]
impl OpenedFile for HashedFile {
    fn length(&self) -> Option<u64> {
        self.inner.length()
    }

    fn can_seek(&self) -> bool {
        self.inner.can_seek()
    }

    fn identity(&self) -> Option<Identity> {
        self.inner.identity()
    }
}
