//! The order of the work, which is set here alone.
//!
//! Of each input, the time from frame to frame is set first, a tier is picked, and utterances get
//! their names. Then labels, text and speakers join, and sound and frames change: by PDNN's order,
//! context, then labels to ignore, then labels to map, then the shuffle, then partitions. The inputs
//! follow one another, and the steps of the plan see the utterances of all of them.
//!
//! What joins all inputs joins each of them before its frames change, and before steps that look at
//! frames; otherwise it joins the utterances that are left after the steps.

use spr_core::Result;
use spr_core::bytes::Locator;
use spr_stats::AudioNeed;

use super::{Balance, Input, Labels, Owner, Plan};
use crate::step::{Phase, Step, Subject};

/// One piece of work between a format's reader and a writer.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// A step.
    Step(Step),
    /// Labels join.
    Labels(Labels),
    /// Transcripts join.
    Text(Box<Plan>),
    /// Speakers join, from a table of lines `utterance speaker`.
    Speakers(Locator),
    /// Sound is measured as far as columns of these names need it.
    Measure(Vec<&'static str>),
    /// A thread reads ahead, if there is one.
    ReadAhead,
}

impl Work {
    /// Returns `true` if a request for keys, fields or chunks passes through it unchanged.
    pub fn passes_requests(&self) -> bool {
        match self {
            Self::Step(step) => step.takes_chunks(),
            Self::Labels(_) | Self::Text(_) | Self::Speakers(_) | Self::Measure(_) => false,
            Self::ReadAhead => true,
        }
    }

    /// Returns `true` if it takes the share of one of several jobs.
    pub(crate) fn shares(&self) -> bool {
        matches!(self, Self::Step(step) if step.shares())
    }
}

/// The work on one input of a plan by itself, in its order; cut into PDNN's partitions if `cut`.
pub(crate) fn of_input(plan: &Plan, input: &Input, cut: bool) -> Vec<Work> {
    let steps = |after: bool| {
        let steps = plan.steps_of(Owner::Input(input.number));
        let steps = steps.filter(|step| !step.is_idle());
        steps.filter(move |step| (step.kind().phase > Phase::Names) == after)
    };
    let mut work: Vec<_> = steps(false).cloned().map(Work::Step).collect();
    work.extend(input.joins.labels.clone().map(Work::Labels));
    work.extend(input.joins.text.clone().map(Work::Text));
    work.extend(input.joins.speakers.clone().map(Work::Speakers));
    for step in steps(true) {
        // A partition that is shuffled is in memory once.
        if step.kind().phase == Phase::Shuffle {
            work.push(Work::ReadAhead);
        }
        work.push(Work::Step(step.clone()));
    }
    if cut {
        if !work.contains(&Work::ReadAhead) {
            work.push(Work::ReadAhead);
        }
        work.extend(partition(input).map(Work::Step));
    }
    measured(work)
}

/// Puts a measurement of sound before the first step that needs its facts, and one before the first that
/// needs its level.
fn measured(mut work: Vec<Work>) -> Vec<Work> {
    for need in [AudioNeed::Levels, AudioNeed::Facts] {
        let of_work = |work: &Work| match work {
            Work::Step(step) => step.audio_need(),
            Work::Measure(names) => AudioNeed::of(names.iter().copied()),
            _ => AudioNeed::Nothing,
        };
        let Some(first) = work.iter().position(|work| of_work(work) >= need) else {
            continue;
        };
        if matches!(work[first], Work::Measure(_)) {
            continue;
        }
        let steps = work[first..].iter().filter_map(|work| match work {
            Work::Step(step) => Some(step.columns()),
            _ => None,
        });
        let mut names: Vec<_> = steps.flatten().copied().collect();
        names.retain(|name| {
            let own = AudioNeed::of([*name]);
            own > AudioNeed::Nothing && own <= need
        });
        names.sort_unstable();
        names.dedup();
        work.insert(first, Work::Measure(names));
    }
    work
}

/// The step that cuts an input into partitions of the size that it asks for.
fn partition(input: &Input) -> Option<Step> {
    let size = input
        .partition
        .map(|bytes| ("size", crate::step::size_text(bytes)));
    let values = size.into_iter().chain([("pdnn", "pdnn".to_owned())]);
    Step::new("partition", values).ok()
}

/// The work of a plan: on each input, then on all of them.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The inputs with all that joins each of them.
    pub inputs: Vec<Input>,
    /// The work on each input.
    pub each: Vec<Vec<Work>>,
    /// The steps on the utterances of all inputs.
    pub steps: Vec<Work>,
    /// Joins of the remaining utterances, and reading ahead.
    pub joins: Vec<Work>,
}

impl Order {
    /// The order of a plan's work. Speakers join for themselves if `speakers` says that an output
    /// holds them, or if no labels are looked up by them.
    ///
    /// # Errors
    /// Labels join an input in two ways.
    pub fn of(plan: &Plan, speakers: bool) -> Result<Self> {
        let cut = plan.cuts();
        let mut inputs = plan.inputs.clone();
        let uses = |names: &[&str]| {
            let mut steps = plan.steps_on_all();
            steps.any(|step| names.iter().any(|name| step.uses(name)))
        };
        let on_frames = |step: &Step| step.kind().subject != Subject::Utterances;
        let changed = |input: &Input| {
            let work = of_input(plan, input, cut);
            work.iter().any(|work| !work.passes_requests())
        };
        let first = inputs.iter().any(changed) || plan.steps_on_all().any(on_frames);
        let first = first || uses(&["kinds", "frames", "dim", "dtype"]);
        let labels = plan.joins.labels.as_ref();
        let (mut steps, mut joins) = (Vec::new(), Vec::new());
        if let Some(labels) = labels.filter(|_| first) {
            for input in &mut inputs {
                input.join_labels(labels.clone())?;
            }
        }
        // What joins is known before utterances are chosen or sorted by it.
        let by_speaker = uses(&["speaker"]);
        let by_text = uses(&["text", "characters", "kinds"]);
        steps.extend(plan.joins.text.clone().filter(|_| by_text).map(Work::Text));
        let speakers_first = plan.joins.speakers.clone().filter(|_| by_speaker);
        steps.extend(speakers_first.map(Work::Speakers));
        steps.extend(plan.steps_on_all().cloned().map(Work::Step));
        let mut steps = measured(steps);
        let balance = plan.split.as_ref().and_then(|split| split.balance);
        if balance == Some(Balance::Seconds) {
            steps.push(Work::Measure(vec!["seconds"]));
        }
        joins.extend(labels.filter(|_| !first).cloned().map(Work::Labels));
        joins.extend(plan.joins.text.clone().filter(|_| !by_text).map(Work::Text));
        let told = plan.joins.speakers.clone();
        let told = told.filter(|_| !by_speaker && (speakers || labels.is_none()));
        joins.extend(told.map(Work::Speakers));
        let each = inputs.iter().map(|input| of_input(plan, input, cut));
        let each: Vec<_> = each.collect();
        if !each.iter().any(|work| work.contains(&Work::ReadAhead)) {
            joins.push(Work::ReadAhead);
        }
        Ok(Self {
            inputs,
            each,
            steps,
            joins,
        })
    }

    /// Returns `true` if long utterances may come in chunks, as no work needs them as a whole.
    pub fn passes_chunks(&self) -> bool {
        let all = self.each.iter().flatten().chain(&self.steps);
        all.chain(&self.joins).all(Work::passes_requests)
    }
}
