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
use spr_core::format::{ErrorPolicy, Registry};
use spr_core::{Error, Result};
use spr_engine::builder::PlanBuilder;
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
        self.job_with(output, |_| {})
    }

    /// A job of `in.ark`, whose plan `change` completes.
    fn built(&self, output: &str, change: impl FnOnce(&mut PlanBuilder)) -> Job {
        let mut builder = PlanBuilder::new(&self.registry, &self.env);
        builder.input("in.ark").unwrap().output(output).unwrap();
        change(&mut builder);
        Job::new(builder.finish().unwrap())
    }

    /// The job that [`job`](Self::job) makes, with a plan that `change` completes.
    fn job_with(&self, output: &str, change: impl FnOnce(&mut PlanBuilder)) -> Job {
        self.built(output, |builder| {
            builder.stages("check(dim=2)").unwrap();
            change(builder.on_error(ErrorPolicy::Skip));
        })
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
