//! A conversion from start to finish: open, join, adapt, write, commit.

mod branch;
mod conversion;
mod groups;
mod manifest;
mod meter;
mod opening;
mod outcome;
mod parts;
mod places;
mod route;
mod running;
mod speaking;
mod subset;

use spr_core::Result;
use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::model::Utterance;

use crate::argument::Target;
use crate::plan::Plan;
use crate::shard::{Shard, Weights};
use branch::labels_of;
pub use conversion::Conversion;
use opening::Opening;
pub use outcome::{Observer, Outcome, PartTotals, Progress};
use running::Running;

/// A plan to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub(crate) plan: Plan,
}

impl Job {
    /// Creates the job that runs a plan.
    pub fn new(plan: Plan) -> Self {
        Self { plan }
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Replaces existing outputs, which are remains of the same job.
    pub fn replace_remains(&mut self) {
        self.plan.run.overwrite = true;
    }

    /// Reads only the entries of a shard.
    pub fn take_shard(&mut self, shard: Shard, weights: &Weights, at: (&Registry, &Env)) {
        let inputs = std::mem::take(&mut self.plan.inputs);
        self.plan.inputs = weights.leave(inputs, shard, at);
    }

    /// The outputs with their formats: of the data, and of labels on their own.
    ///
    /// # Errors
    /// A format is unknown, or the plan has no output.
    pub fn targets(&self, registry: &Registry) -> Result<(Target, Option<Target>)> {
        places::targets(&self.plan, registry)
    }

    /// Rejects the caller's own files inside input folders, and records all inputs.
    ///
    /// # Errors
    /// The first rejected file.
    pub fn check_apart(&self, files: &[&Location], env: &Env) -> Result<()> {
        places::check_apart(&self.plan, files, env)
    }

    /// Rejects outputs, as far as their names are known, that are inputs, that coincide, or that
    /// cannot be created. For a caller that reads the inputs before the job [runs](Self::run),
    /// which does the same.
    ///
    /// # Errors
    /// The first rejected output.
    pub fn check_places(&self, registry: &Registry, env: &Env) -> Result<()> {
        places::check_places(&self.plan, registry, env)
    }

    /// The manifest of what is written, with its format.
    ///
    /// # Errors
    /// The format is unknown.
    pub fn manifest(&self, registry: &Registry) -> Result<Option<Target>> {
        places::manifest_target(&self.plan, registry)
    }

    /// Runs the conversion. After an error nothing is left behind.
    ///
    /// # Errors
    /// An input is faulty, a loss is not permitted, or the system refuses.
    pub fn run(
        &self,
        registry: &Registry,
        env: &Env,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
        self.make(registry, env, observer)?.commit([])
    }

    /// Runs the conversion without the commit. After an error nothing is left behind.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn make(
        &self,
        registry: &Registry,
        env: &Env,
        observer: &mut dyn Observer,
    ) -> Result<Conversion> {
        let env = match *env.path_map() == self.plan.paths {
            true => env.clone(),
            false => env.clone().with_path_map(self.plan.paths.clone()),
        };
        let mut running = Running::open(&self.plan, registry, &env, observer.watches())?;
        running.convert(observer)?;
        running.finish()
    }

    /// Determines the variant of the target from the first utterance, for a job that reads only
    /// some of them.
    ///
    /// # Errors
    /// The inputs can't be read.
    pub fn settle_kind(&mut self, registry: &Registry, env: &Env) -> Result<()> {
        let (target, labels) = self.targets(registry)?;
        if !target.follows_data() && !labels.as_ref().is_some_and(Target::follows_data) {
            return Ok(());
        }
        let others: Vec<_> = labels.iter().collect();
        let opening = Opening::of(&self.plan, &target, &others, env)?;
        let mut reader = opening.open(registry, env)?.reader;
        let mut first = Utterance::default();
        let mut read = reader.read(&mut first);
        while matches!(&read, Err(error) if error.can_continue() && self.plan.on_error().skips()) {
            read = reader.read(&mut first);
        }
        if read? {
            self.plan.output = Some(target.suited_to(&first).sink().clone());
            let labels = labels.map(|labels| labels.suited_to(&labels_of(&first)));
            self.plan.labels_output = labels.map(|labels| labels.sink().clone());
        }
        Ok(())
    }
}
