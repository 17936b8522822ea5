//! The names that were met, in little memory.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use spr_core::model::Key;

/// Names as hashes of 64 bits: that two of ten million names are taken for one happens in one
/// data set of 400 000.
#[derive(Default)]
pub(super) struct Names(HashSet<u64>);

impl Names {
    /// Adds a name; whether it is new.
    pub(super) fn add(&mut self, key: &Key) -> bool {
        self.0.insert(hash(key))
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.0.contains(&hash(key))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all of them are among `others`.
    pub(super) fn are_among(&self, others: &Self) -> bool {
        self.0.is_subset(&others.0)
    }
}

fn hash(key: &Key) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(key.as_bytes())
}
