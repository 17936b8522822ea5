//! The writer of archives.

use spr_core::bytes::Sink;
use spr_core::{Error, Result};

use super::header::Header;
use super::{BLOCK, padding, pax};

/// The size of a record, to which an archive is padded.
const RECORD: u64 = 20 * BLOCK as u64;
/// The mode of files: read by all, written by their owner.
const MODE: u64 = 0o644;

/// Writes members one behind the other. The same members give the same bytes.
pub struct TarWriter {
    sink: Sink,
    /// The bytes of the member's data that are to come, and the padding behind them.
    left: u64,
    padding: u64,
}

impl TarWriter {
    /// Writes to the start of `sink`.
    pub fn new(sink: Sink) -> Self {
        Self {
            sink,
            left: 0,
            padding: 0,
        }
    }

    /// Writes a member.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn append(&mut self, name: &[u8], data: &[u8]) -> Result<u64> {
        let offset = self.begin(name, data.len() as u64)?;
        self.put(data)?;
        Ok(offset)
    }

    /// Begins a member of `size` bytes, which [`put`](Self::put) writes. Returns the byte at which its
    /// data start.
    ///
    /// # Errors
    /// The name is empty or has a NUL, the member before is not complete, or writing fails.
    pub fn begin(&mut self, name: &[u8], size: u64) -> Result<u64> {
        self.end()?;
        if name.is_empty() || name.contains(&0) {
            let name = name.escape_ascii();
            return Err(Error::unfit(format!(
                "'{name}' cannot be the name of a member"
            )));
        }
        let mut records = Vec::new();
        if name.len() > Header::NAME || !name.is_ascii() {
            pax::put("path", name, &mut records);
        }
        if size > Header::MOST {
            pax::put("size", size.to_string().as_bytes(), &mut records);
        }
        if !records.is_empty() {
            let len = records.len() as u64;
            let header = Header::new(b"././@PaxHeader", 0, len, b'x');
            self.sink.put(header.bytes())?;
            records.resize(records.len().next_multiple_of(BLOCK), 0);
            self.sink.put(&records)?;
        }
        let plain: Vec<u8> = name
            .iter()
            .map(|b| if b.is_ascii() { *b } else { b'?' })
            .collect();
        self.sink
            .put(Header::new(&plain, MODE, size, b'0').bytes())?;
        (self.left, self.padding) = (size, padding(size));
        Ok(self.sink.position())
    }

    /// Writes data of the member.
    ///
    /// # Errors
    /// They are more than was said, or writing fails.
    pub fn put(&mut self, data: &[u8]) -> Result<()> {
        let left = self.left.checked_sub(data.len() as u64);
        self.left =
            left.ok_or_else(|| Error::unfit("a member has more data than its header says"))?;
        self.sink.put(data)
    }

    /// Completes the member.
    fn end(&mut self) -> Result<()> {
        if self.left > 0 {
            let message = format!("{} bytes of a member are missing", self.left);
            return Err(Error::unfit(message));
        }
        let zeros = [0; BLOCK];
        let padding = std::mem::take(&mut self.padding);
        let padding = usize::try_from(padding).unwrap_or(0);
        self.sink.put(zeros.get(..padding).unwrap_or(&zeros))
    }

    /// Completes the archive. Returns its number of bytes.
    ///
    /// # Errors
    /// The last member is not complete, or writing fails.
    pub fn finish(mut self) -> Result<u64> {
        self.end()?;
        let end = self.sink.position() + 2 * BLOCK as u64;
        let blocks = 2 + (end.next_multiple_of(RECORD) - end) / BLOCK as u64;
        for _ in 0..blocks {
            self.sink.put(&[0; BLOCK])?;
        }
        self.sink.finish()
    }

    /// The number of bytes that were written.
    pub fn position(&self) -> u64 {
        self.sink.position()
    }
}
