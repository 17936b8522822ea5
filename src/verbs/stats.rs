//! `stats`: data sets with their audio, as far as available. [`spr_stats`] computes the sums.

use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry, Request};
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::stage::load;
use spr_core::{Error, ErrorKind, Result};

use super::faults::Faults;
use crate::argument::Input;

/// The utterances of a data set with their audio as samples. Referenced audio that cannot be opened
/// is not loaded.
pub struct AudioLoader {
    inner: Box<dyn Reader>,
    input: Input,
    env: Env,
    /// The utterances whose audio could not be opened nor skipped.
    unheard: Faults,
}

impl AudioLoader {
    /// Opens a data set, and returns the name of its format as well.
    ///
    /// # Errors
    /// As for [`Input::open`].
    pub fn open(input: &Input, registry: &Registry, env: &Env) -> Result<(Self, &'static str)> {
        let opened = input.open(Request::all(), registry, env)?;
        let heard = Self {
            inner: opened.reader,
            input: input.clone(),
            env: env.clone(),
            unheard: Faults::default(),
        };
        Ok((heard, opened.format.info().name))
    }

    /// Returns the error about audio that could not be opened, if there is any that is not skipped.
    pub fn fault(self) -> Option<Error> {
        self.unheard.first()
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for AudioLoader {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            let Err(error) = load(utt, &self.env) else {
                return Ok(true);
            };
            let error = error.utterance(&utt.key).continuable();
            match error.kind() {
                ErrorKind::Io | ErrorKind::Usage | ErrorKind::Unsupported => {
                    let error = error.context("its sound was not read");
                    if !self.input.skips(&error, &self.env) {
                        self.unheard.add(error);
                    }
                    return Ok(true);
                }
                _ if self.input.skips(&error, &self.env) => {}
                _ => return Err(error),
            }
        }
        Ok(false)
    }
}
