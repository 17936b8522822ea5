//! A stretch of the frames of a file.

use spr_core::{Error, Result};

/// Frames of a file, counted from 0, the last one among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frames {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Frames {
    /// How many of `all` frames come before them, and how many they are.
    ///
    /// # Errors
    /// There are not so many.
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
