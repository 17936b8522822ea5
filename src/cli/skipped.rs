//! What verbs that only read pass over.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use spr_core::Error;

use super::args::{OnErrorArg, ReadArgs};
use super::exit::{DONE, SKIPPED};
use super::{messages, remedy};
use crate::argument::Input;

/// Entries that were passed over, told one by one and counted.
#[derive(Clone, Default)]
pub(super) struct Skipped {
    count: Arc<AtomicU64>,
    told: Arc<Mutex<Teller>>,
}

impl Skipped {
    /// Passes over bad entries of the inputs that ask for it, or of all if the flags do.
    pub(super) fn listen(inputs: &mut [Input], args: &ReadArgs) -> Self {
        let skipped = Self {
            told: Arc::new(Mutex::new(Teller::new(args.quiet))),
            ..Self::default()
        };
        let wanted = |input: &&mut Input| wants(input, args);
        for input in inputs.iter_mut().filter(wanted) {
            let own = skipped.clone();
            input.skip_errors(Arc::new(move |error| own.add(error)));
        }
        skipped
    }

    /// Counts and tells one.
    pub(super) fn add(&self, error: &Error) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.tell(error);
    }

    /// How many there are by now.
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

/// Whether bad entries of an input are to be passed over.
pub(super) fn wants(input: &Input, args: &ReadArgs) -> bool {
    input.is_permissive() || args.on_error == OnErrorArg::Skip
}

/// Tells what is skipped, with what can be done about it where that is something else than before.
#[derive(Default)]
pub(super) struct Teller {
    quiet: bool,
    hint: String,
}

impl Teller {
    pub(super) fn new(quiet: bool) -> Self {
        Self {
            quiet,
            hint: String::new(),
        }
    }

    pub(super) fn tell(&mut self, error: &Error) {
        if self.quiet {
            return;
        }
        messages::say("skipped", &error.to_string());
        if let Some(hint) = remedy::hint(error).filter(|hint| *hint != self.hint) {
            messages::say("hint", &hint);
            self.hint = hint;
        }
    }
}
