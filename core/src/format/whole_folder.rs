//! Folders that are one data set as a whole.

use super::{Opened, Options, Request};
use crate::Result;
use crate::bytes::{Env, Location};

/// A format whose data sets are folders as a whole, such as Kaldi's data directories, and not files,
/// nor folders of one file an utterance.
///
/// They are written by [`Format::create`](super::Format::create) to an
/// [`Output`](crate::bytes::Output) that [is a folder](crate::bytes::Output::is_folder), their files
/// as [`Part::Member`](crate::bytes::Part::Member).
pub trait WholeFolder: Send + Sync {
    /// Whether a folder is of the format, by the names of the files and folders that stand in it.
    fn fits(&self, names: &[&str]) -> bool;

    /// Opens the data set. Of the `request` it takes what it does by itself; callers go through
    /// [`Request::open_folder`], which does the rest.
    ///
    /// # Errors
    /// A file that it can't do without is not there or broken, or an option's value is wrong.
    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Opened>;
}
