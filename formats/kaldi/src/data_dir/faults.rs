//! Lines at fault that cost no utterance, until somebody is told of them.

use std::collections::VecDeque;

use spr_core::{Error, Result};

/// The most that wait.
const MOST: usize = 1000;

/// Errors about lines that belong to no utterance. Each is handed out once, between utterances.
#[derive(Default)]
pub(super) struct Faults(VecDeque<Error>);

impl Faults {
    /// Keeps one.
    ///
    /// # Errors
    /// There are too many of them at once: the table is none.
    pub(super) fn add(&mut self, error: Error) -> Result<()> {
        if self.0.len() == MOST {
            let message = format!("the last of {MOST} lines at fault, one after the other");
            return Err(error.context(message).fatal());
        }
        self.0.push_back(error);
        Ok(())
    }

    /// The next one.
    pub(super) fn take(&mut self) -> Option<Error> {
        self.0.pop_front()
    }
}
