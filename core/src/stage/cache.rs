//! A data set kept in memory.

use std::sync::Arc;

use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};
use crate::{Limits, Result};

/// A data set read once and kept, to be read from memory any number of times. Clones share it.
#[derive(Clone)]
pub struct Cache(Arc<Kept>);

struct Kept {
    utterances: Vec<Utterance>,
    info: DatasetInfo,
}

impl Cache {
    /// Reads all of `reader`, whose utterances together may not exceed `limits`.
    ///
    /// # Errors
    /// Reading fails, be it for one utterance, or there is too much.
    pub fn new(mut reader: Box<dyn Reader>, limits: &Limits) -> Result<Self> {
        let mut utterances = Vec::new();
        let (mut bytes, mut frames) = (0u64, 0);
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            bytes = bytes.saturating_add(utt.bytes());
            limits.bytes("a data set in memory", bytes)?;
            frames += utt.frames();
            utterances.push(std::mem::take(&mut utt));
        }
        let info = DatasetInfo {
            utterances: Some(utterances.len() as u64),
            frames: Some(frames),
            ..reader.info().clone()
        };
        Ok(Self(Arc::new(Kept { utterances, info })))
    }

    /// A reader of what is kept, from the start.
    pub fn reader(&self) -> Box<dyn Reader> {
        Box::new(FromCache {
            kept: self.0.clone(),
            next: 0,
        })
    }
}

struct FromCache {
    kept: Arc<Kept>,
    next: usize,
}

impl Reader for FromCache {
    fn info(&self) -> &DatasetInfo {
        &self.kept.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some(kept) = self.kept.utterances.get(self.next) else {
            return Ok(false);
        };
        utt.clone_from(kept);
        self.next += 1;
        Ok(true)
    }
}
