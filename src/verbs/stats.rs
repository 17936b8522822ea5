//! `stats`: data sets with their sound, as far as that is there. [`spr_stats`] sums up.

use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry, Request};
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::stage::load;
use spr_core::{Error, ErrorKind, Result};

use crate::argument::Input;

/// The utterances of a data set with the samples of their sound. Sound that is somewhere else and can't
/// be opened stays where it is.
pub struct Heard {
    inner: Box<dyn Reader>,
    input: Input,
    env: Env,
    /// How many have sound that could not be opened, and why not for the first.
    unheard: u64,
    first: Option<Error>,
}

impl Heard {
    /// Opens a data set; its format's name comes beside.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn open(input: &Input, registry: &Registry, env: &Env) -> Result<(Self, &'static str)> {
        let opened = input.open(Request::all(), registry, env)?;
        let heard = Self {
            inner: opened.reader,
            input: input.clone(),
            env: env.clone(),
            unheard: 0,
            first: None,
        };
        Ok((heard, opened.format.info().name))
    }

    /// What is to be told of sound that could not be opened, if there was any.
    pub fn told(self) -> Option<Error> {
        let first = self.first?;
        let of = match self.unheard {
            1 => "its sound".to_owned(),
            n => format!("the sound of {n} utterances, of which this is the first,"),
        };
        Some(first.context(format!("{of} was not read")))
    }
}

impl Reader for Heard {
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
                    self.unheard += 1;
                    self.first.get_or_insert(error);
                    return Ok(true);
                }
                _ if self.input.skips(&error) => {}
                _ => return Err(error),
            }
        }
        Ok(false)
    }
}
