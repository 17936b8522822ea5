//! Files that are a part of an archive.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{Identity, OpenedFile, seek_position};

/// A range of bytes of an archive.
pub(super) struct Slice {
    archive: Box<dyn OpenedFile>,
    start: u64,
    length: u64,
    at: u64,
    identity: Identity,
}

impl Slice {
    /// Opens `length` bytes of an archive from byte `start` on.
    pub(super) fn new(
        mut archive: Box<dyn OpenedFile>,
        start: u64,
        length: u64,
        identity: Identity,
    ) -> io::Result<Self> {
        archive.seek(SeekFrom::Start(start))?;
        Ok(Self {
            archive,
            start,
            length,
            at: 0,
            identity,
        })
    }
}

impl Read for Slice {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(self.at));
        let most = out.len().min(left.unwrap_or(usize::MAX));
        let read = self.archive.read(&mut out[..most])?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Slice {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = seek_position(to, self.at, self.length)?;
        let at = self.start.saturating_add(self.at);
        self.archive.seek(SeekFrom::Start(at))?;
        Ok(self.at)
    }
}

impl OpenedFile for Slice {
    fn length(&self) -> Option<u64> {
        Some(self.length)
    }

    fn can_seek(&self) -> bool {
        true
    }

    fn identity(&self) -> Option<Identity> {
        Some(self.identity.clone())
    }
}

/// A member, or the first bytes of one, in a file that others share.
pub(super) struct Kept {
    file: Arc<Mutex<File>>,
    start: u64,
    kept: u64,
    length: u64,
    at: u64,
    identity: Identity,
}

impl Kept {
    /// Opens a member of `length` bytes, of which `kept` stand in `file` from byte `start` on.
    pub(super) fn new(
        file: Arc<Mutex<File>>,
        (start, kept): (u64, u64),
        length: u64,
        identity: Identity,
    ) -> Self {
        Self {
            file,
            start,
            kept,
            length,
            at: 0,
            identity,
        }
    }
}

impl Read for Kept {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.kept.saturating_sub(self.at);
        if left == 0 && self.at < self.length && !out.is_empty() {
            let message = "only the start of a packed member is looked at";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        let most = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.start.saturating_add(self.at)))?;
        let read = file.read(&mut out[..most])?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Kept {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = seek_position(to, self.at, self.length)?;
        Ok(self.at)
    }
}

impl OpenedFile for Kept {
    fn length(&self) -> Option<u64> {
        Some(self.length)
    }

    fn can_seek(&self) -> bool {
        true
    }

    fn identity(&self) -> Option<Identity> {
        Some(self.identity.clone())
    }
}
