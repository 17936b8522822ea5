//! Where bytes come from, or go to.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::location::Location;

/// Where bytes are: to read them, or to write them.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Locator {
    /// Standard input, or standard output.
    Standard,
    /// A file, from its start.
    File(Location),
    /// A file, from a byte on; only to read.
    FileAt(Location, u64),
    /// A folder of files, one an utterance.
    Folder(Location),
    /// A shell command, whose output is read or whose input is written.
    Command(String),
    /// Nowhere; only to write: everything is made and nothing is kept.
    Nowhere,
}

impl Locator {
    /// A file.
    pub fn file(at: impl Into<Location>) -> Self {
        Self::File(at.into())
    }

    /// A folder of files, one an utterance.
    pub fn folder(at: impl Into<Location>) -> Self {
        Self::Folder(at.into())
    }

    /// The file or folder, if it is one.
    pub fn location(&self) -> Option<&Location> {
        match self {
            Self::File(at) | Self::FileAt(at, _) | Self::Folder(at) => Some(at),
            Self::Standard | Self::Command(_) | Self::Nowhere => None,
        }
    }

    /// The name of what is written to, as messages show it.
    pub(super) fn target(&self) -> String {
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

/// As it is written to be read from.
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
