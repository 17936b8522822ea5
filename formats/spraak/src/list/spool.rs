//! Temporary storage of lines, because the header comes first and counts them.

use std::io::{self, BufRead, BufReader, Seek, Write};

use spr_core::bytes::Sink;
use spr_core::{Error, Result};
use tempfile::SpooledTempFile;

/// The number of bytes kept in memory; more go to a temporary file.
const MEMORY: usize = 4 << 20;

/// Bytes that are written and then read once.
pub(crate) struct Spool(SpooledTempFile);

impl Spool {
    pub(crate) fn new() -> Self {
        Self(SpooledTempFile::new(MEMORY))
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes).map_err(failed)
    }

    /// Passes each line, including its end, through `change` to `sink`.
    pub(crate) fn copy(
        mut self,
        sink: &mut Sink,
        mut change: impl FnMut(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        self.0.rewind().map_err(failed)?;
        let mut lines = BufReader::with_capacity(64 << 10, self.0);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            change(&mut line)?;
            sink.put(&line)?;
            line.clear();
        }
        Ok(())
    }
}

fn failed(error: io::Error) -> Error {
    Error::io("cannot use a temporary file", error)
}
