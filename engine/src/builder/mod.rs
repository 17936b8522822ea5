//! Makes plans, in one place for all who have them made: the program's flags, data options, stages, the
//! library's options and Python.
//!
//! What a call says is understood at once. What depends on several calls, such as the type that sound
//! is computed in, is settled in [`PlanBuilder::finish`].

mod inputs;
mod joins;
mod model;
mod outputs;
mod rules;
mod steps;

use spr_core::bytes::{Env, Location};
use spr_core::format::{ErrorPolicy, Format, Registry};
use spr_core::{Error, Result};

use crate::argument::Pair;
use crate::plan::{Owner, Plan, PlanStep};
use joins::Translation;
pub use steps::Duplicates;

/// The only maker of [plans](Plan).
///
/// ```
/// use std::sync::Arc;
/// use spr_core::bytes::{Env, MemoryStore};
/// use spr_core::format::Registry;
/// use spr_engine::builder::PlanBuilder;
/// use spr_engine::job::Job;
///
/// let store = MemoryStore::new();
/// store.insert("a.ark", b"ann [ 1 2 ]\nbob [ 3 4 ]\n".to_vec());
/// let env = Env::default().with_store(Arc::new(store.clone()));
/// let registry = Registry::new([&spr_format_kaldi::FORMAT as _]);
/// let plan = PlanBuilder::new(&registry, &env)
///     .input("a.ark")?
///     .stages("first(1)")?
///     .output("ark,t:b.ark")?
///     .finish()?;
/// let outcome = Job::new(plan).run(&registry, &env, &mut ())?;
/// assert_eq!(outcome.written.utterances, 1);
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone)]
pub struct PlanBuilder {
    registry: Registry,
    env: Env,
    plan: Plan,
    /// The format of inputs that follow.
    from: Option<&'static dyn Format>,
    /// Options of inputs that follow.
    options: Vec<Pair>,
    /// The number of arguments that named inputs.
    arguments: usize,
    /// The number of them that name validation data.
    validation: Option<usize>,
    on_error: ErrorPolicy,
    tolerance: Option<u64>,
    translation: Option<Translation>,
    symbols: Option<Location>,
    /// The format of the output.
    to: Option<&'static dyn Format>,
    output_options: Vec<Pair>,
    keeps_form: bool,
}

impl PlanBuilder {
    /// Begins a plan that reads nothing yet, with the formats and in the surroundings of its run.
    pub fn new(registry: &Registry, env: &Env) -> Self {
        Self::of(Plan::empty(), registry, env)
    }

    /// Goes on with a plan.
    pub fn of(plan: Plan, registry: &Registry, env: &Env) -> Self {
        Self {
            registry: registry.clone(),
            env: env.clone(),
            plan,
            from: None,
            options: Vec::new(),
            arguments: 0,
            validation: None,
            on_error: ErrorPolicy::Stop,
            tolerance: None,
            translation: None,
            symbols: None,
            to: None,
            output_options: Vec::new(),
            keeps_form: false,
        }
    }

    /// Returns the environment.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// Returns the formats.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Settles what depends on several calls, checks all rules, and returns the plan.
    ///
    /// # Errors
    /// Nothing is read, what was asked for contradicts itself, or an input of a run that writes is
    /// missing.
    pub fn finish(&self) -> Result<Plan> {
        let mut plan = self.plan.clone();
        if plan.inputs.is_empty() {
            return Err(Error::usage("no input"));
        }
        if !self.env.path_map().is_empty() {
            plan.paths = self.env.path_map().clone();
        }
        for input in &mut plan.inputs {
            input.on_error = input.on_error.or(self.on_error);
        }
        self.settle_joins(&mut plan)?;
        steps::settle_dtype(&mut plan);
        self.check(&plan)?;
        Ok(plan)
    }

    /// Finishes a plan for each input, for a run that reads them one by one: what joins all of them
    /// joins each, and steps on all work on each.
    ///
    /// # Errors
    /// As for [`finish`](Self::finish).
    pub fn finish_each(&self) -> Result<Vec<Plan>> {
        let plan = self.finish()?;
        let each = plan.inputs.iter().map(|input| {
            let mut own = plan.of_input(input);
            let joins = plan.joins.clone();
            for input in &mut own.inputs {
                if let Some(labels) = joins.labels.clone() {
                    input.join_labels(labels)?;
                }
                input.joins = joins.clone().or(std::mem::take(&mut input.joins));
            }
            let owner = Owner::Input(input.number);
            let steps = plan.steps_on_all().cloned();
            own.steps.extend(steps.map(|step| PlanStep { owner, step }));
            Ok(own)
        });
        each.collect()
    }
}
