//! The source or destination of bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Location;

/// The place to read bytes from, or to write them to.
///
/// ```
/// use spr_core::bytes::Locator;
/// let place = Locator::FileAt("a.ark".into(), 17);
/// assert_eq!(place.to_string(), "a.ark:17");
/// assert_eq!(Locator::Command("gunzip -c a.gz".into()).to_string(), "gunzip -c a.gz |");
/// assert!(Locator::Standard.location().is_none());
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Locator {
    /// Standard input, or standard output.
    Standard,
    /// A file, from its start.
    File(Location),
    /// A file from a byte on; for reading only.
    FileAt(Location, u64),
    /// A folder with one file per utterance.
    Folder(Location),
    /// A shell command, whose output is read or whose input is written.
    Command(String),
    /// Nowhere, for writing only: everything is written and discarded.
    Nowhere,
}

impl Locator {
    /// Creates a locator of a file.
    pub fn file(at: impl Into<Location>) -> Self {
        Self::File(at.into())
    }

    /// Creates a locator of a folder with one file per utterance.
    pub fn folder(at: impl Into<Location>) -> Self {
        Self::Folder(at.into())
    }

    /// Returns the file or folder, if it is one.
    pub fn location(&self) -> Option<&Location> {
        match self {
            Self::File(at) | Self::FileAt(at, _) | Self::Folder(at) => Some(at),
            Self::Standard | Self::Command(_) | Self::Nowhere => None,
        }
    }

    /// Returns the name of a destination for messages.
    pub(crate) fn target(&self) -> String {
        match self {
            Self::Command(line) => format!("| {line}"),
            other => other.to_string(),
        }
    }
}

impl From<Location> for Locator {
    fn from(file: Location) -> Self {
        Self::File(file)
    }
}

/// Formats the locator as written for reading.
impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => f.write_str("-"),
            Self::File(at) | Self::Folder(at) => at.fmt(f),
            Self::FileAt(at, byte) => write!(f, "{at}:{byte}"),
            Self::Command(line) => write!(f, "{line} |"),
            Self::Nowhere => f.write_str("nowhere"),
        }
    }
}
