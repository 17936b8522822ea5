//! Warnings about what was asked for and changed nothing, as no utterance has what it works on.

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{Error, Result};

/// What something works on: a word for people, and whether an utterance has it.
#[derive(Clone, Copy)]
pub(crate) struct Needed {
    /// The word, such as "sound".
    pub(crate) what: &'static str,
    /// Returns `true` if an utterance has it.
    pub(crate) is_in: fn(&Utterance) -> bool,
}

/// A reader that warns at the end if no utterance had what is needed. Empty data need nothing.
pub(crate) struct Unmet {
    inner: Box<dyn Reader>,
    needed: Needed,
    /// What needs it, as the user wrote it.
    asked: String,
    /// Whether an utterance had it; `None` before the first.
    met: Option<bool>,
    env: Env,
}

impl Unmet {
    /// The utterances of `inner`, of which `asked` needs something.
    pub(crate) fn new(inner: Box<dyn Reader>, needed: Needed, asked: String, env: &Env) -> Self {
        Self {
            inner,
            needed,
            asked,
            met: None,
            env: env.clone(),
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Unmet {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if more && self.met != Some(true) {
            self.met = Some((self.needed.is_in)(utt));
        }
        if !more && self.met.take() == Some(false) {
            let (asked, what) = (&self.asked, self.needed.what);
            let message = format!("{asked} changes nothing: no utterance has {what}");
            self.env.warn(&Error::unfit(message));
        }
        Ok(more)
    }
}
