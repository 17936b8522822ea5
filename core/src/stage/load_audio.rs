//! Loading of encoded or referenced audio.

use crate::bytes::Env;
use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};
use crate::recording;

/// Loads and decodes the audio of each utterance to samples. Commands in references run only if the
/// [`Env`] allows commands in files.
pub(crate) struct LoadAudio {
    inner: Box<dyn Reader>,
    env: Env,
}

impl LoadAudio {
    /// Loads the audio of `inner`.
    pub(crate) fn new(inner: Box<dyn Reader>, env: &Env) -> Self {
        Self {
            inner,
            env: env.clone(),
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for LoadAudio {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    /// # Errors
    /// Audio cannot be loaded; the next utterance can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if more {
            let loaded = recording::load(utt, &self.env);
            loaded.map_err(|e| e.utterance(&utt.key).continuable())?;
        }
        Ok(more)
    }
}
