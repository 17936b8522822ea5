//! The bytes of a Parquet file for the library that decodes them.

use std::io::{self, BufReader, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use spr_core::bytes::Source;
use spr_core::{Error, Limits, Result};

/// The bytes that are read at once where a header is expected.
const HEADER: usize = 256;

/// A source with random access. Clones read the same bytes.
#[derive(Clone)]
pub(crate) struct Chunks {
    shared: Arc<Mutex<Shared>>,
    len: u64,
    limits: Limits,
}

struct Shared {
    source: Source,
    /// The last error of the source, which the library reports in words of its own.
    failure: Option<Error>,
}

impl Chunks {
    /// Wraps a source, of which a temporary copy is made if it can't be read in any order.
    ///
    /// # Errors
    /// The copy can't be made.
    pub(crate) fn new(source: Source, limits: Limits) -> Result<Self> {
        let source = source.into_seekable()?;
        let len = source.len().unwrap_or_default();
        let failure = None;
        let shared = Arc::new(Mutex::new(Shared { source, failure }));
        Ok(Self {
            shared,
            len,
            limits,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the error of the source that made the library fail.
    pub(crate) fn take_failure(&self) -> Option<Error> {
        self.lock().failure.take()
    }

    /// Fills `out` with the bytes from `at` on.
    fn fill(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let source = &mut self.lock().source;
        source.seek(at)?;
        source.fill(out)
    }

    /// Returns the bytes of a range.
    ///
    /// # Errors
    /// They do not exist, are more than the limits allow, or can't be read.
    pub(crate) fn range(&self, start: u64, length: u64) -> Result<Vec<u8>> {
        let end = start.checked_add(length).filter(|end| *end <= self.len);
        if end.is_none() {
            let message = format!("{length} bytes from byte {start} on are not in the file");
            return Err(Error::malformed(message));
        }
        let mut bytes = vec![0; self.limits.bytes("a page", length)?];
        self.fill(start, &mut bytes)?;
        Ok(bytes)
    }

    /// Reports an error of the source to the library, and keeps it.
    fn failed(&self, error: Error) -> String {
        let words = error.to_string();
        self.lock().failure = Some(error);
        words
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Chunks {
    type T = BufReader<ChunkStream>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let stream = ChunkStream {
            chunks: self.clone(),
            at: start,
        };
        Ok(BufReader::with_capacity(HEADER, stream))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let bytes = self.range(start, length as u64);
        let bytes = bytes.map_err(|e| ParquetError::General(self.failed(e)));
        bytes.map(Bytes::from)
    }
}

/// The bytes from a position on.
pub(crate) struct ChunkStream {
    chunks: Chunks,
    at: u64,
}

impl Read for ChunkStream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.chunks.len.saturating_sub(self.at);
        let n = usize::try_from(left).unwrap_or(usize::MAX).min(out.len());
        let filled = self.chunks.fill(self.at, &mut out[..n]);
        filled.map_err(|e| io::Error::other(self.chunks.failed(e)))?;
        self.at += n as u64;
        Ok(n)
    }
}
