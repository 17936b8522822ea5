//! The plan of a run: what is read, what joins, what happens to utterances, where they go.
//!
//! A [`Plan`] is plain data. It compares, prints as JSON with a version number, knows no format by
//! name, and opens nothing. All that has to know what a run does reads it: the
//! [order] of the stages, `--explain`, what may be sharded, the identity of a shard, which
//! files are fingerprinted, what passes in chunks of rows.

mod input;
pub(crate) mod numbered;
pub mod order;
mod sink;
mod split;

use serde::{Deserialize, Serialize};
use spr_core::bytes::{Location, PathMap};
use spr_core::format::Request;
use spr_core::loss::LossPolicy;
use spr_core::model::Dtype;

pub use input::{Input, Joins, Labels};
pub use numbered::PartName;
pub use order::{Work, of_input};
pub use sink::Sink;
pub use split::{Balance, Rule, Speakers, Split};

use crate::step::Step;

/// The version of the plan's JSON.
pub const VERSION: u32 = 1;

/// The treatment of utterances that cannot be read or converted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnError {
    /// Stops; nothing is written.
    #[default]
    Stop,
    /// Skip it and count it.
    Skip,
}

/// What a run does.
///
/// ```
/// use spr_core::bytes::Env;
/// use spr_core::format::Registry;
/// use spr_engine::plan::{Input, Plan};
/// let (registry, env) = (Registry::default(), Env::default());
/// let inputs = Input::parse("feats.ark,context=5", None, &[], &registry, &env)?;
/// let plan = Plan::new(inputs);
/// let json = serde_json::to_string(&plan).unwrap();
/// assert_eq!(serde_json::from_str::<Plan>(&json).unwrap().steps, plan.steps);
/// assert_eq!(plan.inputs[0].steps[0].to_string(), "context(5,5)");
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// The version of the schema.
    pub version: u32,
    /// The data sets to read, one after the other.
    pub inputs: Vec<Input>,
    /// Where files are now that are named inside files.
    #[serde(default)]
    pub paths: PathMap,
    /// Data that join all of them.
    pub joins: Joins,
    /// The steps on the utterances of all of them, in order.
    pub steps: Vec<Step>,
    /// Whether a key that two inputs have is an error.
    pub distinct: bool,
    /// The output; `None` for a run that only reads.
    pub output: Option<Sink>,
    /// The output of labels on their own.
    pub labels_output: Option<Sink>,
    /// The manifest of the sound files that the output consists of.
    #[serde(default)]
    pub manifest: Option<Sink>,
    /// The distribution of utterances over parts of the outputs.
    pub split: Option<Split>,
    /// The new element type of the features, if it changes.
    pub dtype: Option<Dtype>,
    /// The element type of labels.
    pub label_dtype: Option<Dtype>,
    /// The permitted losses.
    pub policy: LossPolicy,
    /// The treatment of faulty utterances.
    pub on_error: OnError,
    /// Whether what is whole of damaged data is read.
    pub damaged: bool,
    /// Settings of the run that do not change the output.
    pub run: Run,
}

/// Settings of a run. None of them changes a byte of the output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Run {
    /// Whether existing files, and the content of folders, may be replaced.
    pub overwrite: bool,
    /// Whether files may be added to an existing folder.
    pub add: bool,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// Whether outputs are read back and compared before they get their names.
    pub verify: bool,
    /// Whether the outcome includes a hash of the output.
    pub hash: bool,
    /// The number of utterances that the inputs lack, as the runs that wrote them skipped these.
    #[serde(default)]
    pub lacking: u64,
}

impl Plan {
    /// A plan that reads inputs one after the other, refuses every loss, and stops at the first
    /// fault.
    pub fn new(inputs: Vec<Input>) -> Self {
        Self {
            version: VERSION,
            inputs,
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
            on_error: OnError::Stop,
            damaged: false,
            run: Run::default(),
        }
    }

    /// The outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &Sink> {
        let labels = self.labels_output.iter();
        self.output.iter().chain(labels).chain(&self.manifest)
    }

    /// The files and folders of the inputs, and of what joins them, as far as they are named.
    pub(crate) fn data(&self) -> impl Iterator<Item = Location> {
        let inputs = self.inputs.iter().flat_map(Input::sources);
        inputs.chain(self.joins.sources())
    }

    /// The inputs that have to be there: one of several that is missing may be skipped.
    pub fn needed(&self) -> impl Iterator<Item = &Input> {
        let several = self.inputs.len() > 1;
        let skips = move |input: &Input| self.on_error == OnError::Skip || input.permissive;
        let all = self.inputs.iter();
        all.filter(move |input| !(several && skips(input)))
    }

    /// The files and folders that are read, as far as they are named.
    pub fn sources(&self) -> Vec<Location> {
        let own = self.inputs.iter().flat_map(|input| &input.steps);
        let steps = self.steps.iter().chain(own);
        let files = steps.flat_map(Step::files).map(Location::from);
        let split = self.split.iter().filter_map(Split::file);
        self.data().chain(files).chain(split).collect()
    }

    /// Returns what is requested of the inputs in any case.
    pub(crate) fn request(&self) -> Request {
        let request = Request::all().lenient(self.on_error == OnError::Skip);
        match self.damaged {
            true => request.damaged(),
            false => request,
        }
    }

    /// Returns `true` if faulty utterances are skipped, at least of one input.
    pub fn skips(&self) -> bool {
        self.on_error == OnError::Skip || self.inputs.iter().any(|input| input.permissive)
    }

    /// The losses that are allowed, those among them that data options ask for.
    pub fn policy(&self) -> LossPolicy {
        let mut policy = self.policy.clone();
        if self.inputs.iter().any(Input::gives_up_boundaries) {
            policy.allow(spr_core::loss::LossKind::Boundaries);
        }
        policy
    }

    /// Returns `true` if the outputs are cut into PDNN's partitions, one per part.
    pub fn cuts(&self) -> bool {
        self.split.is_none() && self.output.as_ref().is_some_and(Sink::is_numbered)
    }

    /// Gives values a type, also samples that steps calculate, so that they are rounded once.
    pub fn set_dtype(&mut self, dtype: Option<Dtype>) {
        self.dtype = dtype;
        let Some(dtype) = dtype else { return };
        let of_inputs = self.inputs.iter_mut().flat_map(|input| &mut input.steps);
        for step in of_inputs.chain(&mut self.steps) {
            *step = step.clone().with_sample_type(dtype);
        }
    }

    /// The first thing that looks across utterances, as it was asked for; a shard of the data can't
    /// do it.
    pub fn across(&self) -> Option<String> {
        let of_inputs = self.inputs.iter().find_map(|input| {
            let asked = [
                (input.shuffles(), "random=True"),
                (input.partition.is_some(), "partition"),
                (input.stream == Some(true), "stream"),
            ];
            asked
                .into_iter()
                .find_map(|(asked, name)| asked.then(|| name.to_owned()))
        });
        let own = self.inputs.iter().flat_map(|input| &input.steps);
        let mut steps = own.chain(&self.steps);
        let step = || {
            let step = steps.find(|step| step.looks_across())?;
            Some(format!("the step {}", step.name()))
        };
        let split = || self.split.as_ref().map(|_| "split".to_owned());
        let parts = || self.cuts().then(|| "{part}".to_owned());
        of_inputs.or_else(step).or_else(split).or_else(parts)
    }
}
