//! Errors of lines without an utterance, kept until they are reported.

use std::collections::VecDeque;

use spr_core::{Error, ErrorKind, Result};

/// The largest number of kept errors.
const MOST: usize = 1000;

/// Errors of lines without an utterance. Each is returned once, between utterances.
#[derive(Default)]
pub(super) struct Faults {
    waiting: VecDeque<Error>,
    /// Whether a table cannot be read any further.
    over: bool,
}

impl Faults {
    /// Keeps an error.
    ///
    /// # Errors
    /// There are too many, so that the file is not a table.
    pub(super) fn add(&mut self, error: Error) -> Result<()> {
        if self.waiting.len() == MOST {
            let message = format!("the last of {MOST} lines at fault, one after the other");
            return Err(error.context(message).fatal());
        }
        self.waiting.push_back(error);
        Ok(())
    }

    /// Returns the next error.
    pub(super) fn take(&mut self) -> Option<Error> {
        self.waiting.pop_front()
    }

    /// Returns the error for an utterance without a line in a table: that its end is missing, if it
    /// is cut.
    pub(super) fn no_line(&mut self, table: &str) -> Error {
        let is_cut = |error: &Error| {
            error.kind() == ErrorKind::Truncated && error.file_name() == Some(table)
        };
        let cut = self.waiting.iter().position(is_cut);
        let cut = cut.and_then(|at| self.waiting.remove(at));
        cut.unwrap_or_else(|| Error::unfit("has no line").file(table))
    }

    /// Records that a table cannot be read any further.
    pub(super) fn give_up(&mut self) {
        self.over = true;
    }

    pub(super) fn are_over(&self) -> bool {
        self.over
    }
}
