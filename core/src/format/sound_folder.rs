//! Folders of sound files of several formats.

use crate::bytes::{Env, Location};

/// A format whose data sets are folders of sound files of any format, with what is said in them
/// beside. It has a [`WholeFolder`](super::WholeFolder), which opens them.
///
/// A folder whose sound files are all of one format, and tell all there is, is read as that format;
/// and so is one whose files hold features.
pub trait SoundFolder: Send + Sync {
    /// Returns `true` if files beside the sound files tell more of them than their names do, by the
    /// names of all files in the folder.
    fn tells_more(&self, folder: &Location, files: &[Location], env: &Env) -> bool;

    /// Returns `true` if a file may be a table of what is said in sound files, by its name.
    fn is_table(&self, file: &Location) -> bool;
}
