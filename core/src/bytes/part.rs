//! The streams of an output.

use super::Locator;
use crate::model::Key;

/// Which stream of an output is asked for.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// The data.
    Main,
    /// A companion known by name, such as Kaldi's `scp`, where the user gave it a place.
    Named(&'static str),
    /// A companion whose name is that of the data with this ending.
    Suffix(&'a str),
    /// A companion at a place of its own, found in a file: if that is a command, it needs
    /// [`Access::Files`](super::Access::Files).
    At(&'a Locator),
    /// One file of a folder, of this name in it; compressed if its name says so.
    Member(&'a str),
    /// One file of a folder, that of an utterance, with this extension.
    Utterance(&'a Key, &'a str),
}
