//! Files that list where utterances are.

use crate::Result;
use crate::bytes::{Env, Location};
use crate::model::Key;

/// The weight of an entry of a data set, as far as it is known without reading values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Its frames.
    pub frames: Option<u64>,
    /// Its size in bytes.
    pub bytes: Option<u64>,
}

/// The lists of a format: files that name the places of utterances in other files, such as Kaldi's
/// script files.
pub trait Lists: Send + Sync {
    /// Returns `true` if a file is a list by its name or by these options, which other formats may
    /// mean.
    fn is_list(&self, file: &Location, options: &[(String, String)]) -> bool;

    /// Weighs the entries of a list in their order. The files that it names are not opened.
    ///
    /// # Errors
    /// The list can't be read, or `each` fails.
    fn weigh(
        &self,
        list: &Location,
        env: &Env,
        each: &mut dyn FnMut(&Key, Weight) -> Result<()>,
    ) -> Result<()>;

    /// Gives each file that a list names, in order, and the same one again only where others stand
    /// between. None of them is opened.
    /// With `entries`, only those from the first to before the second count.
    ///
    /// # Errors
    /// The list can't be read, or `each` fails.
    fn named(
        &self,
        list: &Location,
        entries: Option<[u64; 2]>,
        env: &Env,
        each: &mut dyn FnMut(&Location) -> Result<()>,
    ) -> Result<()>;

    /// Gives each line of a list with its line end, with the files that it names where `env` says that
    /// they are now. None of them is opened.
    ///
    /// # Errors
    /// The list can't be read, a line is malformed, or `each` fails.
    fn moved(
        &self,
        list: &Location,
        env: &Env,
        each: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()>;

    /// Returns the lists beside `file` that point into it and nowhere else, and so are of no use
    /// without it.
    ///
    /// # Errors
    /// A list beside it points into it and into other files.
    fn pointing_into(&self, file: &Location, env: &Env) -> Result<Vec<Location>>;
}
