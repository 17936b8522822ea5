//! Lines at fault that cost no utterance, until somebody is told of them.

use std::collections::VecDeque;

use spr_core::{Error, Result};

/// The most that wait.
const MOST: usize = 1000;

/// Errors about lines that belong to no utterance. Each is handed out once, between utterances.
#[derive(Default)]
pub(super) struct Faults {
    waiting: VecDeque<Error>,
    /// Whether a table can't be read on.
    over: bool,
}

impl Faults {
    /// Keeps one.
    ///
    /// # Errors
    /// There are too many of them at once: the table is none.
    pub(super) fn add(&mut self, error: Error) -> Result<()> {
        if self.waiting.len() == MOST {
            let message = format!("the last of {MOST} lines at fault, one after the other");
            return Err(error.context(message).fatal());
        }
        self.waiting.push_back(error);
        Ok(())
    }

    /// The next one.
    pub(super) fn take(&mut self) -> Option<Error> {
        self.waiting.pop_front()
    }

    /// Says that a table can't be read on.
    pub(super) fn give_up(&mut self) {
        self.over = true;
    }

    pub(super) fn are_over(&self) -> bool {
        self.over
    }
}
