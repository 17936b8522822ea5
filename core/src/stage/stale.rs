//! Header lines that a stage makes untrue.

use crate::Error;
use crate::bytes::Env;
use crate::model::{Described, Utterance};

/// Leaves out the header lines that describe what a stage changes, and says so once.
pub(super) struct Stale {
    changed: Described,
    env: Option<Env>,
    told: bool,
}

impl Stale {
    /// For a stage that changes this.
    pub(super) fn new(changed: Described) -> Self {
        Self {
            changed,
            env: None,
            told: false,
        }
    }

    /// Has somebody to tell.
    pub(super) fn tell(&mut self, env: &Env) {
        self.env = Some(env.clone());
    }

    /// Leaves them out of what is known of `utt`.
    pub(super) fn leave_out(&mut self, utt: &mut Utterance) {
        let Some(tag) = utt.meta.forget(self.changed) else {
            return;
        };
        if let (Some(env), false) = (&self.env, std::mem::replace(&mut self.told, true)) {
            let what = match self.changed {
                Described::Columns => "columns",
                Described::Frames => "frames",
                Described::Recording => "recording",
            };
            let key = tag.key.escape_ascii();
            let message =
                format!("the header line {key} is about the {what} as they were and is left out");
            env.warn(&Error::unfit(message).utterance(&utt.key));
        }
    }
}
