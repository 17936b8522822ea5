//! Utterances that can't be read are passed over.

use std::sync::Arc;

use super::is_last;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};
use crate::{Error, Result};

/// What is told of each utterance that is passed over.
pub type OnSkip = Arc<dyn Fn(&Error) + Send + Sync>;

/// Passes on the utterances that can be read. What costs one utterance, or the rest of a data set of
/// which something was read, is told and no error any more.
pub struct SkipErrors {
    inner: Box<dyn Reader>,
    tell: OnSkip,
    /// Whether something was read.
    begun: bool,
    ended: bool,
    info: DatasetInfo,
}

impl SkipErrors {
    /// The utterances of `inner` that can be read; `tell` is told of the others.
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

    /// What is read of `a`, `b` and `c` where some are errors, and what is told.
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
