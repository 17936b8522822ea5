//! Speakers of utterances.

use crate::error::{Error, Remedy, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, Utterance};
use crate::tables::KeyMap;

/// Returns the speaker of an utterance.
///
/// # Errors
/// It is unknown; the next utterance can be read.
pub fn speaker_of(utt: &Utterance) -> Result<&Key> {
    utt.meta.speaker.as_ref().ok_or_else(|| {
        let mut error = Error::unfit("nothing says who speaks it").utterance(&utt.key);
        if let Some(file) = &utt.origin.file {
            error = error.file(&**file);
        }
        error.suggest(Remedy::NameSpeakers).continuable()
    })
}

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
