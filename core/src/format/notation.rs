//! How a format is named on a command line.

use crate::Result;
use crate::bytes::Locator;

/// What an argument means to a format.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specified {
    /// What sort of argument it is, in a few words, such as `a Kaldi rspecifier`.
    pub form: &'static str,
    /// Where the data are, or go.
    pub locator: Locator,
    /// Options of the format that it asks for.
    pub options: Vec<(String, String)>,
    /// Companions of an output that have places of their own.
    pub companions: Vec<(&'static str, Locator)>,
    /// Whether the place is a list that is read, and says where the data go.
    pub listed: bool,
    /// Whether entries at fault are to be passed over.
    pub permissive: bool,
}

impl Specified {
    /// An argument that says no more than a place.
    pub fn new(form: &'static str, locator: Locator) -> Self {
        Self {
            form,
            locator,
            options: Vec::new(),
            companions: Vec::new(),
            listed: false,
            permissive: false,
        }
    }
}

/// A format's own notation for inputs and outputs, such as Kaldi's specifiers.
pub trait Notation: Send + Sync {
    /// What `text` means as an input; `None` if it is not in this notation.
    ///
    /// # Errors
    /// It is, but it can't be read from.
    fn input(&self, text: &str) -> Option<Result<Specified>>;

    /// What `text` means as an input that is no file of this name; `None` if it is no place inside one
    /// either.
    fn place(&self, text: &str) -> Option<Specified>;

    /// What `text` means as an output; `None` if it is not in this notation.
    ///
    /// # Errors
    /// It is, but it can't be written to.
    fn output(&self, text: &str) -> Option<Result<Specified>>;
}
