//! Selection of utterances by a function.

use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// Selects the utterances for which a function returns `true`. It is called once for each, in
/// order, and may have state.
pub struct Filter<F> {
    inner: Box<dyn Reader>,
    wanted: F,
    info: DatasetInfo,
}

impl<F: FnMut(&Utterance) -> Result<bool> + Send> Filter<F> {
    /// Selects the utterances of `inner` that are `wanted`.
    pub fn new(inner: Box<dyn Reader>, wanted: F) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            wanted,
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl<F: FnMut(&Utterance) -> Result<bool> + Send> Reader for Filter<F> {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            if (self.wanted)(utt)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::stage::tests::{List, utterance};

    #[test]
    fn asks_once_for_each() {
        let list = List::of(["a", "b", "c", "d"].map(|key| utterance(key, &[0.0], 1)));
        let mut n = 0;
        let mut filter = Filter::new(list, move |utt: &Utterance| {
            n += 1;
            match n {
                2 => Err(Error::unfit("second").utterance(&utt.key).continuable()),
                n => Ok(n % 2 == 1),
            }
        });
        let mut utt = Utterance::default();
        assert!(filter.read(&mut utt).unwrap());
        assert_eq!(utt.key.as_str(), Some("a"));
        assert_eq!(
            filter.read(&mut utt).unwrap_err().to_string(),
            "utterance b: second"
        );
        assert!(filter.read(&mut utt).unwrap());
        assert_eq!(utt.key.as_str(), Some("c"));
        assert!(!filter.read(&mut utt).unwrap());
    }
}
