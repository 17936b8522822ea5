//! A data set kept in memory.

use std::sync::Arc;

use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Limits, Utterance};

/// A data set in memory, which can be read any number of times. Clones share it.
///
/// ```
/// use spr_core::format::Reader;
/// use spr_core::stage::{Cache, ReaderExt};
/// use spr_core::{Limits, Result};
///
/// /// A data set that is read once, and its first utterances once more.
/// fn twice(reader: Box<dyn Reader>) -> Result<[Box<dyn Reader>; 2]> {
///     let kept = Cache::new(reader, &Limits::default())?;
///     Ok([kept.reader(), kept.reader().first(10)])
/// }
/// ```
#[derive(Clone)]
pub struct Cache(Arc<CachedDataset>);

struct CachedDataset {
    utterances: Vec<Utterance>,
    info: DatasetInfo,
}

impl Cache {
    /// Reads all of `reader` into memory, within `limits`.
    ///
    /// # Errors
    /// Reading fails for any utterance, or the limits are exceeded.
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
        Ok(Self(Arc::new(CachedDataset { utterances, info })))
    }

    /// Returns a reader from the start.
    pub fn reader(&self) -> Box<dyn Reader> {
        Box::new(FromCache {
            kept: self.0.clone(),
            next: 0,
        })
    }
}

struct FromCache {
    kept: Arc<CachedDataset>,
    next: usize,
}

#[warn(clippy::missing_trait_methods)]
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
