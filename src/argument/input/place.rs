//! Data that start somewhere in a file.

use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{ErrorKind, Result};

/// Says of a fault in the first entry that it may be the place that is wrong.
pub(super) struct AtPlace {
    inner: Box<dyn Reader>,
    /// What was typed, until something was read.
    typed: Option<String>,
}

impl AtPlace {
    /// The utterances of `inner`, which starts where `typed` says.
    pub(super) fn new(inner: Box<dyn Reader>, typed: &str) -> Self {
        Self {
            inner,
            typed: Some(typed.to_owned()),
        }
    }
}

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
                error
                    .context(message)
                    .suggest_instead(spr_core::Remedy::Advice(format!(
                        "`spr-convert ls {file}` shows where utterances start"
                    )))
            }
            _ => error,
        })
    }
}
