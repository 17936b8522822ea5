//! Readers: of utterances in their order, and by key.

use crate::error::Result;
use crate::model::{DatasetInfo, Key, Utterance};

/// A stream of utterances.
pub trait Reader: Send {
    /// Returns the information that has been known since the data set was opened.
    fn info(&self) -> &DatasetInfo;

    /// Reads the next utterance into `utt`, overwriting every field and keeping allocations.
    /// Returns `false` at the end of the stream, and on every later call.
    ///
    /// # Errors
    /// With [`can_continue`](crate::error::Error::can_continue) the next call reads the utterance after;
    /// otherwise the stream is over.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool>;
}

/// A data set with lookup of utterances by key, in any order.
pub trait RandomAccess: Send {
    /// Reads the utterance `key` into `utt`, overwriting every field. Returns `false` if there is
    /// none.
    ///
    /// # Errors
    /// With [`can_continue`](crate::error::Error::can_continue) only this utterance is lost.
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool>;

    /// Returns all keys in order, if they are known without reading the data.
    fn keys(&self) -> Option<Vec<Key>>;

    /// Reads the entries that were not looked up, and returns the first key that is repeated with
    /// different data.
    ///
    /// # Errors
    /// The rest cannot be read.
    fn find_twice(&mut self) -> Result<Option<Key>>;
}

#[warn(clippy::missing_trait_methods)]
impl<R: Reader + ?Sized> Reader for &mut R {
    fn info(&self) -> &DatasetInfo {
        (**self).info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        (**self).read(utt)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Box<dyn Reader> {
    fn info(&self) -> &DatasetInfo {
        (**self).info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        (**self).read(utt)
    }
}
