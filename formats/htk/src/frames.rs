//! Ranges of frames in a file.

use spr_core::{Error, Result};

/// A range of frames, counted from 0, including the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frames {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Frames {
    /// Returns the first frame and the number of frames of the range, in a file of `all` frames.
    ///
    /// # Errors
    /// The range exceeds the file.
    pub(crate) fn of(self, all: u64) -> Result<(u64, u64)> {
        let Self { first, last } = self;
        match last.checked_sub(first) {
            Some(more) if last < all => Ok((first, more + 1)),
            _ => Err(Error::malformed(format!(
                "has {all} frames, the list asks for those from {first} to {last}"
            ))),
        }
    }
}
