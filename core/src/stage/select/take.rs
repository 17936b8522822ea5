//! Selection of the first utterances.

use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// Takes the first utterances. Those after them are not read.
pub struct Take {
    inner: Box<dyn Reader>,
    left: u64,
    info: DatasetInfo,
}

impl Take {
    /// Takes the first `n` utterances of `inner`.
    pub fn new(inner: Box<dyn Reader>, n: u64) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            left: n,
        }
    }
}

#[warn(clippy::missing_trait_methods)]
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
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::tests::{List, keys, utterance};

    #[test]
    fn the_first_ones() {
        let list = || List::of(["a", "b", "c", "d"].map(|key| utterance(key, &[0.0], 1)));
        for (n, expected) in [(0, ""), (2, "ab"), (4, "abcd"), (9, "abcd")] {
            assert_eq!(keys(Take::new(list(), n)), expected);
        }
    }
}
