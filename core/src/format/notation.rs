//! Notations of formats for inputs and outputs.

use super::ErrorPolicy;
use crate::bytes::{Env, Locator};
use crate::error::Result;

/// An argument parsed by a format.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// The kind of argument in a few words, such as `a Kaldi rspecifier`.
    pub form: &'static str,
    /// The location of the data.
    pub locator: Locator,
    /// The implied options of the format.
    pub options: Vec<(String, String)>,
    /// Side files of an output at other locations.
    pub companions: Vec<(&'static str, Locator)>,
    /// Whether the location is a list that is read and names the files of the data.
    pub listed: bool,
    /// The treatment of faulty entries.
    pub on_error: ErrorPolicy,
}

impl Specification {
    /// Creates an argument that consists only of a location.
    pub fn new(form: &'static str, locator: Locator) -> Self {
        Self {
            form,
            locator,
            options: Vec::new(),
            companions: Vec::new(),
            listed: false,
            on_error: ErrorPolicy::Stop,
        }
    }
}

/// A format's notation for inputs and outputs, such as Kaldi's specifiers.
pub trait Notation: Send + Sync {
    /// Parses `text` as an input, or returns `None` if it is not in this notation.
    ///
    /// # Errors
    /// It is, but cannot be read.
    fn input(&self, text: &str) -> Option<Result<Specification>>;

    /// Parses `text` as a position inside a file, for an input that is not the name of a file.
    fn place(&self, text: &str) -> Option<Specification>;

    /// Parses `text` as the place of a table of lines of words, such as `utt2spk`, or returns `None` if
    /// it is not in this notation.
    ///
    /// # Errors
    /// It is, but such a table can't be there.
    fn words(&self, text: &str) -> Option<Result<Locator>>;

    /// Parses `text` as an output, or returns `None` if it is not in this notation.
    ///
    /// # Errors
    /// It is, but cannot be written.
    fn output(&self, text: &str) -> Option<Result<Specification>>;

    /// Returns what helps if `text` names no file, or one of no known format, and looks like a slip in
    /// this notation or like something that it is for.
    fn slip(&self, text: &str, env: &Env) -> Option<String>;
}
