//! Limits on the expansion of compressed data.

use std::sync::atomic::Ordering;

use super::Source;
use crate::error::{ErrorKind, Remedy, Result};
use crate::model::{Limits, Matrix};

/// The memory per compressed byte that was read. Features are compressed to a third,
/// alignments to a thirtieth; a gigabyte of zeros to a thousandth and less.
const RATIO: u64 = 50;

/// The memory taken by a growing list.
pub struct MemoryCounter {
    what: &'static str,
    bytes: u64,
}

impl MemoryCounter {
    /// The overhead of an entry: spare capacity of a list or table, and the allocator.
    const ENTRY: usize = 64;

    /// Creates an empty count for `what`.
    pub fn new(what: &'static str) -> Self {
        Self { what, bytes: 0 }
    }

    /// Counts an entry of `bytes` bytes, read from `source`, before it is stored.
    ///
    /// # Errors
    /// As for [`Source::hold`].
    pub fn add(&mut self, bytes: usize, source: &Source, limits: &Limits) -> Result<()> {
        self.count(bytes);
        source.hold(self.what, self.bytes, limits).map(drop)
    }

    /// Counts an entry of `bytes` bytes that is stored by a writer.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit).
    pub fn keep(&mut self, bytes: usize, limits: &Limits) -> Result<()> {
        self.count(bytes);
        limits.bytes(self.what, self.bytes).map(drop)
    }

    fn count(&mut self, bytes: usize) {
        let entry = bytes.saturating_add(Self::ENTRY) as u64;
        self.bytes = self.bytes.saturating_add(entry);
    }
}

impl Source {
    /// Allows an object of `bytes` bytes, however small the compressed data that it is made of.
    pub(in super::super) fn unpacking_to(mut self, bytes: u64) -> Self {
        self.unpacked = bytes;
        self
    }

    /// Returns the number of compressed bytes read so far, if there is a compression.
    pub fn packed(&self) -> Option<u64> {
        let packed = self.packed.as_ref()?;
        Some(packed.load(Ordering::Relaxed))
    }

    /// Checks an allocation of `bytes` for `what`, which is read from here, against the limits and
    /// the bytes read so far. Returns `bytes`.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit), with the position.
    pub fn hold(&self, what: &str, bytes: u64, limits: &Limits) -> Result<usize> {
        self.check_expansion(what, bytes)?;
        limits
            .bytes(what, bytes)
            .map_err(|e| e.file(&self.name).byte(self.offset))
    }

    /// Adds `rows` to `into`, which is read from here, and returns their bytes to fill. For a
    /// matrix that grows as data arrive, whatever its declared size.
    ///
    /// # Errors
    /// As for [`hold`](Self::hold).
    pub fn grow<'a>(
        &self,
        into: &'a mut Matrix,
        rows: usize,
        limits: &Limits,
    ) -> Result<&'a mut [u8]> {
        self.check_expansion("a matrix", into.as_bytes().len() as u64)?;
        into.extend_rows(rows, limits)
            .map_err(|e| e.file(&self.name).byte(self.offset))
    }

    /// Checks that `bytes`, allocated for `what`, are in proportion to the compressed bytes.
    pub(super) fn check_expansion(&self, what: &str, bytes: u64) -> Result<()> {
        match self.packed() {
            Some(packed) if bytes > self.unpacked.max(packed.saturating_mul(RATIO)) => {
                let message = format!(
                    "{what} of {bytes} bytes or more is out of proportion: \
                     {packed} compressed bytes were read for it"
                );
                let error = self.error(ErrorKind::Limit, message);
                Err(error.suggest(Remedy::TrustPacked))
            }
            _ => Ok(()),
        }
    }
}
