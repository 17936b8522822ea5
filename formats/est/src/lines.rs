//! The lines of a header, and of a track in text.

use spr_core::bytes::Source;
use spr_core::{Error, ErrorKind, Limits, Result};

/// The current line of a source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
    /// The line number, from 1.
    number: u64,
}

impl Lines {
    /// Goes to the next line that is not blank. Returns `false` at the end of the file.
    ///
    /// # Errors
    /// The last line has no end and may be cut off, or a line exceeds `limits`.
    pub(crate) fn next(&mut self, source: &mut Source, limits: &Limits) -> Result<bool> {
        loop {
            if !source.line(&mut self.line, limits)? {
                return Ok(false);
            }
            self.number += 1;
            if !source.has_line_end() {
                let message = "the last line has no line end and may be cut off";
                let error = self.place(Error::new(ErrorKind::Truncated, message), source);
                return Err(error.hint("if it is whole, put a line end behind it"));
            }
            if !self.text().is_empty() {
                return Ok(true);
            }
        }
    }

    /// The line without white space around it.
    pub(crate) fn text(&self) -> &[u8] {
        self.line.trim_ascii()
    }

    /// Places `error` in the line.
    pub(crate) fn place(&self, error: Error, source: &Source) -> Error {
        error.file(source.name()).line(self.number.max(1))
    }

    /// Returns an error about the line.
    pub(crate) fn error(&self, message: impl Into<String>, source: &Source) -> Error {
        self.place(Error::malformed(message), source)
    }
}
