//! Readers as iterators.

use crate::error::Result;
use crate::format::Reader;
use crate::model::Utterance;

/// The utterances of a reader, each its owner's to keep. After an error that
/// [can continue](crate::error::Error::can_continue) the next is the utterance after; after another there
/// is none.
///
/// ```
/// # use spr_core::{Limits, Result, format::Reader, stage::Cache, model::DatasetInfo};
/// # fn count(reader: Box<dyn Reader>) -> Result<u64> {
/// let mut frames = 0;
/// for utt in reader {
///     frames += utt?.frames();
/// }
/// # Ok(frames)
/// # }
/// ```
pub struct Utterances<R> {
    reader: R,
    over: bool,
}

impl<R: Reader> Utterances<R> {
    /// Iterates over `reader`, or over `&mut reader` if it is needed afterwards.
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            over: false,
        }
    }
}

impl<R: Reader> Iterator for Utterances<R> {
    type Item = Result<Utterance>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let mut utt = Utterance::default();
        match self.reader.read(&mut utt) {
            Ok(true) => Some(Ok(utt)),
            Ok(false) => {
                self.over = true;
                None
            }
            Err(error) => {
                self.over = !error.can_continue();
                Some(Err(error))
            }
        }
    }
}

impl<R: Reader> std::iter::FusedIterator for Utterances<R> {}

impl IntoIterator for Box<dyn Reader> {
    type Item = Result<Utterance>;
    type IntoIter = Utterances<Box<dyn Reader>>;

    fn into_iter(self) -> Self::IntoIter {
        Utterances::new(self)
    }
}
