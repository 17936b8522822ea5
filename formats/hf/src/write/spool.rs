//! Rows that wait in a temporary file until the types of all columns are known.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use spr_core::{Error, Result};

use super::cell::Cell;

/// The bytes of rows that are written, and become columns, at once. Values are below 1 GiB, so that the offsets of a
/// column have 31 bits.
const BATCH: usize = 1 << 20;
/// The most rows of a batch.
const MOST_ROWS: u64 = 1024;

/// The bytes whose space is given back at once.
const FREED: u64 = 8 << 20;

/// The values of a row, each with the number of its column.
pub(crate) type SpooledRow<'a> = Vec<(u32, Cell<'a>)>;

/// Rows of one split.
pub(crate) struct Spool {
    file: File,
    /// The rows of the next batch, and their number.
    batch: Vec<u8>,
    in_batch: u64,
    pub(crate) rows: u64,
    bytes: u64,
    /// The number of rows in each file but the last.
    pub(crate) shards: Vec<u64>,
    in_shard: u64,
    since: u64,
}

impl Spool {
    /// Makes an empty one.
    ///
    /// # Errors
    /// There can be no temporary file.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            file: tempfile::tempfile().map_err(failed)?,
            batch: Vec::new(),
            in_batch: 0,
            rows: 0,
            bytes: 0,
            shards: Vec::new(),
            in_shard: 0,
            since: 0,
        })
    }

    /// Adds a row. A file of the data set gets at most so many bytes, or one row.
    ///
    /// # Errors
    /// The temporary file can't be written.
    pub(crate) fn add(&mut self, row: &SpooledRow<'_>, most: u64) -> Result<()> {
        let before = self.batch.len();
        let batch = postcard::to_extend(row, std::mem::take(&mut self.batch));
        self.batch = batch.map_err(|e| Error::unsupported(format!("a row can't be kept: {e}")))?;
        let size = (self.batch.len() - before) as u64;
        if self.in_shard > 0 && self.bytes - self.since + size > most {
            self.put(before)?;
            self.shards.push(self.in_shard);
            (self.in_shard, self.since) = (0, self.bytes);
        }
        self.bytes += size;
        self.rows += 1;
        self.in_shard += 1;
        self.in_batch += 1;
        match self.batch.len() >= BATCH || self.in_batch == MOST_ROWS {
            true => self.put(self.batch.len()),
            false => Ok(()),
        }
    }

    /// Writes the rows of the batch so far, which are this many of its bytes.
    fn put(&mut self, bytes: usize) -> Result<()> {
        if self.in_batch == 0 {
            return Ok(());
        }
        let head = [bytes as u64, self.in_batch].map(u64::to_le_bytes).concat();
        let written = self.file.write_all(&head);
        written
            .and_then(|()| self.file.write_all(&self.batch[..bytes]))
            .map_err(failed)?;
        self.batch.drain(..bytes);
        self.in_batch = 0;
        Ok(())
    }

    /// Completes it, to be read.
    ///
    /// # Errors
    /// The temporary file can't be written.
    pub(crate) fn finish(mut self) -> Result<SpoolReader> {
        self.put(self.batch.len())?;
        let (rows, mut shards, mut file) = (self.rows, self.shards, self.file);
        shards.push(self.in_shard);
        file.rewind().map_err(failed)?;
        Ok(SpoolReader {
            file,
            rows,
            shards,
            read: 0,
            freed: 0,
        })
    }
}

/// Reads the rows again, in order.
pub(crate) struct SpoolReader {
    file: File,
    pub(crate) rows: u64,
    /// The number of rows in each file.
    pub(crate) shards: Vec<u64>,
    /// The bytes that were read, and those of them whose space was given back.
    read: u64,
    freed: u64,
}

impl SpoolReader {
    /// Reads the next batch, of which it is known that it is there, for [`rows`], and returns the number of its rows.
    /// No batch is of two shards.
    ///
    /// # Errors
    /// The temporary file can't be read.
    pub(crate) fn take(&mut self, batch: &mut Vec<u8>) -> Result<u64> {
        let mut head = [[0; 8]; 2];
        self.file
            .read_exact(head.as_flattened_mut())
            .map_err(failed)?;
        let [bytes, count] = head.map(u64::from_le_bytes);
        batch.clear();
        let read = (&mut self.file).take(bytes).read_to_end(batch);
        if read.map_err(failed)? as u64 != bytes || count == 0 {
            return Err(failed(io::ErrorKind::UnexpectedEof.into()));
        }
        self.read += bytes + size_of_val(&head) as u64;
        self.free();
        Ok(count)
    }

    /// Gives the space of what was read back, as the output takes as much again.
    fn free(&mut self) {
        if self.read - self.freed >= FREED {
            give_back(&self.file, self.freed, self.read - self.freed);
            self.freed = self.read;
        }
    }
}

/// Gives the space of a range back, where the system and the file system can do that. Else it is free
/// once the file is closed.
#[cfg(target_os = "linux")]
fn give_back(file: &File, offset: u64, bytes: u64) {
    use rustix::fs::{FallocateFlags, fallocate};
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    let _ = fallocate(file, flags, offset, bytes);
}

#[cfg(not(target_os = "linux"))]
fn give_back(_: &File, _: u64, _: u64) {}

/// Returns the rows of a batch.
///
/// # Errors
/// The temporary file was changed.
pub(crate) fn rows(mut bytes: &[u8]) -> Result<Vec<SpooledRow<'_>>> {
    let mut rows = Vec::new();
    while !bytes.is_empty() {
        let row = postcard::take_from_bytes(bytes);
        let (row, rest) = row.map_err(|_| failed(io::ErrorKind::InvalidData.into()))?;
        rows.push(row);
        bytes = rest;
    }
    Ok(rows)
}

fn failed(error: io::Error) -> Error {
    let folder = std::env::temp_dir().display().to_string();
    Error::io("cannot keep rows here until all are known", error).file(folder)
}
