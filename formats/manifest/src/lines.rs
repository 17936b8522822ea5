//! Text files of a line an entry.

use std::sync::Arc;

use spr_core::bytes::Source;
use spr_core::model::{Position, Utterance};
use spr_core::{Error, Limits, Result};

/// The lines of a file that are not blank.
pub(crate) struct Lines {
    source: Source,
    file: Arc<str>,
    limits: Limits,
    line: Vec<u8>,
    /// The number of the line, from 1.
    number: u64,
    ended: bool,
}

impl Lines {
    pub(crate) fn new(source: Source, limits: Limits) -> Self {
        Self {
            file: source.name().into(),
            source,
            limits,
            line: Vec::new(),
            number: 0,
            ended: false,
        }
    }

    /// Goes to the next line that is not blank; `false` at the end, and ever after.
    ///
    /// # Errors
    /// The file can't be read on.
    pub(crate) fn next(&mut self) -> Result<bool> {
        while !self.ended {
            // Until the line is whole nothing can follow it.
            self.ended = true;
            if !self.source.line(&mut self.line, &self.limits)? {
                return Ok(false);
            }
            self.ended = false;
            self.number += 1;
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The line.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// The file.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// An error of the line, after which the next one can be read.
    pub(crate) fn error(&self, error: Error) -> Error {
        match error.file_name().is_some_and(|file| file != &*self.file) {
            // A place in a file that the line names.
            true => error.continuable(),
            false => error.file(&*self.file).line(self.number).continuable(),
        }
    }

    /// Says of an utterance that it stands in the line.
    pub(crate) fn origin(&self, utt: &mut Utterance) {
        utt.origin.file = Some(self.file.clone());
        utt.origin.at = Some(Position::Line(self.number));
    }
}
