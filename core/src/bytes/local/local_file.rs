//! Files opened for reading.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::super::store::{Identity, OpenedFile};
use super::identity;

/// A file, device or pipe.
#[derive(Debug)]
pub(in super::super) struct LocalFile {
    file: File,
    /// The size, if it is a file.
    length: Option<u64>,
    identity: Option<Identity>,
}

impl LocalFile {
    /// Opens a file, device or pipe.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let meta = file.metadata()?;
        if meta.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let is_file = meta.is_file();
        Ok(Self {
            file,
            length: is_file.then_some(meta.len()),
            identity: is_file.then(|| identity::of_existing(path, &meta)),
        })
    }
}

impl Read for LocalFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.file.read(out)
    }
}

impl Seek for LocalFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl OpenedFile for LocalFile {
    fn length(&self) -> Option<u64> {
        self.length
    }

    fn can_seek(&self) -> bool {
        self.length.is_some()
    }

    fn identity(&self) -> Option<Identity> {
        self.identity.clone()
    }
}
