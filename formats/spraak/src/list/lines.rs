//! The lines after a header.

use std::sync::Arc;

use spr_core::bytes::{Env, MemoryCounter, Source};
use spr_core::model::{Origin, Position};
use spr_core::{Error, ErrorKind, Result};

use crate::header::Header;

/// The messages about a last line without an end, where the number of lines is unknown and where
/// the header has it.
const CUT: &str = "the last line has no line end and may be cut off";
const UNENDED: &str = "the last line has no line end; it is the last that the header counts";

/// Returns `true` for white space between fields.
pub(crate) fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == 0x0b
}

/// The non-blank lines of a list, up to the number in the header or the end.
pub(crate) struct Lines {
    source: Source,
    line: Vec<u8>,
    /// The offset of the line in bytes.
    at: u64,
    /// The line number in the file, from 1.
    number: u64,
    file: Arc<str>,
    expected: Option<u64>,
    /// Whether lines beyond the expected number are left out.
    cut: bool,
    read: u64,
    /// Whether the rest is ignored.
    ended: bool,
    env: Env,
    warned: Vec<&'static str>,
}

impl Lines {
    /// Starts after a header, which may contain the number of lines.
    ///
    /// `all` is the answer to what becomes of lines beyond that number: they are read, or left out.
    /// Without an answer they are an error.
    pub(crate) fn new(
        source: Source,
        header: &Header,
        expected: Option<u64>,
        all: Option<bool>,
        env: &Env,
    ) -> Self {
        Self {
            file: source.name().into(),
            source,
            line: Vec::new(),
            at: 0,
            number: header.lines,
            expected: expected.filter(|_| all != Some(true)),
            cut: all == Some(false),
            read: 0,
            ended: false,
            env: env.clone(),
            warned: Vec::new(),
        }
    }

    /// Reads the next line, and returns `false` at the end.
    ///
    /// # Errors
    /// There are fewer lines than declared, or the last one has no end.
    pub(crate) fn next(&mut self) -> Result<bool> {
        let more = !self.ended && self.physical()?;
        match (self.expected, more) {
            (Some(expected), true) if self.read == expected => {
                self.ended = true;
                if self.cut {
                    return Ok(false);
                }
                let error = self.error(format!("the file goes on after {expected} lines"));
                Err(error.hint("all=true reads all of it, all=false leaves out the rest"))
            }
            (Some(expected), false) if self.read < expected => {
                let read = self.read;
                let message =
                    format!("the file ends here: expected {expected} lines, found {read}");
                Err(self.source.error(ErrorKind::Truncated, message))
            }
            (_, more) => {
                self.read += u64::from(more);
                Ok(more)
            }
        }
    }

    /// Reads the next non-blank line.
    fn physical(&mut self) -> Result<bool> {
        loop {
            self.at = self.source.offset();
            if !self.source.line(&mut self.line, &self.env.limits)? {
                return Ok(false);
            }
            self.number += 1;
            let blank = self.line.iter().all(is_blank);
            if !self.source.has_line_end() {
                // If it is the last line that the header counts, none is missing.
                let last = self.read + u64::from(!blank);
                if self.expected != Some(last) {
                    return Err(self.source.error(ErrorKind::Truncated, CUT));
                }
                self.env.warn(&self.error(UNENDED));
            }
            if !blank {
                return Ok(true);
            }
        }
    }

    /// Returns the length of the line in bytes.
    pub(crate) fn len(&self) -> usize {
        self.line.len()
    }

    /// Returns the fields of the line.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &[u8]> {
        self.line.split(is_blank).filter(|field| !field.is_empty())
    }

    /// Returns an error about the line.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error::malformed(message)
            .file(self.source.name())
            .byte(self.at)
    }

    /// Warns about the line, once per file for each message.
    #[track_caller]
    pub(crate) fn warn(&mut self, message: &'static str) {
        if !self.warned.contains(&message) {
            self.warned.push(message);
            self.env.warn(&self.error(message));
        }
    }

    /// Returns the position of the line.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            file: Some(self.file.clone()),
            at: Some(Position::Line(self.number)),
            ..Origin::default()
        }
    }

    /// Counts bytes of the line that are kept in memory.
    ///
    /// # Errors
    /// They exceed the limit.
    pub(crate) fn hold(&self, held: &mut MemoryCounter, bytes: usize) -> Result<()> {
        held.add(bytes, &self.source, &self.env.limits)
    }

    /// Returns the environment.
    pub(crate) fn env(&self) -> &Env {
        &self.env
    }
}

/// Appends a line of these fields.
pub(super) fn print_line<'a>(fields: impl Iterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    for (n, field) in fields.enumerate() {
        if n > 0 {
            out.push(b'\t');
        }
        out.extend_from_slice(field);
    }
    out.push(b'\n');
}

/// Checks an opaque list: its lines against the declared number. Returns a warning, if there is
/// one.
pub(crate) fn check(body: &[u8], expected: Option<u64>) -> Result<Option<String>> {
    let lines = body.split(|b| *b == b'\n');
    let found = lines.filter(|line| !line.iter().all(is_blank)).count() as u64;
    let ended = body.last().is_none_or(|b| *b == b'\n');
    match expected {
        _ if !ended && expected != Some(found) => Err(Error::truncated(CUT)),
        Some(expected) if found < expected => {
            let message = format!("the file ends here: expected {expected} lines, found {found}");
            Err(Error::truncated(message))
        }
        Some(expected) if found > expected => {
            Ok(Some(format!("expected {expected} lines, found {found}")))
        }
        _ if !ended => Ok(Some(UNENDED.to_owned())),
        _ => Ok(None),
    }
}
