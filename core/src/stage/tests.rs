//! Helpers for tests of stages.

use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Matrix, Rank, Utterance};

/// Utterances from memory.
pub(super) struct List(std::vec::IntoIter<Utterance>, DatasetInfo);

impl List {
    pub(super) fn of(utterances: impl IntoIterator<Item = Utterance>) -> Box<dyn Reader> {
        let utterances: Vec<_> = utterances.into_iter().collect();
        Box::new(Self(utterances.into_iter(), DatasetInfo::default()))
    }
}

impl Reader for List {
    fn info(&self) -> &DatasetInfo {
        &self.1
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let next = self.0.next();
        let more = next.is_some();
        *utt = next.unwrap_or_default();
        Ok(more)
    }
}

pub(super) fn utterance(key: &str, values: &[f32], cols: usize) -> Utterance {
    Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

/// Returns the keys of all utterances, concatenated.
pub(super) fn keys(mut reader: impl Reader) -> String {
    let mut utt = Utterance::default();
    let mut keys = String::new();
    while reader.read(&mut utt).unwrap() {
        keys.push_str(utt.key.as_str().unwrap());
    }
    assert!(!reader.read(&mut utt).unwrap());
    keys
}

/// Returns an utterance of one column with a label for each frame.
pub(super) fn labelled(key: &str, values: &[f32], labels: &[i32]) -> Utterance {
    Utterance {
        labels: Some(Matrix::from_rows(labels, 1, Rank::Vector).unwrap()),
        ..utterance(key, values, 1)
    }
}
