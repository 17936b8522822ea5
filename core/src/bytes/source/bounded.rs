//! Files inside larger ones.

use std::io::{self, Read, Seek, SeekFrom};

use crate::bytes::store::{Identity, OpenedFile};

/// A file that ends before its end, as a member of an archive does.
pub(super) struct BoundedFile {
    inner: Box<dyn OpenedFile>,
    /// The position of the next byte.
    next: u64,
    /// The position at which it ends.
    end: u64,
}

impl BoundedFile {
    /// Limits a file, whose next byte is at `next`, to the bytes before `end`.
    pub(super) fn new(inner: Box<dyn OpenedFile>, next: u64, end: u64) -> Self {
        Self { inner, next, end }
    }
}

impl Read for BoundedFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.next)).unwrap_or(usize::MAX);
        let most = left.min(out.len());
        let n = match out.get_mut(..most) {
            Some(out) if most > 0 => self.inner.read(out)?,
            _ => 0,
        };
        self.next += n as u64;
        Ok(n)
    }
}

impl Seek for BoundedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.next = self.inner.seek(to)?;
        Ok(self.next)
    }
}

impl OpenedFile for BoundedFile {
    fn length(&self) -> Option<u64> {
        Some(self.end)
    }

    fn can_seek(&self) -> bool {
        self.inner.can_seek()
    }

    fn identity(&self) -> Option<Identity> {
        self.inner.identity()
    }
}
