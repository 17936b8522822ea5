//! How much of compressed data may be kept at once.

use std::sync::atomic::Ordering;

use super::Source;
use crate::model::Matrix;
use crate::{ErrorKind, Limits, Result};

/// What one object may always take.
const ALWAYS: u64 = 16 << 20;
/// What it may take beyond that, for each compressed byte that was read. Features are compressed
/// to a third, alignments to a thirtieth; a gigabyte of zeros to a thousandth and less.
const RATIO: u64 = 50;

/// What a list that is kept in memory takes, counted as it grows.
pub struct Held {
    what: &'static str,
    bytes: u64,
}

impl Held {
    /// What an entry takes beside its own bytes: room that a list or table keeps to grow, and what the
    /// allocator adds.
    const ENTRY: usize = 64;

    /// Nothing yet of `what`.
    pub fn new(what: &'static str) -> Self {
        Self { what, bytes: 0 }
    }

    /// Counts an entry of so many bytes, read from `source`, before it is kept.
    ///
    /// # Errors
    /// As [`Source::hold`].
    pub fn add(&mut self, bytes: usize, source: &Source, limits: &Limits) -> Result<()> {
        self.count(bytes);
        source.hold(self.what, self.bytes, limits).map(drop)
    }

    /// Counts an entry of so many bytes that is kept of what is written.
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
    /// Compressed bytes that were read so far, if a compression is undone.
    pub fn packed(&self) -> Option<u64> {
        let packed = self.packed.as_ref()?;
        Some(packed.load(Ordering::Relaxed))
    }

    /// Checks before `bytes` of memory are taken for `what`, which is read from here, against the
    /// limits and against what was read to fill it; returns `bytes`.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit), with the place.
    pub fn hold(&self, what: &str, bytes: u64, limits: &Limits) -> Result<usize> {
        self.check_expansion(what, bytes)?;
        limits
            .bytes(what, bytes)
            .map_err(|e| e.file(&self.name).byte(self.offset))
    }

    /// Adds `rows` to `into`, which is read from here, and returns their bytes to fill; for a matrix
    /// that grows as data arrive, whether or not a header says how far.
    ///
    /// # Errors
    /// As [`hold`](Self::hold).
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

    /// Checks that `bytes`, taken for `what`, are in proportion to the compressed bytes they come
    /// from.
    pub(super) fn check_expansion(&self, what: &str, bytes: u64) -> Result<()> {
        match self.packed() {
            Some(packed) if bytes > ALWAYS.max(packed.saturating_mul(RATIO)) => {
                let message = format!(
                    "{what} of {bytes} bytes or more is out of proportion: \
                     {packed} compressed bytes were read for it"
                );
                let error = self.error(ErrorKind::Limit, message);
                Err(error.hint("if the file is to be trusted, decompress it first"))
            }
            _ => Ok(()),
        }
    }
}
