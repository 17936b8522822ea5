//! What is finished and has no name yet, to be looked at.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use bytes::Bytes;
use spr_core::Error;
use spr_core::bytes::{Identity, Stored};

use crate::fault::system;

/// An object before its last step: its bytes where they are still here, else no more than its length.
pub(crate) struct Unread {
    bytes: Option<Cursor<Bytes>>,
    length: u64,
}

impl Unread {
    /// One whose bytes are here.
    pub(crate) fn of(bytes: Bytes) -> Box<dyn Stored> {
        Box::new(Self {
            length: bytes.len() as u64,
            bytes: Some(Cursor::new(bytes)),
        })
    }

    /// One whose bytes only the store has.
    pub(crate) fn elsewhere(length: u64) -> Box<dyn Stored> {
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

impl Read for Unread {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.here()?.read(out)
    }
}

impl Seek for Unread {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.here()?.seek(to)
    }
}

impl Stored for Unread {
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
