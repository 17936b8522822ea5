//! Some parts of each utterance.

use crate::Result;
use crate::format::{Parts, Reader};
use crate::model::{DatasetInfo, Utterance};

/// The utterances of a reader without the parts that nobody wants.
pub struct SelectParts {
    inner: Box<dyn Reader>,
    parts: Parts,
    info: DatasetInfo,
}

impl SelectParts {
    /// These `parts` of the utterances of `inner`.
    pub fn new(inner: Box<dyn Reader>, parts: Parts) -> Self {
        let mut info = inner.info().clone();
        if !parts.features {
            (info.dim, info.dtype) = (None, None);
        }
        if !parts.labels {
            info.label_columns = None;
        }
        if !parts.audio {
            info.sample_rate = None;
        }
        Self { inner, parts, info }
    }
}

impl Reader for SelectParts {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        self.parts.keep(utt);
        Ok(more)
    }
}
