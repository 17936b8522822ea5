//! Rows that wait in a temporary file until the types of all columns are known.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use spr_core::{Error, Result};

use super::cell::Cell;

const BUFFER: usize = 256 << 10;

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
        })
    }

    /// Adds a row. A file of the data set gets at most so many bytes, or one row.
    ///
    /// # Errors
    /// The temporary file can't be written.
    pub(crate) fn add(&mut self, row: &SpooledRow, most: u64) -> Result<()> {
        let bytes = postcard::to_allocvec(row);
        let bytes = bytes.map_err(|e| Error::unsupported(format!("a row can't be kept: {e}")))?;
        let size = bytes.len() as u64;
        if self.in_shard > 0 && self.bytes - self.since + size > most {
            self.shards.push(self.in_shard);
            (self.in_shard, self.since) = (0, self.bytes);
        }
        let written = self.file.write_all(&size.to_le_bytes());
        written
            .and_then(|()| self.file.write_all(&bytes))
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
    /// Reads the next row, of which it is known that there is one.
    ///
    /// # Errors
    /// The temporary file can't be read.
    pub(crate) fn next(&mut self) -> Result<SpooledRow> {
        let mut size = [0; 8];
        self.file.read_exact(&mut size).map_err(failed)?;
        let size = u64::from_le_bytes(size);
        let mut bytes = Vec::new();
        let read = (&mut self.file).take(size).read_to_end(&mut bytes);
        read.map_err(failed)?;
        let row = postcard::from_bytes(&bytes);
        row.map_err(|_| failed(io::Error::from(io::ErrorKind::InvalidData)))
    }
}

fn failed(error: io::Error) -> Error {
    let folder = std::env::temp_dir().display().to_string();
    Error::io("cannot keep rows here until all are known", error).file(folder)
}
