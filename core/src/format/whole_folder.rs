//! Folders that as a whole are one data set.

use super::{OpenedDataset, Options, Request};
use crate::bytes::{Env, Location};
use crate::error::Result;

/// A format whose data sets are whole folders, such as Kaldi's data directories, in contrast to
/// files and to folders with one file per utterance.
///
/// They are written by [`Format::create`](super::Format::create) to an
/// [`Output`](crate::bytes::Output) that [is a folder](crate::bytes::Output::is_folder), their
/// files as [`Part::Member`](crate::bytes::Part::Member).
pub trait WholeFolder: Send + Sync {
    /// Returns `true` if a folder is of the format, by the names of its direct entries.
    fn fits(&self, names: &[&str]) -> bool;

    /// Opens the data set. It takes over the parts of `request` that it supports; callers use
    /// [`Request::open_folder`], which does the rest.
    ///
    /// # Errors
    /// A required file is missing or invalid, or the value of an option is invalid.
    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset>;
}
