//! Data that start at a position in a file.

use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{ErrorKind, Remedy, Result};

/// Adds to an error in the first entry that the position may be wrong.
pub(super) struct AtPlace {
    inner: Box<dyn Reader>,
    /// The argument as typed, until an entry was read.
    typed: Option<String>,
}

impl AtPlace {
    /// Wraps `inner`, which starts at the position in `typed`.
    pub(super) fn new(inner: Box<dyn Reader>, typed: &str) -> Self {
        Self {
            inner,
            typed: Some(typed.to_owned()),
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
        let Some(typed) = self.typed.take() else {
            return read;
        };
        read.map_err(|error| match error.kind() {
            ErrorKind::Malformed | ErrorKind::Truncated => {
                let (file, _) = typed.rsplit_once(':').unwrap_or((&typed, ""));
                let message = "no utterance seems to start at that byte";
                let remedy = Remedy::ListStarts(file.to_owned());
                error.context(message).suggest_instead(remedy)
            }
            _ => error,
        })
    }
}
