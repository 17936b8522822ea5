//! The plan of a run: what is read, what joins, what happens to utterances, where they go.
//!
//! A [`Plan`] is plain data. It compares, prints as JSON with a version number, knows no format by
//! name, and opens nothing. All that has to know what a run does reads it: the
//! [order] of the stages, `--explain`, what may be sharded, the identity of a shard, which
//! files are fingerprinted, what passes in chunks of rows.

mod input;
mod joins;
pub(crate) mod numbered;
pub mod order;
mod sink;
mod split;
mod step;

use serde::{Deserialize, Serialize};
use spr_core::bytes::{Env, Location, PathMap};
use spr_core::format::{ErrorPolicy, Request};
use spr_core::loss::{LossKind, LossPolicy};
use spr_core::model::Dtype;
use spr_core::{Error, Result};

pub use input::Input;
pub use joins::{Joins, Labels};
pub use numbered::PartName;
pub use order::Work;
pub(crate) use order::of_input;
pub use sink::Sink;
pub use split::{Balance, Rule, Speakers, Split};
pub use step::{Owner, PlanStep};

use crate::step::{Phase, Step};

/// The version of the plan's JSON.
pub const VERSION: u32 = 1;

/// The inputs, steps and outputs of a run. A [`PlanBuilder`](crate::builder::PlanBuilder) makes it.
///
/// ```
/// use spr_core::bytes::Env;
/// use spr_core::format::Registry;
/// use spr_engine::builder::PlanBuilder;
/// use spr_engine::plan::Plan;
/// let plan = PlanBuilder::new(&Registry::default(), &Env::default())
///     .input("feats.ark,context=5")?
///     .finish()?;
/// let json = serde_json::to_string(&plan).unwrap();
/// assert_eq!(serde_json::from_str::<Plan>(&json).unwrap().steps(), plan.steps());
/// assert_eq!(plan.steps()[0].step().to_string(), "context(5,5)");
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of the schema.
    pub(crate) version: u32,
    /// The data sets to read, one after the other.
    pub(crate) inputs: Vec<Input>,
    /// Where files are now that are named inside files.
    #[serde(default)]
    pub(crate) paths: PathMap,
    /// Data that join all of them.
    pub(crate) joins: Joins,
    /// All steps; those of one owner are in their order.
    pub(crate) steps: Vec<PlanStep>,
    /// Whether a key that two inputs have is an error.
    pub(crate) distinct: bool,
    /// The output; `None` for a run that only reads.
    pub(crate) output: Option<Sink>,
    /// The output of labels on their own.
    pub(crate) labels_output: Option<Sink>,
    /// The manifest of the sound files that the output consists of.
    #[serde(default)]
    pub(crate) manifest: Option<Sink>,
    /// The distribution of utterances over parts of the outputs.
    pub(crate) split: Option<Split>,
    /// The new element type of the features, if it changes.
    pub(crate) dtype: Option<Dtype>,
    /// The element type of labels.
    pub(crate) label_dtype: Option<Dtype>,
    /// The permitted losses.
    pub(crate) policy: LossPolicy,
    /// Whether what is whole of damaged data is read.
    pub(crate) damaged: bool,
    /// Settings of the run that do not change the output.
    pub(crate) run: Run,
}

/// Settings of a run. None of them changes a byte of the output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Whether existing files, and the content of folders, may be replaced.
    pub(crate) overwrite: bool,
    /// Whether files may be added to an existing folder.
    pub(crate) add: bool,
    /// Whether nothing is written.
    pub(crate) dry_run: bool,
    /// Whether outputs are read back and compared before they get their names.
    pub(crate) verify: bool,
    /// Whether the outcome includes a hash of the output.
    pub(crate) hash: bool,
}

impl Plan {
    /// A plan without inputs that refuses every loss and stops at the first fault.
    pub(crate) fn empty() -> Self {
        Self {
            version: VERSION,
            inputs: Vec::new(),
            paths: PathMap::default(),
            joins: Joins::default(),
            steps: Vec::new(),
            distinct: true,
            output: None,
            labels_output: None,
            manifest: None,
            split: None,
            dtype: None,
            label_dtype: None,
            policy: LossPolicy::default(),
            damaged: false,
            run: Run::default(),
        }
    }

    /// Returns the data sets that are read, one after the other.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Returns the only data set that is read.
    ///
    /// # Errors
    /// There are several.
    pub fn only(&self) -> Result<&Input> {
        match self.inputs.as_slice() {
            [only] => Ok(only),
            _ => Err(Error::usage("expected one file, found several").file(self.text())),
        }
    }

    /// Returns the plan of one of the inputs by itself, with its own steps and joins, and without
    /// outputs.
    #[must_use]
    pub fn of_input(&self, input: &Input) -> Self {
        let owner = Owner::Input(input.number);
        let own = self.steps.iter().filter(|step| step.owner == owner);
        Self {
            inputs: vec![input.clone()],
            paths: self.paths.clone(),
            steps: own.cloned().collect(),
            ..Self::empty()
        }
    }

    /// Returns the name of the first data set as typed, without secrets of URLs.
    pub fn text(&self) -> &str {
        self.inputs.first().map_or("", Input::text)
    }

    /// Returns the file that is read, if it is one.
    pub fn file(&self) -> Option<&Location> {
        self.only().ok()?.file()
    }

    /// Returns the folder that is read, if it is one.
    pub fn folder(&self) -> Option<&Location> {
        self.only().ok()?.folder()
    }

    /// Returns all steps. Those of one owner are in their order.
    pub fn steps(&self) -> &[PlanStep] {
        &self.steps
    }

    /// The steps of an owner, in their order.
    pub(crate) fn steps_of(&self, owner: Owner) -> impl Iterator<Item = &Step> {
        let own = self.steps.iter().filter(move |step| step.owner == owner);
        own.map(|step| &step.step)
    }

    /// The steps on the utterances of all inputs, in their order.
    pub(crate) fn steps_on_all(&self) -> impl Iterator<Item = &Step> {
        self.steps_of(Owner::Inputs)
            .chain(self.steps_of(Owner::Output))
    }

    /// Adds a step on each input by itself, at its place in the order of data options.
    pub(crate) fn add_to_each(&mut self, step: &Step) {
        let phase = step.kind().phase;
        for input in &self.inputs {
            let owner = Owner::Input(input.number);
            let is_later =
                |other: &PlanStep| other.owner == owner && other.step.kind().phase > phase;
            let at = self.steps.iter().position(is_later);
            let at = at.unwrap_or(self.steps.len());
            let step = step.clone();
            self.steps.insert(at, PlanStep { owner, step });
        }
    }

    /// Returns `true` if something joins the inputs.
    pub fn has_joins(&self) -> bool {
        let own = self.inputs.iter().map(|input| &input.joins);
        own.chain([&self.joins]).any(|joins| !joins.is_empty())
    }

    /// Returns the output of the data, if there is one.
    pub fn output(&self) -> Option<&Sink> {
        self.output.as_ref()
    }

    /// Returns the outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &Sink> {
        let labels = self.labels_output.iter();
        self.output.iter().chain(labels).chain(&self.manifest)
    }

    /// Returns the distribution of utterances over parts of the outputs.
    pub fn split(&self) -> Option<&Split> {
        self.split.as_ref()
    }

    /// Returns `true` if existing files, and the content of folders, may be replaced.
    pub fn overwrites(&self) -> bool {
        self.run.overwrite
    }

    /// Returns `true` if nothing is written.
    pub fn is_dry_run(&self) -> bool {
        self.run.dry_run
    }

    /// Splits off the labels that join the data, to be compared with them.
    pub fn split_labels(&self) -> (Self, Option<Labels>) {
        let mut plan = self.clone();
        let inputs = plan.inputs.iter_mut().map(|input| &mut input.joins);
        let joins = inputs.chain([&mut plan.joins]);
        let labels = joins.filter_map(|joins| joins.labels.take()).last();
        (plan, labels)
    }

    /// The files and folders of the inputs, and of what joins them, as far as they are named.
    pub(crate) fn data(&self) -> Vec<Location> {
        let inputs = self.inputs.iter().flat_map(Input::sources);
        inputs.chain(self.joins.sources()).collect()
    }

    /// The inputs that have to be there: one of several that is missing may be skipped.
    pub(crate) fn needed(&self) -> impl Iterator<Item = &Input> {
        let several = self.inputs.len() > 1;
        let all = self.inputs.iter();
        all.filter(move |input| !(several && input.on_error.skips()))
    }

    /// Returns the files and folders that are read, as far as they are named.
    pub fn sources(&self) -> Vec<Location> {
        let files = self.steps.iter().flat_map(|step| step.step.files());
        let split = self.split.iter().filter_map(Split::file);
        let others = files.map(Location::from).chain(split);
        self.data().into_iter().chain(others).collect()
    }

    /// Returns what is requested of the inputs in any case.
    pub(crate) fn request(&self) -> Request {
        match self.damaged {
            true => Request::all().damaged(),
            false => Request::all(),
        }
    }

    /// Returns `Skip` if faulty utterances are skipped, at least of one input.
    pub fn on_error(&self) -> ErrorPolicy {
        let inputs = self.inputs.iter().map(|input| input.on_error);
        inputs.fold(ErrorPolicy::Stop, ErrorPolicy::or)
    }

    /// Returns the plan with faulty utterances skipped.
    #[must_use]
    pub fn skipping(mut self) -> Self {
        for input in &mut self.inputs {
            input.on_error = ErrorPolicy::Skip;
        }
        self
    }

    /// Returns `true` if an error affects an utterance that is skipped, and reports it.
    pub fn skips(&self, error: &Error, env: &Env) -> bool {
        let skips = self.on_error().skips() && error.can_continue();
        if skips {
            env.tell_skipped(error);
        }
        skips
    }

    /// Returns the permitted losses, with those that data options ask for.
    pub fn policy(&self) -> LossPolicy {
        let mut policy = self.policy.clone();
        if self.inputs.iter().any(|input| self.mixes(input)) {
            policy.allow(LossKind::Boundaries);
        }
        policy
    }

    /// Returns `true` if the outputs are cut into PDNN's partitions, one per part.
    pub fn cuts(&self) -> bool {
        self.split.is_none() && self.output.as_ref().is_some_and(Sink::is_numbered)
    }

    /// Returns `true` if frames of an input are shuffled by its data options, so that the result is
    /// partitions instead of utterances.
    pub fn shuffles(&self) -> bool {
        self.inputs.iter().any(|input| self.shuffles_input(input))
    }

    fn shuffles_input(&self, input: &Input) -> bool {
        self.steps_of(Owner::Input(input.number))
            .any(|step| step.kind().phase == Phase::Shuffle)
    }

    /// Returns `true` if the boundaries of an input's utterances become meaningless.
    pub(crate) fn mixes(&self, input: &Input) -> bool {
        self.shuffles_input(input) || input.partition.is_some()
    }

    /// Returns the first setting that needs several utterances at once, as the user typed it. A shard of
    /// the data can't do it.
    pub fn across(&self) -> Option<String> {
        let of_inputs = self.inputs.iter().find_map(|input| {
            let asked = [
                (self.shuffles_input(input), "random=True"),
                (input.partition.is_some(), "partition"),
                (input.stream == Some(true), "stream"),
            ];
            asked
                .into_iter()
                .find_map(|(asked, name)| asked.then(|| name.to_owned()))
        });
        let step = || {
            let mut steps = self.steps.iter().map(PlanStep::step);
            let step = steps.find(|step| step.looks_across())?;
            Some(format!("the step {}", step.name()))
        };
        let split = || self.split.as_ref().map(|_| "split".to_owned());
        let parts = || self.cuts().then(|| "{part}".to_owned());
        of_inputs.or_else(step).or_else(split).or_else(parts)
    }
}
