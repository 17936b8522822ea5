//! Blocks of utterances that are passed between threads.

use crate::error::Error;
use crate::format::Reader;
use crate::model::Utterance;

/// The size of a block in bytes. Small utterances are passed on together, because passing one on
/// costs as much as reading it.
const BYTES: u64 = 256 << 10;
const UTTERANCES: usize = 256;
/// The mean size in bytes from which they are passed on one by one, as a block keeps the memory of all of them.
const LARGE: u64 = 1 << 20;

/// Utterances in order, and the end or error after them.
#[derive(Default)]
pub(super) struct Block {
    utts: Vec<Utterance>,
    /// The number of valid utterances; the others are allocations for reuse.
    len: usize,
    /// The number of utterances taken.
    taken: usize,
    /// The size of the valid utterances in bytes.
    bytes: u64,
    then: BlockEnd,
}

/// The continuation after the utterances of a block.
#[derive(Default)]
pub(super) enum BlockEnd {
    #[default]
    More,
    End,
    Failed(Error),
}

impl Block {
    /// Creates an empty block with a final error.
    pub(super) fn failed(error: Error) -> Self {
        Self {
            then: BlockEnd::Failed(error),
            ..Self::default()
        }
    }

    /// Reads until the block is full, or an error or the end occurs. Live data are passed on one by
    /// one.
    pub(super) fn fill(&mut self, reader: &mut dyn Reader) {
        let most = match self.is_large() || reader.info().live {
            true => 1,
            false => UTTERANCES,
        };
        self.utts.truncate(most);
        (self.len, self.taken, self.bytes, self.then) = (0, 0, 0, BlockEnd::More);
        while self.bytes < BYTES && self.len < most {
            if self.len == self.utts.len() {
                self.utts.push(Utterance::default());
            }
            let utt = &mut self.utts[self.len];
            match reader.read(utt) {
                Ok(true) => self.len += 1,
                Ok(false) => self.then = BlockEnd::End,
                Err(error) => self.then = BlockEnd::Failed(error),
            }
            if !matches!(self.then, BlockEnd::More) {
                break;
            }
            self.bytes += utt.bytes();
        }
    }

    /// Returns `true` if its utterances are large, so that the next block has one alone.
    pub(super) fn is_large(&self) -> bool {
        self.bytes > LARGE * self.len as u64
    }

    /// Returns `true` if no block follows.
    pub(super) fn is_last(&self) -> bool {
        match &self.then {
            BlockEnd::More => false,
            BlockEnd::End => true,
            BlockEnd::Failed(error) => !error.can_continue(),
        }
    }

    /// Takes the next utterance, if there is one, in exchange for the allocations of `utt`.
    pub(super) fn take(&mut self, utt: &mut Utterance) -> bool {
        let more = self.taken < self.len;
        if more {
            let next = &mut self.utts[self.taken];
            if next.waveform().is_none() {
                // Samples that were loaded since were not counted when the block was filled.
                utt.audio = None;
            }
            std::mem::swap(utt, next);
            self.taken += 1;
        }
        more
    }

    /// Takes the continuation.
    pub(super) fn then(&mut self) -> BlockEnd {
        std::mem::take(&mut self.then)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Locator;
    use crate::error::Result;
    use crate::model::{Audio, AudioReference, DatasetInfo, Waveform};

    struct References(DatasetInfo);

    impl Reader for References {
        fn info(&self) -> &DatasetInfo {
            &self.0
        }

        fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
            let place = AudioReference::new(Locator::file("a.wav"));
            utt.audio = Some(Audio::Reference(place));
            Ok(true)
        }
    }

    #[test]
    fn sound_that_is_loaded_is_not_kept() {
        let mut block = Block::default();
        block.fill(&mut References(DatasetInfo::default()));
        let mut utt = Utterance::default();
        let mut taken = 0;
        while block.take(&mut utt) {
            assert!(matches!(utt.audio, Some(Audio::Reference(_))));
            utt.audio = Some(Audio::Samples(Waveform::default()));
            taken += 1;
        }
        assert_eq!(taken, UTTERANCES);
        assert!(block.utts.iter().all(|utt| utt.waveform().is_none()));
    }
}
