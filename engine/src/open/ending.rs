//! Faults that end an input of which something was read.

use spr_core::Result;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};

/// Passes on utterances. An error that ends the data after the first utterance is one that [can
/// continue](spr_core::Error::can_continue), with the end of the data, so that stages keep what was
/// read before.
pub(super) struct SkippableRest {
    inner: Box<dyn Reader>,
    /// Whether something was read, here or by another shard.
    begun: bool,
    ended: bool,
}

impl SkippableRest {
    pub(super) fn new(inner: Box<dyn Reader>, begun: bool) -> Self {
        Self {
            inner,
            begun,
            ended: false,
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for SkippableRest {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        match self.inner.read(utt) {
            Err(error) if self.begun && !error.can_continue() && error.ends_one_input() => {
                self.ended = true;
                Err(error.continuable())
            }
            read => {
                self.begun |= matches!(read, Ok(true));
                read
            }
        }
    }
}
