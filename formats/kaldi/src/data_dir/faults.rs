//! Errors of lines without an utterance, kept until they are reported.

use std::collections::VecDeque;

use spr_core::{Error, Result};

/// The largest number of kept errors.
const MOST: usize = 1000;

/// Errors of lines without an utterance. Each is returned once, between utterances.
#[derive(Default)]
pub(super) struct Faults {
    waiting: VecDeque<Error>,
    /// Whether a table cannot be read any further.
    over: bool,
    /// Whether the lines of a faulty utterance are being skipped, of which none is missed.
    skipping: bool,
    /// Whether the speaker or the recording of a faulty utterance could not be told.
    doubtful: bool,
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

    /// Takes the first error of a table.
    pub(super) fn of(&mut self, table: &str) -> Option<Error> {
        let is_of = |error: &Error| error.file_name() == Some(table);
        let at = self.waiting.iter().position(is_of)?;
        self.waiting.remove(at)
    }

    /// Returns the error for an utterance without a line in a table: that of a line that could not
    /// be read, if there is one.
    pub(super) fn no_line(&mut self, table: &str) -> Error {
        let fault = self.of(table);
        fault.unwrap_or_else(|| Error::unfit("has no line").file(table))
    }

    /// Sets whether the lines of a faulty utterance are being skipped.
    pub(super) fn skip(&mut self, skipping: bool) {
        self.skipping = skipping;
    }

    /// Records that the speaker or the recording of a faulty utterance could not be told, so that
    /// nobody knows which of their lines are used.
    pub(super) fn doubt(&mut self) {
        self.doubtful = true;
    }

    pub(super) fn are_doubtful(&self) -> bool {
        self.doubtful
    }

    pub(super) fn are_skipped(&self) -> bool {
        self.skipping
    }

    /// Records that a table cannot be read any further.
    pub(super) fn give_up(&mut self) {
        self.over = true;
    }

    pub(super) fn are_over(&self) -> bool {
        self.over
    }
}

/// Returns the error about a place that is no folder.
pub(super) fn is_no_folder(name: &str) -> Error {
    let error = Error::usage("a Kaldi data directory is a folder, and this is none");
    error
        .file(name)
        .hint("name the folder that wav.scp, text and utt2spk are in")
}
