//! Sorts of places that outputs go to.

/// The kind of place that an output goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A file, possibly with side files.
    File,
    /// A folder with one file per utterance.
    Folder,
    /// Standard output, a command, or a stream supplied by the caller.
    Stream,
}
