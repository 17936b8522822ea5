//! Some utterances of all: the first ones, or those of a list.

use std::collections::HashSet;

use crate::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, Utterance};

/// What is known of a part: no totals.
fn part_of(info: &DatasetInfo) -> DatasetInfo {
    DatasetInfo {
        utterances: None,
        frames: None,
        ..info.clone()
    }
}

/// The first utterances. What follows them is not read.
pub struct Take {
    inner: Box<dyn Reader>,
    left: u64,
    info: DatasetInfo,
}

impl Take {
    /// The first `n` utterances of `inner`.
    pub fn new(inner: Box<dyn Reader>, n: u64) -> Self {
        Self {
            info: part_of(inner.info()),
            inner,
            left: n,
        }
    }
}

impl Reader for Take {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.left == 0 || !self.inner.read(utt)? {
            self.left = 0;
            return Ok(false);
        }
        self.left -= 1;
        self.info = part_of(self.inner.info());
        Ok(true)
    }
}

/// The utterances whose keys are in a list, or those whose keys are not.
pub struct SelectKeys {
    inner: Box<dyn Reader>,
    keys: HashSet<Key>,
    listed: bool,
    seen: u64,
    info: DatasetInfo,
}

impl SelectKeys {
    /// Those utterances of `inner` whose keys are among `keys`, or with `listed` false the others.
    pub fn new(inner: Box<dyn Reader>, keys: HashSet<Key>, listed: bool) -> Self {
        Self {
            info: part_of(inner.info()),
            inner,
            keys,
            listed,
            seen: 0,
        }
    }

    /// How many utterances were read so far, chosen or not.
    pub fn seen(&self) -> u64 {
        self.seen
    }
}

impl Reader for SelectKeys {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            self.seen += 1;
            if self.keys.contains(&utt.key) == self.listed {
                self.info = part_of(self.inner.info());
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::tests::{List, utterance};

    fn keys(mut reader: impl Reader) -> String {
        let mut utt = Utterance::default();
        let mut keys = String::new();
        while reader.read(&mut utt).unwrap() {
            keys.push_str(utt.key.as_str().unwrap());
        }
        assert!(!reader.read(&mut utt).unwrap());
        keys
    }

    fn list() -> Box<dyn Reader> {
        List::of(["a", "b", "c", "d"].map(|key| utterance(key, &[0.0], 1)))
    }

    #[test]
    fn the_first_ones() {
        for (n, expected) in [(0, ""), (2, "ab"), (4, "abcd"), (9, "abcd")] {
            assert_eq!(keys(Take::new(list(), n)), expected);
        }
    }

    #[test]
    fn by_key() {
        let some = || ["d", "b", "x"].map(Key::from).into();
        assert_eq!(keys(SelectKeys::new(list(), some(), true)), "bd");
        let mut others = SelectKeys::new(list(), some(), false);
        assert!(others.read(&mut Utterance::default()).unwrap());
        assert_eq!(others.seen(), 1);
        assert_eq!(keys(others), "c");
    }
}
