//! Files that are finished, but have not got their final names.

use std::io;

use super::store::{FileStatus, OpenedFile, Store};
use crate::name::Location;

/// Finished files by the names that they will have.
pub(super) trait FinishedNames: Send + Sync {
    /// Opens a finished file by its final name `at`, or returns `None` if there is none.
    fn open(&self, at: &Location, store: &dyn Store) -> Option<io::Result<Box<dyn OpenedFile>>>;

    /// Looks up the final name `at`, or returns `None` if there is no such file.
    fn look(&self, at: &Location, store: &dyn Store) -> Option<io::Result<Option<FileStatus>>>;

    /// Returns the files of the folder with this final name, or `None` if there is none.
    fn list(&self, folder: &Location) -> Option<io::Result<Vec<Location>>>;
}
