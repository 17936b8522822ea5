//! Sets of keys.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::Key;

/// A set of many keys in little memory: their bytes in one piece, and at most 26 bytes for each beside them.
///
/// ```
/// use spr_core::model::{Key, KeySet};
///
/// let mut seen = KeySet::default();
/// assert!(seen.insert(&Key::from("ann-1")));
/// assert!(!seen.insert(&Key::from("ann-1")));
/// assert!(seen.contains(&Key::from("ann-1")));
/// ```
#[derive(Default)]
pub struct KeySet {
    /// The keys one after the other, each after its length.
    bytes: Vec<u8>,
    /// The position of each key's length.
    places: HashTable<usize>,
    hasher: RandomState,
}

impl KeySet {
    /// Returns `true` if `key` is in the set.
    pub fn contains(&self, key: &Key) -> bool {
        let (bytes, key) = (&self.bytes, key.as_bytes());
        let hash = self.hasher.hash_one(key);
        self.places
            .find(hash, |place| at(bytes, *place) == key)
            .is_some()
    }

    /// Adds `key`, and returns `false` if it was there before.
    pub fn insert(&mut self, key: &Key) -> bool {
        let (bytes, hasher, key) = (&self.bytes, &self.hasher, key.as_bytes());
        let is_same = |place: &usize| at(bytes, *place) == key;
        let hash = |place: &usize| hasher.hash_one(at(bytes, *place));
        match self.places.entry(hasher.hash_one(key), is_same, hash) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(self.bytes.len());
                put_length(key.len(), &mut self.bytes);
                self.bytes.extend_from_slice(key);
                true
            }
        }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns `true` if there is no key.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// Appends a length, seven bits a byte, the lowest first; the last byte has no high bit.
fn put_length(mut len: usize, out: &mut Vec<u8>) {
    while len > 0x7f {
        out.push(len.to_le_bytes()[0] | 0x80);
        len >>= 7;
    }
    out.push(len.to_le_bytes()[0]);
}

/// Returns the key whose length is at `place`.
fn at(bytes: &[u8], place: usize) -> &[u8] {
    let mut at = place;
    let (mut len, mut shift) = (0, 0);
    loop {
        let byte = bytes[at];
        len |= usize::from(byte & 0x7f) << shift;
        (at, shift) = (at + 1, shift + 7);
        if byte & 0x80 == 0 {
            return &bytes[at..at + len];
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn as_a_set_of_the_library(keys in proptest::collection::vec("[a-c]{0,3}|d{100,300}", 0..200)) {
            let (mut ours, mut theirs) = (KeySet::default(), HashSet::new());
            for key in keys {
                let key = Key::from(key.as_str());
                prop_assert_eq!(ours.contains(&key), theirs.contains(&key));
                prop_assert_eq!(ours.insert(&key), theirs.insert(key));
                prop_assert_eq!(ours.len(), theirs.len());
            }
            prop_assert_eq!(ours.is_empty(), theirs.is_empty());
        }
    }
}
