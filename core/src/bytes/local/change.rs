//! The changes of a commit.

use std::path::{Path, PathBuf};

use super::super::store::DraftOptions;
use super::temporary::Temporary;

/// The change of one name.
pub(super) struct Change {
    pub(super) new: New,
    pub(super) target: PathBuf,
    /// Whether it may replace an existing file.
    pub(super) overwrite: bool,
}

/// The new content of a name.
pub(super) enum New {
    /// A separate file or folder.
    Whole(Temporary),
    /// A file inside a temporary folder, which is removed later.
    Inside(PathBuf),
    /// A folder for other files, created if necessary.
    Folder(Fill),
    /// Nothing: the name is removed.
    Nothing,
}

/// The treatment of existing files in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// The folder must be empty.
    Empty,
    /// They are removed.
    Cleared,
    /// They are kept.
    Added,
}

impl Fill {
    /// Returns the treatment set by `how`.
    pub(super) fn of(how: DraftOptions) -> Self {
        match how {
            DraftOptions { add: true, .. } => Self::Added,
            DraftOptions {
                overwrite: true, ..
            } => Self::Cleared,
            _ => Self::Empty,
        }
    }
}

impl Change {
    /// Returns the written file, and its final name.
    pub(super) fn made(&self) -> Option<(&Path, &Path)> {
        match &self.new {
            New::Whole(temporary) => Some((temporary.path(), &self.target)),
            New::Inside(path) => Some((path, &self.target)),
            New::Folder(_) | New::Nothing => None,
        }
    }
}
