//! Setting of speakers.

use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};
use crate::tables::KeyMap;

/// Sets the speaker of each utterance from a table. An utterance that is not in the table is
/// faulty, and the next one can be read.
pub struct Speakers {
    inner: Box<dyn Reader>,
    table: KeyMap,
}

impl Speakers {
    /// Sets the speakers of `inner` from `table`.
    pub fn new(inner: Box<dyn Reader>, table: KeyMap) -> Self {
        Self { inner, table }
    }
}

#[warn(clippy::missing_trait_methods)]
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
