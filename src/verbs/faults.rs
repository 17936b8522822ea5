//! Faults that cost only their own utterances, of which the first is told.

use spr_core::Error;

/// The first fault, and the number of all.
#[derive(Default)]
pub(super) struct Faults {
    first: Option<Error>,
    count: u64,
}

impl Faults {
    /// Adds a fault.
    pub(super) fn add(&mut self, error: Error) {
        self.count += 1;
        self.first.get_or_insert(error);
    }

    /// Returns the first fault, which tells the number of all if there are several.
    pub(super) fn first(self) -> Option<Error> {
        let first = self.first?;
        Some(match self.count {
            1 => first,
            n => first.context(format!("the first of {n}")),
        })
    }
}
