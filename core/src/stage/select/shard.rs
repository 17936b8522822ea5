//! Some utterances by their numbers.

use crate::Result;
use crate::format::{Reader, Share};
use crate::model::{DatasetInfo, Utterance};

/// One share of the utterances; the shares together are the whole. An utterance at fault is an error
/// of its own share alone.
pub struct Shard {
    inner: Box<dyn Reader>,
    share: Share,
    /// The number of the next utterance.
    next: u64,
    info: DatasetInfo,
    other: Utterance,
}

impl Shard {
    /// Part `index`, counted from 0, of `count` parts of `inner`: every `count`-th utterance, dealt
    /// out like cards.
    ///
    /// # Errors
    /// There is no such part.
    pub fn new(inner: Box<dyn Reader>, index: u64, count: u64) -> Result<Self> {
        Self::of(inner, Share::Dealt { index, count })
    }

    /// The utterances of `inner` that are in `share`.
    ///
    /// # Errors
    /// There is no such share.
    pub fn of(inner: Box<dyn Reader>, share: Share) -> Result<Self> {
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
