//! Rows that wait in a temporary file until the types of all columns are known.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use spr_core::{Error, Result};

use super::cell::Cell;

const BUFFER: usize = 256 << 10;
/// The bytes of rows that become columns at once. Values are below 1 GiB, so that the offsets of a column have
/// 31 bits.
const BATCH: usize = 1 << 20;
/// The most rows that become columns at once.
const MOST_ROWS: u64 = 1024;

/// The values of a row, each with the number of its column.
pub(crate) type SpooledRow = Vec<(u32, Cell)>;

/// Rows of one split.
pub(crate) struct Spool {
    file: BufWriter<File>,
    pub(crate) rows: u64,
    bytes: u64,
    /// The number of rows in each file but the last.
    pub(crate) shards: Vec<u64>,
    in_shard: u64,
    since: u64,
    /// The bytes of a row, whose memory is used again.
    row: Vec<u8>,
}

impl Spool {
    /// Makes an empty one.
    ///
    /// # Errors
    /// There can be no temporary file.
    pub(crate) fn new() -> Result<Self> {
        let file = tempfile::tempfile().map_err(failed)?;
        Ok(Self {
            file: BufWriter::with_capacity(BUFFER, file),
            rows: 0,
            bytes: 0,
            shards: Vec::new(),
            in_shard: 0,
            since: 0,
            row: Vec::new(),
        })
    }

    /// Adds a row. A file of the data set gets at most so many bytes, or one row.
    ///
    /// # Errors
    /// The temporary file can't be written.
    pub(crate) fn add(&mut self, row: &SpooledRow, most: u64) -> Result<()> {
        self.row.clear();
        let bytes = postcard::to_extend(row, std::mem::take(&mut self.row));
        self.row = bytes.map_err(|e| Error::unsupported(format!("a row can't be kept: {e}")))?;
        let size = self.row.len() as u64;
        if self.in_shard > 0 && self.bytes - self.since + size > most {
            self.shards.push(self.in_shard);
            (self.in_shard, self.since) = (0, self.bytes);
        }
        let written = self.file.write_all(&size.to_le_bytes());
        written
            .and_then(|()| self.file.write_all(&self.row))
            .map_err(failed)?;
        self.bytes += size;
        self.rows += 1;
        self.in_shard += 1;
        Ok(())
    }

    /// Completes it, to be read.
    ///
    /// # Errors
    /// The temporary file can't be written.
    pub(crate) fn finish(self) -> Result<SpoolReader> {
        let (rows, mut shards) = (self.rows, self.shards);
        shards.push(self.in_shard);
        let file = self.file.into_inner().map_err(|e| failed(e.into_error()))?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        file.rewind().map_err(failed)?;
        Ok(SpoolReader { file, rows, shards })
    }
}

/// Reads the rows again, in order.
pub(crate) struct SpoolReader {
    file: BufReader<File>,
    pub(crate) rows: u64,
    /// The number of rows in each file.
    pub(crate) shards: Vec<u64>,
}

impl SpoolReader {
    /// Takes some of the next `most` rows, of which it is known that they are there, for [`rows`]. Returns their
    /// number, too.
    ///
    /// # Errors
    /// The temporary file can't be read.
    pub(crate) fn take(&mut self, most: u64) -> Result<(Vec<u8>, u64)> {
        let (mut bytes, mut count) = (Vec::new(), 0);
        while count < most.min(MOST_ROWS) && bytes.len() < BATCH {
            let mut size = [0; 8];
            self.file.read_exact(&mut size).map_err(failed)?;
            let mut row = (&mut self.file).take(u64::from_le_bytes(size));
            row.read_to_end(&mut bytes).map_err(failed)?;
            count += 1;
        }
        Ok((bytes, count))
    }
}

/// Returns the rows that were taken.
///
/// # Errors
/// The temporary file was changed.
pub(crate) fn rows(mut bytes: &[u8]) -> Result<Vec<SpooledRow>> {
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
