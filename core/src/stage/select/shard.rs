//! Every m-th utterance.

use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};
use crate::{Error, Result};

/// One of several equal parts: every `count`-th utterance, dealt out like cards. All parts together
/// are the whole. An utterance at fault is an error of its own part alone.
pub struct Shard {
    inner: Box<dyn Reader>,
    /// Utterances to pass over before the next of this part.
    skip: u64,
    count: u64,
    info: DatasetInfo,
    other: Utterance,
}

impl Shard {
    /// Part `index`, counted from 0, of `count` parts of `inner`.
    ///
    /// # Errors
    /// There is no such part.
    pub fn new(inner: Box<dyn Reader>, index: u64, count: u64) -> Result<Self> {
        if index >= count {
            return Err(Error::usage(format!(
                "part {index} of {count}: parts count from 0"
            )));
        }
        let mut info = inner.info().without_totals();
        let share = |all: u64| all / count + u64::from(index < all % count);
        info.utterances = inner.info().utterances.map(share);
        Ok(Self {
            inner,
            skip: index,
            count,
            info,
            other: Utterance::default(),
        })
    }
}

impl Reader for Shard {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.skip > 0 {
            match self.inner.read(&mut self.other) {
                Ok(false) => return Ok(false),
                Ok(true) => self.skip -= 1,
                Err(e) if e.can_continue() => self.skip -= 1,
                Err(e) => return Err(e),
            }
        }
        self.skip = self.count - 1;
        self.inner.read(utt)
    }
}
