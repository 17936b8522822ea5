//! The start of a key that directly follows other bytes.

use std::collections::HashSet;

/// The largest number of patterns stored.
const MANY: usize = 1024;
/// The number of keys after which their patterns are significant.
const SETTLED: usize = 8;

/// The patterns of the keys in an archive.
#[derive(Default)]
pub(crate) struct KeyPatterns {
    patterns: HashSet<Vec<u8>>,
    last: Vec<u8>,
    keys: usize,
    /// Whether a key was out of order.
    unsorted: bool,
}

/// Replaces each letter by `a` and each digit by `0`.
fn pattern(key: &[u8]) -> Vec<u8> {
    let class = |b: &u8| match b {
        b'a'..=b'z' | b'A'..=b'Z' => b'a',
        b'0'..=b'9' => b'0',
        0x80.. => 0x80,
        other => *other,
    };
    key.iter().map(class).collect()
}

/// Collapses runs of the same character in a pattern.
fn runs(mut pattern: Vec<u8>) -> Vec<u8> {
    pattern.dedup();
    pattern
}

fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

impl KeyPatterns {
    /// Adds a key.
    pub(crate) fn learn(&mut self, key: &[u8]) {
        self.unsorted |= *self.last >= *key;
        self.last.clear();
        self.last.extend_from_slice(key);
        self.keys += 1;
        if self.patterns.len() < MANY {
            self.patterns.insert(pattern(key));
        }
    }

    /// Returns `true` if enough keys with few patterns were seen to doubt a different one.
    pub(crate) fn is_settled(&self) -> bool {
        self.keys >= SETTLED && self.patterns.len() * SETTLED / 2 <= self.keys
    }

    /// Returns `true` if a key with the same pattern was seen.
    pub(crate) fn is_alike(&self, key: &[u8]) -> bool {
        self.patterns.contains(&pattern(key))
    }

    /// Returns `true` if `key`, and not `other`, preserves the order of all keys, with `behind`
    /// after it.
    pub(crate) fn fits_better(&self, key: &[u8], other: &[u8], behind: Option<&[u8]>) -> bool {
        let behind = behind.filter(|behind| self.is_alike(behind));
        let fits = |key: &[u8]| *self.last < *key && behind.is_none_or(|behind| key < behind);
        !self.unsorted && fits(key) && !fits(other)
    }

    /// Returns the end of `word` that resembles the known keys, or the key `behind`. Returns `None`
    /// if there is none, or no best one.
    pub(crate) fn choose<'a>(&self, word: &'a [u8], behind: Option<&[u8]>) -> Option<&'a [u8]> {
        let behind = behind.unwrap_or_default();
        let shape = pattern(behind);
        let same_runs: HashSet<_> = self
            .patterns
            .iter()
            .chain([&shape])
            .map(|p| runs(p.clone()))
            .collect();
        let score = |key: &[u8]| {
            let own = pattern(key);
            let start = common(key, &self.last).max(common(key, behind));
            let exact = self.patterns.contains(&own) || own == shape;
            let like = start > 0 && same_runs.contains(&runs(own));
            (exact || like).then_some((start, exact))
        };
        let ends = (0..word.len()).filter_map(|i| word.get(i..));
        let scored: Vec<_> = ends.filter_map(|end| Some((score(end)?, end))).collect();
        let (best, key) = scored.iter().max_by_key(|(score, _)| *score)?;
        let equals = scored.iter().filter(|(score, _)| score == best).count();
        (equals == 1).then_some(*key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_cut_where_they_look_like_others() {
        let mut shapes = KeyPatterns::default();
        assert_eq!(shapes.choose(b"?utt-7", None), None);
        assert_eq!(
            shapes.choose(b"?utt-7", Some(b"utt-8")),
            Some(&b"utt-7"[..])
        );
        shapes.learn(b"utt-049");
        let whole = Some(&b"utt-051"[..]);
        for word in [&b"utt-051"[..], b"?utt-051", b"\xc0Autt-051", b"49utt-051"] {
            assert_eq!(shapes.choose(word, None), whole, "{word:?}");
        }
        assert_eq!(
            shapes.choose(b"Butt-1000", None),
            Some(&b"utt-1000"[..]),
            "another number of digits"
        );
        for word in [&b"050"[..], b"t_050", b"-050"] {
            assert_eq!(shapes.choose(word, None), None, "{word:?}");
        }
    }
}
