//! Decoded samples that may be needed again.

use std::io::{Read, Seek, SeekFrom, Write};

use tempfile::SpooledTempFile;

use crate::error::{Error, Result};
use crate::model::{Limits, Matrix, Rank};

/// The bytes that a tape keeps in memory; more go to a temporary file.
const IN_MEMORY: usize = 256 << 10;

/// The samples of a recording from the first one on, in memory or in a temporary file.
pub(super) struct Tape {
    file: SpooledTempFile,
    bytes: u64,
}

impl Tape {
    /// Creates an empty tape.
    pub(super) fn new() -> Self {
        Self {
            file: SpooledTempFile::new(IN_MEMORY),
            bytes: 0,
        }
    }

    /// Returns its size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends samples.
    ///
    /// # Errors
    /// They exceed the limit of one object, or the temporary file cannot be written.
    pub(super) fn append(&mut self, samples: &Matrix, limits: &Limits) -> Result<()> {
        let bytes = samples.as_bytes();
        let size = self.bytes + bytes.len() as u64;
        limits.bytes("the samples of a recording", size)?;
        let end = self.file.seek(SeekFrom::Start(self.bytes));
        let written = end.and_then(|_| self.file.write_all(bytes));
        written.map_err(|e| failed("cannot keep the samples of a recording here", e))?;
        self.bytes = size;
        Ok(())
    }

    /// Reads `rows` samples from sample `first` on, of the type and channels of `like`.
    ///
    /// # Errors
    /// They exceed the limits, or the temporary file cannot be read.
    pub(super) fn read(
        &mut self,
        first: u64,
        rows: usize,
        like: &Matrix,
        limits: &Limits,
    ) -> Result<Matrix> {
        let mut samples = Matrix::default();
        let row = (like.cols() * like.dtype().size()) as u64;
        let into = samples.reset(like.dtype(), Rank::Matrix, rows, like.cols(), limits)?;
        let start = self.file.seek(SeekFrom::Start(first * row));
        let read = start.and_then(|_| self.file.read_exact(into));
        read.map_err(|e| failed("cannot read the samples that were kept here", e))?;
        Ok(samples)
    }
}

/// An error of the folder for temporary files.
fn failed(doing: &'static str, error: std::io::Error) -> Error {
    Error::io(doing, error).file(std::env::temp_dir().display().to_string())
}
