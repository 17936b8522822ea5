//! The keys of samples that were read.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The keys of the last samples, as hashes, with the kinds of their members.
#[derive(Default)]
pub(crate) struct SeenKeys {
    /// The later ones, and those before.
    keys: [HashMap<u64, u8>; 2],
}

/// The relation of a sample to those before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// Its key is new.
    None,
    /// A sample with this key and members of the same kinds came before.
    Twice,
    /// A sample with this key and members of other kinds came before.
    Apart,
}

impl SeenKeys {
    /// The number of keys after which the earlier half is forgotten: a few megabytes.
    const MOST: usize = 1 << 18;

    /// Adds a sample with members of these [kinds](crate::kinds::Kind::bit).
    pub(crate) fn add(&mut self, key: &[u8], kinds: u8) -> Repetition {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let hash = hasher.finish();
        let before = self.keys.iter().find_map(|keys| keys.get(&hash).copied());
        if self.keys[0].len() >= Self::MOST {
            self.keys.swap(0, 1);
            self.keys[0].clear();
        }
        self.keys[0].insert(hash, before.unwrap_or_default() | kinds);
        match before {
            None => Repetition::None,
            Some(before) if before & kinds == 0 => Repetition::Apart,
            Some(_) => Repetition::Twice,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_in_two_places_are_told_from_repeated_ones() {
        let mut seen = SeenKeys::default();
        assert_eq!(seen.add(b"a", 1), Repetition::None);
        assert_eq!(seen.add(b"b", 1), Repetition::None);
        assert_eq!(seen.add(b"a", 8), Repetition::Apart);
        assert_eq!(seen.add(b"a", 9), Repetition::Twice);
        assert_eq!(seen.add(b"b", 1), Repetition::Twice);
    }
    #[test]
    fn the_last_keys_are_remembered() {
        let mut seen = SeenKeys::default();
        let mut add = |n: usize| seen.add(&n.to_le_bytes(), 1);
        for n in 0..=SeenKeys::MOST {
            assert_eq!(add(n), Repetition::None);
        }
        assert_eq!(add(0), Repetition::Twice);
        for n in 1..=SeenKeys::MOST {
            add(SeenKeys::MOST + n);
        }
        assert_eq!(add(2 * SeenKeys::MOST), Repetition::Twice);
        assert_eq!(add(1), Repetition::None);
    }
}
