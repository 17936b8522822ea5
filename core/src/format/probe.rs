//! Recognition of formats by content.

use std::path::Path;

/// The part of a file that a format may inspect to recognise it.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    /// The first bytes, decompressed, without a byte order mark of text.
    pub head: &'a [u8],
    /// Whether `head` is the whole file.
    pub whole: bool,
    /// The size of the whole stream in bytes, if known.
    pub len: Option<u64>,
    /// The file name without the extension of a compression, if it is a file.
    pub path: Option<&'a Path>,
}

impl Probe<'_> {
    /// The number of bytes available to formats.
    pub const HEAD: usize = 4096;

    /// Returns the file's extension.
    pub fn extension(&self) -> Option<&str> {
        self.path?.extension()?.to_str()
    }

    /// Returns `true` if less than 1 % of the bytes, or none of a few, are control characters.
    pub fn is_text(&self) -> bool {
        let control = |b: &&u8| **b < b' ' && !b.is_ascii_whitespace();
        let controls = self.head.iter().filter(control).count();
        !self.head.is_empty() && controls * 100 < self.head.len().max(100)
    }
}

/// The probability that a file is of a format, in increasing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Score {
    /// Not at all.
    No,
    /// Only the file name matches.
    NameOnly,
    /// The content is text without a form: the format takes it, as it takes nearly any text.
    AnyText,
    /// The content has the form of the format; higher is more probable.
    Possible(u8),
    /// Magic bytes match.
    Certain,
}
