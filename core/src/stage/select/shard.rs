//! Selection of utterances by number.

use crate::error::Result;
use crate::format::{Reader, Subset};
use crate::model::{DatasetInfo, Utterance};

/// Selects one shard of the utterances; all shards together are the whole. A faulty utterance is an
/// error of its shard only.
pub struct Shard {
    inner: Box<dyn Reader>,
    share: Subset,
    /// The number of the next utterance.
    next: u64,
    info: DatasetInfo,
    other: Utterance,
}

impl Shard {
    /// Selects shard `index`, counted from 0, of `count` shards of `inner`: every `count`-th
    /// utterance.
    ///
    /// # Errors
    /// There is no such shard.
    pub fn new(inner: Box<dyn Reader>, index: u64, count: u64) -> Result<Self> {
        Self::of(inner, Subset::EveryNth { index, count })
    }

    /// Selects the utterances of `inner` that are in `share`.
    ///
    /// # Errors
    /// There is no such shard.
    pub fn of(inner: Box<dyn Reader>, share: Subset) -> Result<Self> {
        share.check()?;
        let mut info = inner.info().without_totals();
        info.utterances = inner.info().utterances.map(|all| share.of(all));
        Ok(Self {
            inner,
            share,
            next: 0,
            info,
            other: Utterance::default(),
        })
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Shard {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while !self.share.is_over(self.next) {
            let number = self.next;
            self.next += 1;
            if self.share.has(number) {
                return self.inner.read(utt);
            }
            match self.inner.read(&mut self.other) {
                Ok(false) => return Ok(false),
                Err(e) if !e.can_continue() => return Err(e),
                Ok(true) | Err(_) => {}
            }
        }
        Ok(false)
    }
}
