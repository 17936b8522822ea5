//! Jobs with all that they write: data, error logs, reports, records of shards.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod documents;
mod shards;

use std::ops::ControlFlow;
use std::sync::Arc;

use spr_core::bytes::{Env, MemoryStore};
use spr_core::format::Registry;
use spr_core::{Error, Result};
use spr_engine::argument::{Input, Target};
use spr_engine::job::{Job, Observer, Outcome, Progress};

/// Four utterances, of which `bob` has another number of columns.
const DATA: &[u8] = b"ann [\n1 2 ]\nbob [\n3 ]\ncleo [\n5 6 ]\ndan [\n7 8 ]\n";

/// A store in memory with `in.ark`.
struct Scratch {
    store: MemoryStore,
    registry: Registry,
    env: Env,
}

impl Scratch {
    fn new() -> Self {
        let store = MemoryStore::new();
        store.insert("in.ark", DATA.to_vec());
        Self {
            env: Env::default().with_store(Arc::new(store.clone())),
            registry: Registry::new([&spr_format_kaldi::FORMAT as _]),
            store,
        }
    }

    /// A job that skips `bob`.
    fn job(&self, output: &str) -> Job {
        let inputs = Input::parse("in.ark", None, &[], &self.registry, &self.env).unwrap();
        let job = Job::new(inputs, &self.target(output));
        job.step("check", [("dim", "2")]).unwrap().skip_errors()
    }

    fn target(&self, output: &str) -> Target {
        Target::parse(output, None, &[], &self.registry, &self.env).unwrap()
    }

    fn run(&self, job: &Job) -> Result<Outcome> {
        job.run(&self.registry, &self.env, &mut ())
    }

    fn watched(&self, job: &Job, observer: &mut dyn Observer) -> Result<Outcome> {
        job.run(&self.registry, &self.env, observer)
    }

    /// The names of all files, sorted.
    fn names(&self) -> Vec<String> {
        let names = self.store.locations();
        let mut names: Vec<_> = names.iter().map(ToString::to_string).collect();
        names.sort();
        names
    }

    fn text(&self, name: &str) -> String {
        let bytes = self.store.get(name).unwrap_or_else(|| panic!("no {name}"));
        String::from_utf8(bytes).unwrap()
    }
}

/// An observer that does something after each utterance and before the commit.
struct Watch<F: FnMut()> {
    each: F,
    objects: bool,
}

impl<F: FnMut()> Observer for Watch<F> {
    fn watches(&self) -> bool {
        false
    }

    fn progress(&mut self, _: Progress) -> ControlFlow<()> {
        (self.each)();
        ControlFlow::Continue(())
    }

    fn skipped(&mut self, _: &Error) {}

    fn hint(&self, error: &Error) -> Option<String> {
        error.key().map(|key| format!("leave out {key}"))
    }

    fn written(&mut self, outcome: &Outcome) -> Result<()> {
        match self.objects {
            true => Err(Error::usage(format!(
                "{} are enough",
                outcome.written.utterances
            ))),
            false => Ok(()),
        }
    }
}
