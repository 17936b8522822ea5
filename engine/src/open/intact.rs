//! Sound that a data set names, which has to be there where what is intact is wanted.

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::recording;
use spr_core::{Remedy, Result};

/// Passes on the utterances whose sound can be read, which stays in the form it has. The others are
/// errors that [can continue](spr_core::Error::can_continue).
pub(crate) struct IntactSound {
    inner: Box<dyn Reader>,
    env: Env,
}

impl IntactSound {
    pub(crate) fn new(inner: Box<dyn Reader>, env: &Env) -> Self {
        Self {
            inner,
            env: env.clone(),
        }
    }

    /// Reads the sound of an utterance, unless it is samples already or may not be looked at.
    fn check(&mut self, utt: &Utterance) -> Result<()> {
        match recording::read(utt, &self.env) {
            Err(error)
                if !matches!(
                    error.remedy(),
                    Some(Remedy::AllowPipes | Remedy::AllowCommands)
                ) =>
            {
                Err(error.utterance(&utt.key).continuable())
            }
            _ => Ok(()),
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for IntactSound {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if more {
            self.check(utt)?;
        }
        Ok(more)
    }
}
