//! Dropping of tags that a stage invalidates.

use crate::bytes::Env;
use crate::error::Error;
use crate::model::{TagSubject, Utterance};

/// Drops tags about a property that a stage changes, and warns once.
pub(super) struct Stale {
    changed: TagSubject,
    env: Option<Env>,
    told: bool,
}

impl Stale {
    /// Creates it for a changed property.
    pub(super) fn new(changed: TagSubject) -> Self {
        Self {
            changed,
            env: None,
            told: false,
        }
    }

    /// Enables the warning.
    pub(super) fn tell(&mut self, env: &Env) {
        self.env = Some(env.clone());
    }

    /// Drops them from `utt`.
    pub(super) fn leave_out(&mut self, utt: &mut Utterance) {
        let Some(tag) = utt.meta.forget(self.changed) else {
            return;
        };
        if let (Some(env), false) = (&self.env, std::mem::replace(&mut self.told, true)) {
            let what = match self.changed {
                TagSubject::Columns => "columns",
                TagSubject::Frames => "frames",
                TagSubject::Recording => "recording",
                TagSubject::Key => "name",
            };
            let key = tag.key.escape_ascii();
            let message =
                format!("the header line {key} is about the {what} as they were and is left out");
            env.warn(&Error::unfit(message).utterance(&utt.key));
        }
    }
}
