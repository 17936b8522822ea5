//! Reading of bytes: ahead, in bulk, by line, by matrix.

use std::io::{self, Read};

use super::{BUFFER, Body, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Dtype, Limits, Matrix, Rank};
use crate::number::{ByteOrder, swap_in_place};
use crate::text::BOM;

/// The smallest read size.
const SMALLEST: usize = 512;
/// The number of bytes from which on data go past the buffer.
const DIRECT: usize = BUFFER / 4;
/// The number of bytes from which on a jump takes less time than reading.
const JUMP: u64 = 16 << 10;
/// The step size for large data, so that a wrong size allocates little and byte swapping works on
/// cached data.
const STEP: usize = 256 << 10;

impl Source {
    /// Returns an error at the current position.
    pub fn error(&self, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, message).file(&self.name).byte(self.offset)
    }

    /// Returns a [`Malformed`](ErrorKind::Malformed) error at the current position.
    pub fn malformed(&self, message: impl Into<String>) -> Error {
        self.error(ErrorKind::Malformed, message)
    }

    /// Returns up to `n` bytes without consuming them; fewer only at the end of the stream.
    #[inline]
    pub fn peek(&mut self, n: usize) -> Result<&[u8]> {
        if self.end - self.start < n {
            self.buffer_ahead(n)?;
        }
        let end = self.end.min(self.start + n);
        Ok(&self.buffer[self.start..end])
    }

    /// Reads until `n` bytes are buffered, or to the end of the stream.
    fn buffer_ahead(&mut self, n: usize) -> Result<()> {
        while self.end - self.start < n && !self.ended {
            self.check_expansion("an object", (self.end - self.start) as u64)?;
            self.refill(n);
        }
        match self.pending.take_if(|_| self.start == self.end) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Does the same as [`peek`](Self::peek), but for a [live](Self::is_live) source waits for no
    /// more bytes than are `enough`. Also returns whether the stream ends after these bytes, which
    /// is known only for fewer than `n`.
    #[inline]
    pub fn ahead(&mut self, n: usize, enough: impl Fn(&[u8]) -> bool) -> Result<(&[u8], bool)> {
        while self.live && !self.ended && self.end - self.start < n {
            if enough(&self.buffer[self.start..self.end]) {
                return Ok((&self.buffer[self.start..self.end], false));
            }
            let there = self.end - self.start;
            self.peek(there + 1)?;
        }
        let bytes = self.peek(n)?;
        let last = bytes.len() < n;
        Ok((bytes, last))
    }

    /// Reads all remaining bytes, for `what`.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit), or reading fails.
    pub fn rest(&mut self, what: &str, limits: &Limits) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.rest_into(&mut bytes, what, limits)?;
        Ok(bytes)
    }

    /// Does the same as [`rest`](Self::rest), in place of what `bytes` held.
    pub(crate) fn rest_into(
        &mut self,
        bytes: &mut Vec<u8>,
        what: &str,
        limits: &Limits,
    ) -> Result<()> {
        bytes.clear();
        loop {
            let drained = self.start == self.end && !self.ended && self.pending.is_none();
            let left = self.remaining().filter(|n| drained && *n >= DIRECT as u64);
            if let Some(left) = left {
                let size = self.hold(what, bytes.len() as u64 + left, limits)?;
                bytes.reserve_exact(size - bytes.len());
                let before = bytes.len();
                let read = Read::take(&mut self.body, left).read_to_end(bytes);
                let n = (bytes.len() - before) as u64;
                read.map_err(|e| self.read_error(e, n))?;
                self.offset += n;
            }
            let n = self.window()?.len();
            if n == 0 {
                return Ok(());
            }
            self.hold(what, (bytes.len() + n) as u64, limits)?;
            bytes.extend_from_slice(self.window()?);
            self.consume(n);
        }
    }

    /// Returns `true` if no byte is left.
    pub fn at_end(&mut self) -> Result<bool> {
        Ok(self.peek(1)?.is_empty())
    }

    /// Returns the buffered bytes, after making sure that there are some unless at the end.
    pub(super) fn window(&mut self) -> Result<&[u8]> {
        self.peek(1)?;
        Ok(&self.buffer[self.start..self.end])
    }

    /// Consumes `n` bytes of the buffer.
    #[inline]
    pub(super) fn consume(&mut self, n: usize) {
        self.start += n;
        self.offset += n as u64;
    }

    fn refill(&mut self, wanted: usize) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let filled = self.end;
        let mut room = self.step.max(wanted.min(STEP));
        self.step = BUFFER.min(4 * self.step);
        if let Some(left) = self.remaining().and_then(|n| usize::try_from(n).ok()) {
            // A short file needs space only for its bytes and one for the end; some virtual files
            // have no length.
            room = room.min(left.saturating_sub(filled).max(SMALLEST) + 1);
        }
        if self.buffer.len() < filled + room {
            self.buffer.resize(filled + room, 0);
        }
        let result = self.body.read(&mut self.buffer[filled..filled + room]);
        self.end += *result.as_ref().unwrap_or(&0);
        match result {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            Err(e) => {
                self.pending = Some(self.read_error(e, filled as u64));
                self.ended = true;
            }
        }
    }

    fn read_error(&self, error: io::Error, ahead: u64) -> Error {
        let at = self.offset + ahead;
        let error = match self.layers.last() {
            // An error of a decoder concerns the file, not the system.
            Some(codec) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Error::truncated(format!("the {} data are cut off", codec.name()))
            }
            Some(codec) if error.raw_os_error().is_none() => {
                Error::malformed(format!("broken {} data: {error}", codec.name()))
            }
            _ => Error::io("cannot read", error),
        };
        error.file(&self.name).byte(at)
    }

    /// Fills `out` or fails.
    ///
    /// # Errors
    /// [`Truncated`](ErrorKind::Truncated) at the end of the stream, with the expected and the
    /// actual number of bytes.
    #[inline]
    pub fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        match self.buffer[self.start..self.end].get(..out.len()) {
            Some(bytes) => {
                out.copy_from_slice(bytes);
                self.consume(out.len());
                Ok(())
            }
            None => self.fill_by_reading(out),
        }
    }

    /// Fills `out` with more bytes than are buffered.
    fn fill_by_reading(&mut self, out: &mut [u8]) -> Result<()> {
        let mut done = 0;
        while done < out.len() {
            let rest = &mut out[done..];
            // Large data bypass the buffer.
            let n = if self.start == self.end && self.pending.is_none() && rest.len() >= DIRECT {
                let n = self.body.read(rest).map_err(|e| self.read_error(e, 0))?;
                self.offset += n as u64;
                self.step = super::FIRST_STEP;
                n
            } else {
                let window = self.window()?;
                let n = window.len().min(rest.len());
                rest[..n].copy_from_slice(&window[..n]);
                self.consume(n);
                n
            };
            if n == 0 {
                return Err(self.cut_short(out.len() as u64, done as u64));
            }
            done += n;
        }
        Ok(())
    }

    pub(super) fn cut_short(&self, wanted: u64, got: u64) -> Error {
        self.error(
            ErrorKind::Truncated,
            format!("the file ends here: expected {wanted} bytes, found {got}"),
        )
    }

    /// Reads the next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut out = [0; N];
        self.fill(&mut out)?;
        Ok(out)
    }

    /// Reads the next byte.
    pub fn byte(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    /// Skips `n` bytes.
    ///
    /// # Errors
    /// [`Truncated`](ErrorKind::Truncated) if they do not exist.
    #[inline]
    pub fn skip(&mut self, n: u64) -> Result<()> {
        if n > (self.end - self.start) as u64 {
            return self.skip_by_reading(n);
        }
        self.consume(to_usize(n));
        Ok(())
    }

    /// Skips more bytes than are buffered.
    fn skip_by_reading(&mut self, n: u64) -> Result<()> {
        if let (Body::File(_), Some(remaining)) = (&self.body, self.remaining()) {
            if n > remaining {
                return Err(self.cut_short(n, remaining));
            }
            if n > JUMP {
                return self.seek(self.offset + n);
            }
        }
        let mut left = n;
        while left > 0 {
            let there = self.window()?.len();
            if there == 0 {
                return Err(self.cut_short(n, n - left));
            }
            let step = there.min(usize::try_from(left).unwrap_or(usize::MAX));
            self.consume(step);
            left -= step as u64;
        }
        Ok(())
    }

    /// Reads up to the next `end` byte, which is consumed, and appends the bytes before it to
    /// `line`. Returns `false` at the end of the stream if nothing was read; a last line without
    /// `end` counts.
    ///
    /// # Errors
    /// More than `limits.max_alloc` bytes without an `end`.
    pub fn until(&mut self, end: u8, line: &mut Vec<u8>, limits: &Limits) -> Result<bool> {
        let from = self.offset;
        loop {
            let window = self.window()?;
            if window.is_empty() {
                return Ok(self.offset > from);
            }
            let found = memchr::memchr(end, window);
            let take = found.unwrap_or(window.len());
            line.extend_from_slice(&window[..take]);
            self.consume(take + usize::from(found.is_some()));
            self.has_line_end = found.is_some();
            if found.is_some() {
                return Ok(true);
            }
            let there = line.len() as u64;
            self.check_expansion("a line", there)?;
            limits
                .bytes("a line", there)
                .map_err(|e| e.file(&self.name).byte(from))?;
        }
    }

    /// Reads the next line without its line feed into `line`, replacing its content; otherwise like
    /// [`until`](Self::until). A [mark](Self::skip_mark) before the first line is no part of it.
    pub fn line(&mut self, line: &mut Vec<u8>, limits: &Limits) -> Result<bool> {
        line.clear();
        self.skip_mark()?;
        self.until(b'\n', line, limits)
    }

    /// Returns `true` if the line read last had a line feed. One without may be cut off.
    pub fn has_line_end(&self) -> bool {
        self.has_line_end
    }

    /// Skips the byte order mark that some editors write before UTF-8, at the start of the stream.
    ///
    /// # Errors
    /// Reading fails.
    pub fn skip_mark(&mut self) -> Result<()> {
        // A source that is typed by hand is not asked for more bytes than it needs.
        if self.offset == 0 && self.peek(1)? == &BOM[..1] && self.peek(BOM.len())? == BOM {
            self.consume(BOM.len());
        }
        Ok(())
    }

    /// Checks that `bytes` bytes are left, if that is known.
    ///
    /// # Errors
    /// [`Truncated`](ErrorKind::Truncated), with the expected and the actual number of bytes.
    pub fn expect(&self, bytes: u64) -> Result<()> {
        match self.remaining() {
            Some(there) if there < bytes => Err(self.cut_short(bytes, there)),
            _ => Ok(()),
        }
    }

    /// Checks that a matrix that is read by rows can be complete. The limits are checked first.
    ///
    /// # Errors
    /// As for [`read_matrix`](Self::read_matrix).
    pub fn expect_matrix(
        &self,
        (dtype, rows, cols): (Dtype, u64, u64),
        limits: &Limits,
    ) -> Result<()> {
        let values = rows.saturating_mul(cols);
        let there = self.expect(values.saturating_mul(dtype.size() as u64));
        there.map_err(|e| match limits.matrix_bytes(dtype, rows, cols) {
            Ok(_) => e,
            Err(e) => e.file(&self.name).byte(self.offset),
        })
    }

    /// Reads a matrix of `rows` × `cols` elements stored in `order`.
    ///
    /// The size is checked against the limits, then against the rest of the file if that is known;
    /// otherwise memory grows only as data arrive.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) or [`Truncated`](ErrorKind::Truncated), with the expected number
    /// of bytes.
    pub fn read_matrix(
        &mut self,
        into: &mut Matrix,
        shape: (Dtype, Rank, u64, u64),
        order: ByteOrder,
        limits: &Limits,
    ) -> Result<()> {
        let (dtype, rank, rows, cols) = shape;
        let place = |e: Error| e.file(&self.name).byte(self.offset);
        let bytes = limits.matrix_bytes(dtype, rows, cols).map_err(place)?;
        self.expect(bytes as u64)?;
        let (rows, cols) = (to_usize(rows), to_usize(cols));
        into.start(dtype, Rank::Vector, 1);
        let mut left = bytes / dtype.size();
        while left > 0 {
            let n = left.min(STEP / dtype.size());
            let from = self.offset;
            let step = self.grow(into, n, limits)?;
            self.fill(step).map_err(|e| match e.kind() {
                ErrorKind::Truncated => {
                    let at = from - (bytes - left * dtype.size()) as u64;
                    let got = self.offset - at;
                    self.cut_short(bytes as u64, got)
                }
                _ => e,
            })?;
            if order != ByteOrder::NATIVE {
                swap_in_place(step, dtype.size());
            }
            left -= n;
        }
        into.reshape(rank, rows, cols)
    }
}

impl Source {
    /// Skips a matrix: sets type and shape of `into`, with undefined content. In a file only the
    /// length is checked.
    ///
    /// # Errors
    /// As for [`read_matrix`](Self::read_matrix).
    pub fn pass_matrix(
        &mut self,
        into: &mut Matrix,
        (dtype, rank, rows, cols): (Dtype, Rank, u64, u64),
        limits: &Limits,
    ) -> Result<()> {
        let place = |e: Error| e.file(&self.name).byte(self.offset);
        let bytes = limits.matrix_bytes(dtype, rows, cols).map_err(place)?;
        self.skip(bytes as u64)?;
        self.check_expansion("a matrix", bytes as u64)?;
        let (rows, cols) = (to_usize(rows), to_usize(cols));
        into.reset(dtype, rank, rows, cols, limits).map(drop)
    }
}

/// Converts a size that was checked against the limits, which are sizes in memory.
fn to_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
