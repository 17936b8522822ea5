//! Skipping of faulty utterances.

use std::sync::Arc;

use super::is_last;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// Receives the error of each skipped utterance.
pub(crate) type OnSkip = Arc<dyn Fn(&Error) + Send + Sync>;

/// Passes on the utterances that can be read. An error of one utterance, or of the rest of a data
/// set of which something was read, is reported and skipped.
pub struct SkipErrors {
    inner: Box<dyn Reader>,
    tell: OnSkip,
    /// Whether an utterance was read.
    begun: bool,
    ended: bool,
    info: DatasetInfo,
}

impl SkipErrors {
    /// Passes on the readable utterances of `inner`; `tell` receives the errors of others.
    pub fn new(inner: Box<dyn Reader>, tell: OnSkip) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            tell,
            begun: false,
            ended: false,
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for SkipErrors {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while !self.ended {
            let read = self.inner.read(utt);
            self.ended = is_last(&read);
            match read {
                Err(error) if error.can_continue() || self.begun && !error.is_change() => {
                    (self.tell)(&error);
                }
                read => {
                    self.begun = true;
                    return read;
                }
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::stage::Filter;
    use crate::stage::tests::{List, utterance};

    /// Reads `a`, `b` and `c`, some of which are errors, and returns the reports.
    fn read(bad: &'static [(&'static str, bool)]) -> (Result<String>, Vec<String>) {
        let list = List::of(["a", "b", "c"].map(|key| utterance(key, &[0.0], 1)));
        let faulty = Filter::new(list, move |utt: &Utterance| {
            let name = utt.key.to_string();
            match bad.iter().find(|(key, _)| *key == name) {
                Some((_, true)) => Err(Error::unfit(name).continuable()),
                Some((_, false)) => Err(Error::unfit(name)),
                None => Ok(true),
            }
        });
        let told = Arc::new(Mutex::new(Vec::new()));
        let list = told.clone();
        let tell = move |error: &Error| list.lock().unwrap().push(error.to_string());
        let mut reader = SkipErrors::new(Box::new(faulty), Arc::new(tell));
        let (mut utt, mut keys) = (Utterance::default(), String::new());
        let result = loop {
            match reader.read(&mut utt) {
                Ok(true) => keys.push_str(&utt.key.to_string()),
                Ok(false) => break Ok(keys),
                Err(error) => break Err(error),
            }
        };
        let told = told.lock().unwrap().clone();
        (result, told)
    }

    #[test]
    fn bad_ones_are_told_and_passed_over() {
        let (keys, told) = read(&[("a", true), ("c", true)]);
        assert_eq!(
            (keys.unwrap().as_str(), told),
            ("b", vec!["a".into(), "c".into()])
        );
        let (keys, told) = read(&[("b", false)]);
        assert_eq!((keys.unwrap().as_str(), told), ("a", vec!["b".into()]));
        let (keys, told) = read(&[("a", false)]);
        assert_eq!(keys.unwrap_err().to_string(), "a");
        assert!(
            told.is_empty(),
            "an input that can't be read at all is an error"
        );
    }
}
