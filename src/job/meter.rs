//! How far into its file a job has read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use spr_core::Result;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};

/// A reader that leaves a note where the last utterance started, for whoever does not see it
/// because something reads ahead in between.
pub(super) struct Metered {
    reader: Box<dyn Reader>,
    at: Arc<AtomicU64>,
}

/// The place that a [`Metered`] reader is at.
#[derive(Clone, Default)]
pub(super) struct Meter {
    at: Arc<AtomicU64>,
    /// The length of the file, if there is one and it is read from front to back.
    pub(super) length: Option<u64>,
}

impl Meter {
    pub(super) fn attach(&self, reader: Box<dyn Reader>) -> Box<dyn Reader> {
        match self.length {
            Some(_) => Box::new(Metered {
                reader,
                at: Arc::clone(&self.at),
            }),
            None => reader,
        }
    }

    /// Bytes read and bytes in all, where both are known.
    pub(super) fn bytes(&self) -> Option<(u64, u64)> {
        let at = self.at.load(Ordering::Relaxed);
        let length = self.length?;
        (at > 0 && at <= length).then_some((at, length))
    }
}

impl Reader for Metered {
    fn info(&self) -> &DatasetInfo {
        self.reader.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.reader.read(utt)?;
        if let Some(at) = self.reader.info().offset {
            self.at.store(at, Ordering::Relaxed);
        }
        Ok(more)
    }
}
