//! Unique keys.

use std::collections::HashMap;

use crate::error::{Error, Remedy, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, KeySet, Utterance};

/// Passes on one utterance per key. The keys are kept in memory.
pub struct Unique {
    inner: Box<dyn Reader>,
    keep: Keep,
    info: DatasetInfo,
}

enum Keep {
    Only(KeySet),
    First(KeySet),
    /// The number of remaining utterances per key.
    Last(HashMap<Key, u64>),
}

impl Unique {
    fn new(inner: Box<dyn Reader>, keep: Keep) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            keep,
        }
    }

    /// Passes on the utterances of `inner`; a repeated key is an error, which [can
    /// continue](Error::can_continue).
    pub fn only(inner: Box<dyn Reader>) -> Self {
        Self::new(inner, Keep::Only(KeySet::default()))
    }

    /// Passes on the first utterance of each key.
    pub fn first(inner: Box<dyn Reader>) -> Self {
        Self::new(inner, Keep::First(KeySet::default()))
    }

    /// Passes on the last utterance of each key. `counted` is a second reader of the same data set,
    /// which is read to its end at once.
    ///
    /// # Errors
    /// It cannot be read; utterances that cannot be read are skipped.
    pub fn last(inner: Box<dyn Reader>, mut counted: Box<dyn Reader>) -> Result<Self> {
        let (mut left, mut utt) = (HashMap::new(), Utterance::default());
        loop {
            match counted.read(&mut utt) {
                Ok(false) => break,
                Ok(true) => *left.entry(utt.key.clone()).or_default() += 1,
                Err(error) if error.can_continue() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self::new(inner, Keep::Last(left)))
    }
}

impl Keep {
    fn wants(&mut self, utt: &Utterance) -> Result<bool> {
        let key = &utt.key;
        match self {
            Self::First(seen) => Ok(seen.insert(key)),
            Self::Only(seen) => match seen.insert(key) {
                true => Ok(true),
                false => Err(second(utt)),
            },
            Self::Last(left) => match left.get_mut(key) {
                Some(n) if *n > 1 => {
                    *n -= 1;
                    Ok(false)
                }
                _ => Ok(true),
            },
        }
    }
}

/// Returns an error about an utterance whose key was there before, with its place if that is known.
fn second(utt: &Utterance) -> Error {
    let error = Error::unfit("a second utterance with this key").utterance(&utt.key);
    let error = utt.origin.place(error);
    error.suggest(Remedy::KeepOne).continuable()
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Unique {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            if self.keep.wants(utt)? {
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

    fn list() -> Box<dyn Reader> {
        let keys = ["a", "b", "a", "c", "a"]
            .iter()
            .zip([0.0, 1.0, 2.0, 3.0, 4.0]);
        List::of(keys.map(|(key, value)| utterance(key, &[value], 1)))
    }

    fn values(mut reader: Unique) -> Vec<f32> {
        let (mut utt, mut values) = (Utterance::default(), Vec::new());
        while reader.read(&mut utt).unwrap() {
            values.extend(utt.features.as_ref().unwrap().as_slice::<f32>().unwrap());
        }
        values
    }

    #[test]
    fn one_of_each() {
        assert_eq!(values(Unique::first(list())), [0.0, 1.0, 3.0]);
        assert_eq!(
            values(Unique::last(list(), list()).unwrap()),
            [1.0, 3.0, 4.0]
        );
    }

    #[test]
    fn a_second_one_is_an_error() {
        let mut only = Unique::only(list());
        let mut utt = Utterance::default();
        let results: Vec<_> = (0..5).map(|_| only.read(&mut utt)).collect();
        let errors = results.iter().filter_map(|r| r.as_ref().err());
        let errors: Vec<_> = errors.map(ToString::to_string).collect();
        assert_eq!(errors, ["utterance a: a second utterance with this key"; 2]);
        assert!(!only.read(&mut utt).unwrap());
    }
}
