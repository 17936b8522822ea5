//! Which entries of a table to read.

use spr_core::model::Key;

/// Says of each key of a table, in their order, whether to read its entry.
pub struct Select(Box<dyn FnMut(&Key) -> bool + Send>);

impl Select {
    /// The entries whose keys `wanted` holds true of.
    pub fn new(wanted: impl FnMut(&Key) -> bool + Send + 'static) -> Self {
        Self(Box::new(wanted))
    }

    /// All entries.
    pub fn all() -> Self {
        Self::new(|_| true)
    }

    pub(crate) fn wants(&mut self, key: &Key) -> bool {
        (self.0)(key)
    }
}
