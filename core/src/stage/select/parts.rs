//! Selection of fields.

use crate::error::Result;
use crate::format::{FieldSet, Reader};
use crate::model::{DatasetInfo, Utterance};

/// Clears the fields of utterances that are not requested.
pub(crate) struct SelectFields {
    inner: Box<dyn Reader>,
    parts: FieldSet,
    info: DatasetInfo,
}

impl SelectFields {
    /// Keeps the fields `parts` of the utterances of `inner`.
    pub(crate) fn new(inner: Box<dyn Reader>, parts: FieldSet) -> Self {
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

#[warn(clippy::missing_trait_methods)]
impl Reader for SelectFields {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        self.parts.keep(utt);
        Ok(more)
    }
}
