//! Who speaks.

use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};
use crate::{KeyMap, Result};

/// Gives each utterance the speaker that a table has for it. An utterance that is not in the table is at
/// fault, and the next one can be read.
pub struct Speakers {
    inner: Box<dyn Reader>,
    table: KeyMap,
}

impl Speakers {
    /// The utterances of `inner` with the speakers of `table`.
    pub fn new(inner: Box<dyn Reader>, table: KeyMap) -> Self {
        Self { inner, table }
    }
}

impl Reader for Speakers {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if !self.inner.read(utt)? {
            return Ok(false);
        }
        utt.meta.speaker = Some(self.table.get(&utt.key)?.clone());
        Ok(true)
    }
}
