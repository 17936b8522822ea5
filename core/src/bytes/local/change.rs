//! What a commit changes.

use std::path::{Path, PathBuf};

use super::super::store::Drafting;
use super::temporary::Temporary;

/// One name that changes.
pub(super) struct Change {
    pub(super) new: New,
    pub(super) target: PathBuf,
    /// Whether it may replace what has the name.
    pub(super) overwrite: bool,
}

/// What gets a name.
pub(super) enum New {
    /// A file or folder of its own.
    Whole(Temporary),
    /// A file inside a temporary folder, which is removed later.
    Inside(PathBuf),
    /// A folder to put files into, made if need be.
    Folder(Fill),
    /// Nothing: the name is freed.
    Nothing,
}

/// What is done about the files that a folder holds already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// There must be none.
    Empty,
    /// They go.
    Cleared,
    /// They stay.
    Added,
}

impl Fill {
    /// What `how` asks for.
    pub(super) fn of(how: Drafting) -> Self {
        match how {
            Drafting { add: true, .. } => Self::Added,
            Drafting {
                overwrite: true, ..
            } => Self::Cleared,
            _ => Self::Empty,
        }
    }
}

impl Change {
    /// What was written, and the name that it gets.
    pub(super) fn made(&self) -> Option<(&Path, &Path)> {
        match &self.new {
            New::Whole(temporary) => Some((temporary.path(), &self.target)),
            New::Inside(path) => Some((path, &self.target)),
            New::Folder(_) | New::Nothing => None,
        }
    }
}
