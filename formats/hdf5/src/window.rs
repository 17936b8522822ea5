//! Rows that were unpacked together, for utterances that follow each other.

use spr_core::model::Matrix;
use spr_core::{Error, Result};

/// A run of rows in a dataset.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    /// The index of an item, where each item has rows of its own.
    pub(crate) item: Option<u64>,
    pub(crate) first: u64,
    pub(crate) rows: u64,
}

impl Place {
    /// Returns `true` if all rows of `other` are in it.
    pub(crate) fn has(&self, other: &Self) -> bool {
        self.item == other.item
            && self.first <= other.first
            && other.first + other.rows <= self.first + self.rows
    }
}

/// Rows of a packed dataset that were unpacked.
#[derive(Default)]
pub(crate) struct Window {
    pub(crate) place: Place,
    pub(crate) values: Matrix,
}

impl Window {
    /// Copies the bytes of rows that are in it from the row `first` of the dataset on.
    ///
    /// # Errors
    /// They are not in it.
    pub(crate) fn copy(&self, first: u64, into: &mut [u8]) -> Result<()> {
        let missing = || Error::malformed("has fewer rows than it says");
        let skipped = first.checked_sub(self.place.first).ok_or_else(missing)?;
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        let row = self.values.cols() * self.values.dtype().size();
        let found = self.values.as_bytes().get(skipped.saturating_mul(row)..);
        let found = found.and_then(|rest| rest.get(..into.len()));
        into.copy_from_slice(found.ok_or_else(missing)?);
        Ok(())
    }
}
