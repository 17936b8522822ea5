//! Progress of a survey.

use spr_core::Result;

/// What a survey is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Files are listed.
    Listing,
    /// Headers are read.
    Reading,
    /// Files of one size are compared.
    Comparing,
}

/// Hears how far a survey is, from several threads.
pub trait Observer: Sync {
    /// Hears that `done` files are done, `of` so many if that is known.
    ///
    /// # Errors
    /// The survey is to stop.
    fn progress(&self, phase: Phase, done: u64, of: Option<u64>) -> Result<()>;
}

/// Hears nothing.
impl Observer for () {
    fn progress(&self, _: Phase, _: u64, _: Option<u64>) -> Result<()> {
        Ok(())
    }
}
