//! Shuffling of utterances in a buffer.

use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Limits, Utterance};
use crate::number::random::{Mt19937, Rng};

/// Shuffles a stream of utterances: a buffer is filled, shuffled, returned and filled again.
/// Utterances stay whole; partitions are mixed and dropped.
///
/// The buffer is full at a number of utterances, or at the memory limit for one object. One
/// generator is used for all buffers, so that their orders differ.
pub(crate) struct ShuffleUtterances {
    inner: Box<dyn Reader>,
    most: usize,
    generator: Mt19937,
    limits: Limits,
    buffer: Vec<Utterance>,
    /// The number of valid utterances in the buffer, and the number returned.
    filled: usize,
    given: usize,
    bytes: u64,
    /// Whether it is being emptied, not filled.
    full: bool,
    /// Whether an error ended the stream.
    over: bool,
}

impl ShuffleUtterances {
    /// Shuffles the utterances of `inner`, `most` at a time, with `rng`.
    pub(crate) fn new(inner: Box<dyn Reader>, most: usize, rng: Rng, limits: Limits) -> Self {
        Self {
            inner,
            most: most.max(1),
            generator: rng.generator(),
            limits,
            buffer: Vec::new(),
            filled: 0,
            given: 0,
            bytes: 0,
            full: false,
            over: false,
        }
    }

    /// Continues to fill the buffer after an error.
    fn fill(&mut self) -> Result<()> {
        while self.filled < self.most && self.bytes < self.limits.max_alloc {
            if self.filled == self.buffer.len() {
                self.buffer.push(Utterance::default());
            }
            let utt = &mut self.buffer[self.filled];
            if !self.inner.read(utt)? {
                break;
            }
            let matrices = [&utt.features, &utt.labels].into_iter().flatten();
            self.bytes += matrices.map(|m| m.as_bytes().len() as u64).sum::<u64>();
            self.filled += 1;
        }
        for (i, j) in self.generator.swaps(self.filled) {
            self.buffer.swap(i, j);
        }
        Ok(())
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for ShuffleUtterances {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.full && self.given == self.filled {
            (self.filled, self.given, self.bytes, self.full) = (0, 0, 0, false);
        }
        if !self.full && !self.over {
            if let Err(error) = self.fill() {
                self.over = !error.can_continue();
                return Err(error);
            }
            self.full = true;
        }
        if self.filled == 0 || self.over {
            return Ok(false);
        }
        std::mem::swap(utt, &mut self.buffer[self.given]);
        utt.part = None;
        self.given += 1;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::stage::tests::{List, utterance};

    fn keys(stage: &mut ShuffleUtterances) -> Vec<usize> {
        let mut utt = Utterance::default();
        let mut keys = Vec::new();
        while stage.read(&mut utt).unwrap() {
            keys.push(utt.key.as_str().unwrap().parse().unwrap());
        }
        assert!(!stage.read(&mut utt).unwrap());
        keys
    }

    fn list(n: usize) -> Box<dyn Reader> {
        List::of((0..n).map(|i| utterance(&i.to_string(), &[0.0; 2], 1)))
    }

    #[test]
    fn no_utterance_goes_further_than_the_buffer() {
        let limits = Limits::default();
        let mut stage = ShuffleUtterances::new(list(25), 10, Rng::Pdnn, limits);
        let keys = keys(&mut stage);
        assert_eq!(keys[..10], [0, 1, 7, 4, 8, 5, 3, 9, 2, 6]);
        let second: Vec<_> = keys[10..20].iter().map(|key| key - 10).collect();
        assert_ne!(second, keys[..10], "another order");
        for (part, keys) in keys.chunks(10).enumerate() {
            assert!(keys.iter().all(|key| key / 10 == part));
        }
        let mut sorted = keys;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..25).collect::<Vec<_>>());
    }

    #[test]
    fn bytes_fill_it_too() {
        let limits = Limits {
            max_alloc: 16,
            ..Limits::default()
        };
        let mut stage = ShuffleUtterances::new(list(8), 100, Rng::Pdnn, limits);
        for (pair, keys) in keys(&mut stage).chunks(2).enumerate() {
            assert!(keys.iter().all(|key| key / 2 == pair), "{pair}: {keys:?}");
        }
    }

    /// A reader that fails at the third utterance.
    struct Faulty(Box<dyn Reader>, u32, fn(Error) -> Error);

    impl Reader for Faulty {
        fn info(&self) -> &DatasetInfo {
            self.0.info()
        }

        fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
            self.1 += 1;
            match self.1 {
                3 => Err((self.2)(Error::unfit("third"))),
                _ => self.0.read(utt),
            }
        }
    }

    #[test]
    fn goes_on_filling_after_an_error() {
        let inner = Box::new(Faulty(list(10), 0, Error::continuable));
        let mut stage = ShuffleUtterances::new(inner, 10, Rng::Pdnn, Limits::default());
        assert!(stage.read(&mut Utterance::default()).is_err());
        assert_eq!(keys(&mut stage), [0, 1, 7, 4, 8, 5, 3, 9, 2, 6]);
        let inner = Box::new(Faulty(list(10), 0, |error| error));
        let mut stage = ShuffleUtterances::new(inner, 10, Rng::Pdnn, Limits::default());
        assert!(stage.read(&mut Utterance::default()).is_err());
        assert_eq!(
            keys(&mut stage),
            [0; 0],
            "an error that ends the stream ends this one"
        );
    }
}
