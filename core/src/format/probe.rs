//! Recognising a format by content.

use std::path::Path;

/// What a format may look at to recognise a file.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    /// The first bytes, decompressed.
    pub head: &'a [u8],
    /// Whether `head` is all there is.
    pub whole: bool,
    /// Bytes of the whole stream, if known.
    pub len: Option<u64>,
    /// The name without the extension of a compression, if it is a file.
    pub path: Option<&'a Path>,
}

impl Probe<'_> {
    /// Bytes that a format may ask to see.
    pub const HEAD: usize = 4096;

    /// The file's extension.
    pub fn extension(&self) -> Option<&str> {
        self.path?.extension()?.to_str()
    }
}

/// How well a format fits, from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Score {
    /// Not at all.
    No,
    /// Only the file's name speaks for it.
    NameOnly,
    /// The content may be it; higher is likelier.
    Possible(u8),
    /// Magic bytes say so.
    Certain,
}
