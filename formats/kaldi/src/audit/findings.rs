//! Findings, and their places.

use spr_core::bytes::Location;
use spr_core::format::Finding;
use spr_core::model::Key;
use spr_core::{Error, ErrorKind};

use crate::key_set::KeySet;

/// Tells findings, and remembers the places of faults.
pub(super) struct Findings<'a> {
    found: &'a mut dyn FnMut(Finding),
    places: Places,
}

impl<'a> Findings<'a> {
    pub(super) fn new(found: &'a mut dyn FnMut(Finding)) -> Self {
        Self {
            found,
            places: Places::default(),
        }
    }

    pub(super) fn fault(&mut self, sort: &'static str, error: Error) {
        self.places.add(&error);
        (self.found)(Finding::fault(sort, error));
    }

    pub(super) fn note(&mut self, sort: &'static str, error: Error) {
        (self.found)(Finding::note(sort, error));
    }

    /// Returns the places of all faults.
    pub(super) fn into_places(self) -> Places {
        self.places
    }
}

/// The places of faults: lines and utterances of files.
#[derive(Default)]
pub(super) struct Places(KeySet);

impl Places {
    fn add(&mut self, error: &Error) {
        let file = error.file_name().unwrap_or_default();
        self.0.insert(file);
        if let Some(line) = error.line_number() {
            self.0.insert((file, line));
        }
        if let Some(key) = error.key() {
            self.0.insert((file, key));
        }
    }

    /// Returns `true` if the line or the utterance of an error was reported, or anything of the file
    /// that it is about as a whole.
    pub(super) fn contains(&self, error: &Error) -> bool {
        let file = error.file_name().unwrap_or_default();
        let line = error.line_number();
        if line.is_none() && error.key().is_none() {
            // Of damage nothing else was told.
            return error.kind() == ErrorKind::Unfit && self.0.contains(file);
        }
        line.is_some_and(|line| self.0.contains((file, line)))
            || error.key().is_some_and(|key| self.0.contains((file, key)))
    }
}

/// Returns an error about a whole file, or about an utterance in it.
pub(super) fn about(file: &Location, message: impl Into<String>) -> Error {
    Error::unfit(message).file(file.to_string())
}

/// Returns an error about a line of a file and its key.
pub(super) fn about_line(file: &str, number: u64, key: &Key, message: impl Into<String>) -> Error {
    let error = Error::malformed(message).file(file).line(number);
    error.utterance(key)
}
