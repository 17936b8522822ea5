//! Temporary copies, which any number of sources can read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use crate::bytes::store::{Identity, OpenedFile, seek_position};

/// A temporary file without a name. Clones read it from positions of their own.
#[derive(Clone)]
pub(super) struct CopiedFile {
    file: Arc<File>,
    length: u64,
    next: u64,
}

impl CopiedFile {
    /// Takes a file of `length` bytes, to be read from its start.
    pub(super) fn new(file: File, length: u64) -> Self {
        Self {
            file: Arc::new(file),
            length,
            next: 0,
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, out, at)
}

#[cfg(windows)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, out, at)
}

impl Read for CopiedFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = read_at(&self.file, out, self.next)?;
        self.next += n as u64;
        Ok(n)
    }
}

impl Seek for CopiedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.next = seek_position(to, self.next, self.length)?;
        Ok(self.next)
    }
}

impl OpenedFile for CopiedFile {
    fn length(&self) -> Option<u64> {
        Some(self.length)
    }

    fn can_seek(&self) -> bool {
        true
    }

    fn identity(&self) -> Option<Identity> {
        None
    }
}
