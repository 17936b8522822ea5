//! Utterances that travel together from one thread to another.

use crate::Error;
use crate::format::Reader;
use crate::model::Utterance;

/// Small utterances travel together, for handing one over costs as much as reading it.
const BYTES: u64 = 256 << 10;
const UTTERANCES: usize = 256;

/// Utterances in their order, and what came after them.
#[derive(Default)]
pub(super) struct Block {
    utts: Vec<Utterance>,
    /// How many of them count; the others keep their allocations for the next time.
    len: usize,
    /// How many of them were taken.
    taken: usize,
    then: Then,
}

/// What comes after the utterances of a block.
#[derive(Default)]
pub(super) enum Then {
    #[default]
    More,
    End,
    Failed(Error),
}

impl Block {
    /// No utterances, and behind them an error that ends everything.
    pub(super) fn failed(error: Error) -> Self {
        Self {
            then: Then::Failed(error),
            ..Self::default()
        }
    }

    /// Reads until there is enough, or something else than an utterance comes. Of live data one
    /// utterance is.
    pub(super) fn fill(&mut self, reader: &mut dyn Reader) {
        (self.len, self.taken, self.then) = (0, 0, Then::More);
        let most = if reader.info().live { 1 } else { UTTERANCES };
        let mut bytes = 0;
        while bytes < BYTES && self.len < most {
            if self.len == self.utts.len() {
                self.utts.push(Utterance::default());
            }
            let utt = &mut self.utts[self.len];
            match reader.read(utt) {
                Ok(true) => self.len += 1,
                Ok(false) => self.then = Then::End,
                Err(error) => self.then = Then::Failed(error),
            }
            if !matches!(self.then, Then::More) {
                break;
            }
            bytes += utt.bytes();
        }
    }

    /// Whether nothing comes after it.
    pub(super) fn is_last(&self) -> bool {
        match &self.then {
            Then::More => false,
            Then::End => true,
            Then::Failed(error) => !error.can_continue(),
        }
    }

    /// Gives the next utterance, if there is one.
    pub(super) fn take(&mut self, utt: &mut Utterance) -> bool {
        let more = self.taken < self.len;
        if more {
            std::mem::swap(utt, &mut self.utts[self.taken]);
            self.taken += 1;
        }
        more
    }

    /// What comes after the utterances, told once.
    pub(super) fn then(&mut self) -> Then {
        std::mem::take(&mut self.then)
    }
}
