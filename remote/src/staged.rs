//! Read access to finished objects before they have names.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use bytes::Bytes;
use spr_core::Error;
use spr_core::bytes::{Identity, OpenedFile};

use crate::fault::system;

/// An object before its last step: its bytes if they are still local, otherwise only its length.
pub(crate) struct UnreadObject {
    bytes: Option<Cursor<Bytes>>,
    length: u64,
}

impl UnreadObject {
    /// Returns an object whose bytes are local.
    pub(crate) fn of(bytes: Bytes) -> Box<dyn OpenedFile> {
        Box::new(Self {
            length: bytes.len() as u64,
            bytes: Some(Cursor::new(bytes)),
        })
    }

    /// Returns an object whose bytes are only in the store.
    pub(crate) fn elsewhere(length: u64) -> Box<dyn OpenedFile> {
        Box::new(Self {
            bytes: None,
            length,
        })
    }

    fn here(&mut self) -> io::Result<&mut Cursor<Bytes>> {
        let message = "can't be read before it has its name";
        let missing = || system(io::ErrorKind::Unsupported, Error::unsupported(message));
        self.bytes.as_mut().ok_or_else(missing)
    }
}

impl Read for UnreadObject {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.here()?.read(out)
    }
}

impl Seek for UnreadObject {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.here()?.seek(to)
    }
}

impl OpenedFile for UnreadObject {
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
