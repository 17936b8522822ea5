//! Files of which little is read unless more is asked for.

use std::io::{self, Read, Seek, SeekFrom};

use spr_core::bytes::{Identity, OpenedFile};

/// The size of the first read, which most headers fit in.
const FIRST: usize = 4 << 10;

/// A file whose first reads are short, as most files are opened for their header alone. Later reads
/// are four times as long each.
pub(super) struct Gentle {
    inner: Box<dyn OpenedFile>,
    most: usize,
}

impl Gentle {
    pub(super) fn new(inner: Box<dyn OpenedFile>) -> Self {
        Self { inner, most: FIRST }
    }
}

impl Read for Gentle {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = out.len().min(self.most);
        self.most = self.most.saturating_mul(4);
        self.inner.read(&mut out[..most])
    }
}

impl Seek for Gentle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

impl OpenedFile for Gentle {
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
