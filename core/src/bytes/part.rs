//! The streams of an output.

use super::Locator;
use crate::model::Key;

/// A stream of an output.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// The data.
    Main,
    /// A side file known by name, such as Kaldi's `scp`, if the user set its location.
    Named(&'static str),
    /// A side file with the name of the data and this suffix.
    Suffix(&'a str),
    /// A side file at a location found in a file. A command needs
    /// [`Access::Files`](super::Access::Files).
    At(&'a Locator),
    /// A file of this name in a folder; compressed if its name implies that.
    Member(&'a str),
    /// The file of an utterance in a folder, with this extension.
    Utterance(&'a Key, &'a str),
}
