//! What a commit changes.

use std::path::{Path, PathBuf};

use super::temporary::Temporary;

/// One name that changes.
pub(super) struct Change {
    pub(super) new: New,
    pub(super) target: PathBuf,
    pub(super) overwrite: bool,
}

/// What gets a name.
pub(super) enum New {
    /// A file or folder of its own.
    Whole(Temporary),
    /// A file inside a temporary folder, which is removed later.
    Inside(PathBuf),
    /// A folder to put files into: made if need be, and empty unless files may be replaced.
    Folder,
    /// Nothing: the name is freed.
    Nothing,
}

impl Change {
    /// What was written, and the name that it gets.
    pub(super) fn made(&self) -> Option<(&Path, &Path)> {
        match &self.new {
            New::Whole(temporary) => Some((temporary.path(), &self.target)),
            New::Inside(path) => Some((path, &self.target)),
            New::Folder | New::Nothing => None,
        }
    }
}
