//! Checks by a format that go beyond reading a data set.

use crate::bytes::{Env, Location};
use crate::model::{Key, RecordingFacts, Utterance};
use crate::{Error, Result};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// An error.
    Fault,
    /// It may be intended.
    Note,
}

impl Severity {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Note => "note",
        }
    }
}

/// Something that a check found.
#[non_exhaustive]
#[derive(Debug)]
pub struct Finding {
    /// Its severity.
    pub severity: Severity,
    /// Its sort, in a word: `damage`, `duplicates`, `values`, …
    pub sort: &'static str,
    /// Its place, what is wrong and what to do about it.
    pub error: Error,
}

impl Finding {
    /// Creates a finding.
    pub fn new(severity: Severity, sort: &'static str, error: Error) -> Self {
        Self {
            severity,
            sort,
            error,
        }
    }

    /// A fault.
    pub fn fault(sort: &'static str, error: Error) -> Self {
        Self::new(Severity::Fault, sort, error)
    }

    /// A note.
    pub fn note(sort: &'static str, error: Error) -> Self {
        Self::new(Severity::Note, sort, error)
    }
}

/// Checks what a format knows of its data sets and a reader does not look at: the tables of a folder
/// that must agree, an index beside the data, the order of keys.
pub trait Audit: Send + Sync {
    /// Returns `true` for a folder that was meant as a data set of the format, by the names in it,
    /// even if it lacks what it is read by.
    fn suits(&self, names: &[&str]) -> bool;

    /// Checks all but the utterances of the data set in the file or folder `at`, and tells `found`.
    /// Without `at` the data have no place of their own, such as those of a pipe.
    ///
    /// # Errors
    /// A file that is there can't be read.
    fn begin(
        &self,
        at: Option<&Location>,
        env: &Env,
        found: &mut dyn FnMut(Finding),
    ) -> Result<Box<dyn Auditor>>;
}

/// Compares the utterances of a data set, as they are read, with what an [`Audit`] has seen.
pub trait Auditor: Send {
    /// Compares an utterance, which is the first of its key. Its sound is loaded where it could be;
    /// `recording` has the facts about the recording that it was taken from.
    fn utterance(
        &mut self,
        utt: &Utterance,
        recording: Option<RecordingFacts>,
        found: &mut dyn FnMut(Finding),
    );

    /// Returns `true` if an error or a warning of the reader says what was found already.
    fn repeats(&self, error: &Error) -> bool;

    /// Returns the other data sets that belong to this one and are not read with it, each with the
    /// name of its format.
    fn members(&self) -> Vec<(&'static str, Location)>;

    /// Tells what is missing after the last utterance. `was_read` knows the keys of all that could
    /// be read.
    ///
    /// # Errors
    /// A file that is there can't be read.
    fn finish(
        self: Box<Self>,
        was_read: &dyn Fn(&Key) -> bool,
        found: &mut dyn FnMut(Finding),
    ) -> Result<()>;
}
