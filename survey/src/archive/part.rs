//! Files that are a part of an archive.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use spr_core::bytes::{Identity, OpenedFile};

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
        self.at = target(to, self.at, self.length)?;
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

/// The first bytes of a file that is longer.
pub(super) struct Head {
    bytes: Cursor<Vec<u8>>,
    length: u64,
    identity: Identity,
}

impl Head {
    pub(super) fn new(bytes: Vec<u8>, length: u64, identity: Identity) -> Self {
        Self {
            bytes: Cursor::new(bytes),
            length,
            identity,
        }
    }
}

impl Read for Head {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let kept = self.bytes.get_ref().len() as u64;
        if self.bytes.position() >= kept && self.bytes.position() < self.length && !out.is_empty() {
            let message = "only the start of a packed member is looked at";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        self.bytes.read(out)
    }
}

impl Seek for Head {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = target(to, self.bytes.position(), self.length)?;
        self.bytes.set_position(at);
        Ok(at)
    }
}

impl OpenedFile for Head {
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

/// Returns the position that is sought.
fn target(to: SeekFrom, now: u64, length: u64) -> io::Result<u64> {
    let place = match to {
        SeekFrom::Start(at) => Some(at),
        SeekFrom::Current(by) => now.checked_add_signed(by),
        SeekFrom::End(by) => length.checked_add_signed(by),
    };
    place.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}
