//! Keys that were met, in little memory.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

/// Keys as hashes of 64 bits: one data set in 400 000 of ten million keys has two that are taken for
/// one.
#[derive(Default)]
pub(crate) struct KeySet(HashSet<u64>);

impl KeySet {
    /// Adds a key; returns `true` if it is new.
    pub(crate) fn insert(&mut self, key: impl Hash) -> bool {
        self.0.insert(hash(key))
    }

    pub(crate) fn contains(&self, key: impl Hash) -> bool {
        self.0.contains(&hash(key))
    }
}

/// Returns the hash of a key.
pub(crate) fn hash(key: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(key)
}
