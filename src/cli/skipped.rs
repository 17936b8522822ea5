//! Skipped utterances of verbs that only read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use spr_core::Error;
use spr_core::bytes::Env;
use spr_core::format::Registry;

use super::args::ReadArgs;
use super::exit::{DONE, SKIPPED};
use super::{messages, remedy};
use crate::plan::Plan;

/// Entries that were passed over, told one by one and counted.
#[derive(Clone, Default)]
pub(super) struct SkipCounter {
    count: Arc<AtomicU64>,
    /// Whether there are several inputs, so that one that cannot be read is skipped as a whole.
    several: bool,
    told: Arc<Mutex<Teller>>,
}

impl SkipCounter {
    /// Counts the skipped utterances that `env` reports from now on. With `several` inputs one may be
    /// skipped as a whole.
    pub(super) fn listen(
        several: bool,
        args: &ReadArgs,
        registry: &Registry,
        env: &mut Env,
    ) -> Self {
        let skipped = Self {
            told: Arc::new(Mutex::new(Teller::new(args.quiet, registry))),
            several,
            ..Self::default()
        };
        let own = skipped.clone();
        *env = env.telling_skipped(move |error| own.add(error));
        skipped
    }

    /// Counts and tells one.
    pub(super) fn add(&self, error: &Error) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.tell(error);
    }

    /// Returns `true` if an error ends one of several inputs whose rest is skipped, and reports it.
    pub(super) fn passes(&self, input: &Plan, error: &Error) -> bool {
        let passes = self.several && input.on_error().skips() && error.ends_one_input();
        if passes {
            self.add(&error.copy().file(input.text()));
        }
        passes
    }

    /// Returns the number so far.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The exit status of a run that ended with `status` otherwise. Says how many there were.
    pub(super) fn status(&self, status: u8) -> u8 {
        let count = self.count();
        if count == 0 {
            return status;
        }
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.quiet {
            messages::plain(&format!("{count} skipped"));
        }
        match status {
            DONE => SKIPPED,
            status => status,
        }
    }
}

/// Tells what is skipped, with what can be done about it where that is something else than before.
#[derive(Default)]
pub(super) struct Teller {
    quiet: bool,
    hint: String,
    registry: Registry,
}

impl Teller {
    pub(super) fn new(quiet: bool, registry: &Registry) -> Self {
        Self {
            quiet,
            hint: String::new(),
            registry: registry.clone(),
        }
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// An error as it stands in a log.
    pub(super) fn json(&self, error: &Error) -> Value {
        messages::error_json(error, &self.registry)
    }

    /// Tells of one, also where all else is quiet, as data are left out.
    pub(super) fn tell(&mut self, error: &Error) {
        messages::say("skipped", &error.to_string());
        if self.quiet {
            return;
        }
        let hint = remedy::hint(error, &self.registry);
        if let Some(hint) = hint.filter(|hint| *hint != self.hint) {
            messages::say("hint", &hint);
            self.hint = hint;
        }
    }
}
