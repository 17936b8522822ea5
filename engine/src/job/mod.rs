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
use spr_core::format::{ErrorPolicy, Registry};
use spr_core::loss::LossKind;
use spr_core::model::{Dtype, Utterance};

use crate::argument::Target;
use crate::plan::{Input, Labels, Plan};
use crate::step::Step;
use branch::labels_of;
pub use conversion::Conversion;
use opening::Opening;
pub use outcome::{Observer, Outcome, PartTotals, Progress};
use running::Running;

/// A plan to be run.
///
/// ```
/// use std::sync::Arc;
/// use spr_core::bytes::{Env, MemoryStore};
/// use spr_core::format::Registry;
/// use spr_engine::argument::{Input, Target};
/// use spr_engine::job::Job;
///
/// let store = MemoryStore::new();
/// store.insert("a.ark", b"ann [ 1 2 ]\nbob [ 3 4 ]\n".to_vec());
/// let env = Env::default().with_store(Arc::new(store.clone()));
/// let registry = Registry::new([&spr_format_kaldi::FORMAT as _]);
/// let inputs = Input::parse("a.ark", None, &[], &registry, &env)?;
/// let target = Target::parse("ark,t:b.ark", None, &[], &registry, &env)?;
/// let job = Job::new(inputs, &target).step("first", [("n", "1")])?.overwrite(true);
/// let outcome = job.run(&registry, &env, &mut ())?;
/// assert_eq!(outcome.written.utterances, 1);
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The plan.
    pub plan: Plan,
}

impl From<Plan> for Job {
    fn from(plan: Plan) -> Self {
        Self { plan }
    }
}

impl Job {
    /// Creates a conversion of `inputs` to `target` that permits no loss, except of boundaries by
    /// data options, and stops at the first error.
    pub fn new(inputs: Vec<Input>, target: &Target) -> Self {
        let mut plan = Plan::new(inputs);
        plan.output = Some(target.sink().clone());
        Self { plan }
    }

    /// Adds a step.
    ///
    /// # Errors
    /// There is no such step, or a value is wrong.
    pub fn step<'a>(
        mut self,
        name: &str,
        values: impl IntoIterator<Item = (&'a str, impl Into<String>)>,
    ) -> Result<Self> {
        self.plan.steps.push(Step::new(name, values)?);
        Ok(self)
    }

    /// Joins the labels of another data set by key.
    #[must_use]
    pub fn labels(mut self, labels: Labels) -> Self {
        self.plan.joins.labels = Some(labels);
        self
    }

    /// Writes labels to an output of their own.
    #[must_use]
    pub fn labels_to(mut self, target: &Target) -> Self {
        self.plan.labels_output = Some(target.sink().clone());
        self
    }

    /// Changes the element type of features.
    #[must_use]
    pub fn dtype(mut self, dtype: Dtype) -> Self {
        self.plan.dtype = Some(dtype);
        self
    }

    /// Allows a loss.
    #[must_use]
    pub fn allow(mut self, kind: LossKind) -> Self {
        self.plan.policy.allow(kind);
        self
    }

    /// Skips and counts faulty utterances.
    #[must_use]
    pub fn skip_errors(mut self) -> Self {
        self.plan.on_error = ErrorPolicy::Skip;
        self
    }

    /// Replaces outputs that exist, if `yes`.
    #[must_use]
    pub fn overwrite(mut self, yes: bool) -> Self {
        self.plan.run.overwrite = yes;
        self
    }

    /// Reads outputs back and compares them before they get their names, if `yes`.
    #[must_use]
    pub fn verify(mut self, yes: bool) -> Self {
        self.plan.run.verify = yes;
        self
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
        while matches!(&read, Err(error) if error.can_continue() && self.plan.skips()) {
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
