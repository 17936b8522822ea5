//! Plans: what the builder makes of calls, what it refuses, and what comes of a plan.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod inputs;
mod joins;
mod rules;
mod steps;

use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, MemoryStore};
use spr_core::format::{Registry, Request};
use spr_core::model::Utterance;
use spr_core::{Error, Result};
use spr_engine::builder::PlanBuilder;
use spr_engine::job::Job;
use spr_engine::plan::Plan;

/// Files in memory, and what was reported about them.
struct Files {
    store: MemoryStore,
    env: Env,
    registry: Registry,
    skipped: Arc<Mutex<Vec<String>>>,
}

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let store = MemoryStore::new();
        for (name, text) in files {
            store.insert(*name, text.as_bytes().to_vec());
        }
        let skipped = Arc::<Mutex<Vec<String>>>::default();
        let heard = skipped.clone();
        let env = Env::default()
            .with_store(Arc::new(store.clone()))
            .listening(|_| {})
            .telling_skipped(move |error| heard.lock().unwrap().push(error.to_string()));
        let registry = Registry::new([
            &spr_format_kaldi::FORMAT as _,
            &spr_format_jsonl::FORMAT as _,
        ]);
        Self {
            store,
            env,
            registry,
            skipped,
        }
    }

    fn builder(&self) -> PlanBuilder {
        PlanBuilder::new(&self.registry, &self.env)
    }

    /// A plan of one input.
    fn plan(&self, input: &str) -> Plan {
        self.builder().input(input).unwrap().finish().unwrap()
    }

    /// The utterances of a plan, up to the first error.
    fn read(&self, plan: &Plan) -> Result<Vec<Utterance>> {
        let opened = plan.open(Request::all(), &self.registry, &self.env)?;
        let (mut reader, mut all) = (opened.reader, Vec::new());
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            all.push(utt.clone());
        }
        Ok(all)
    }

    fn keys(&self, plan: &Plan) -> Vec<String> {
        let all = self.read(plan).unwrap();
        all.iter().map(|utt| utt.key.to_string()).collect()
    }

    /// Runs a plan, and returns what it wrote to a file.
    fn run(&self, plan: Plan, output: &str) -> String {
        Job::new(plan)
            .run(&self.registry, &self.env, &mut ())
            .unwrap();
        String::from_utf8(self.store.get(output).unwrap()).unwrap()
    }
}

/// The steps of a plan as they are written.
fn steps_of(plan: &Plan) -> Vec<String> {
    plan.steps()
        .iter()
        .map(|own| own.step().to_string())
        .collect()
}

/// The message of the error that a call ends with.
fn refused<T>(result: Result<T>) -> String {
    result
        .err()
        .as_ref()
        .map(Error::to_string)
        .expect("an error")
}
