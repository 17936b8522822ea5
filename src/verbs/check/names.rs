//! The set of names seen so far, in little memory.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use spr_core::model::Key;

/// Names as 64-bit hashes: a collision among ten million names occurs in one data set of 400 000.
#[derive(Default)]
pub(super) struct Names(HashSet<u64>);

impl Names {
    /// Adds a name, and returns `true` if it is new.
    pub(super) fn add(&mut self, key: &Key) -> bool {
        self.0.insert(hash(key))
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.0.contains(&hash(key))
    }
}

fn hash(key: &Key) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(key.as_bytes())
}
