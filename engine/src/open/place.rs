//! Data that start at a position in a file.

use spr_core::bytes::Location;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{ErrorKind, Remedy, Result};

/// Adds to an error in the first entry that the position may be wrong.
pub(super) struct AtPlace {
    inner: Box<dyn Reader>,
    /// The name of the file, until an entry was read.
    file: Option<String>,
}

impl AtPlace {
    /// Wraps `inner`, which starts at a position in `file`.
    pub(super) fn new(inner: Box<dyn Reader>, file: &Location) -> Self {
        Self {
            inner,
            file: Some(file.told()),
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for AtPlace {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let read = self.inner.read(utt);
        let Some(file) = self.file.take() else {
            return read;
        };
        read.map_err(|error| match error.kind() {
            ErrorKind::Malformed | ErrorKind::Truncated => {
                let message = "no utterance seems to start at that byte";
                let remedy = Remedy::ListStarts(file);
                error.context(message).suggest_instead(remedy)
            }
            _ => error,
        })
    }
}
