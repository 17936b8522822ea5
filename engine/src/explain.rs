//! A plan in words: how arguments are understood, and what happens in which order.

use spr_core::Result;
use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::Registry;

use crate::argument::Target;
use crate::job::Job;
use crate::plan::order::Order;
use crate::plan::{Balance, Input, Joins, Plan, Rule, Sink, Split, Work};
use crate::step::ListCache;

/// The subject of lines about inputs.
const INPUT: &str = "input";

/// One argument or one part of the work, explained.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its subject: `input`, `labels`, `text`, `stages`, `output`, ……
    pub what: &'static str,
    /// The description, for people.
    pub how: String,
    /// The steps that are built for it, in their order.
    pub steps: Vec<String>,
}

impl Line {
    /// Creates a line.
    pub fn new(what: &'static str, how: String, steps: Vec<String>) -> Self {
        Self { what, how, steps }
    }
}

/// Explains the plan of a job, whose outputs have the number of its shard.
///
/// # Errors
/// An input can't be opened, or an option is wrong.
pub fn job(job: &Job, registry: &Registry, env: &Env) -> Result<Vec<Line>> {
    plan(&job.numbered(registry, env)?.plan, registry, env)
}

/// Explains a plan, which need not have an output. Its inputs are opened, to find their formats;
/// nothing is written.
///
/// # Errors
/// An input can't be opened, or an option is wrong.
pub fn plan(plan: &Plan, registry: &Registry, env: &Env) -> Result<Vec<Line>> {
    let order = Order::of(plan, true)?;
    let mut lines = Vec::new();
    for (input, work) in plan.inputs.iter().zip(&order.each) {
        lines.push(explain_input(plan, input, work, registry, env)?);
        lines.extend(joins(&input.joins, registry, env)?);
    }
    lines.extend(joins(&plan.joins, registry, env)?);
    let steps = written(&order.steps);
    if !steps.is_empty() {
        lines.push(Line {
            what: "stages",
            how: steps.join("|"),
            steps,
        });
    }
    if let Some(split) = &plan.split {
        lines.push(line("parts", describe_split(split)));
    }
    for (what, sink) in [
        ("output", &plan.output),
        ("labels output", &plan.labels_output),
        ("manifest", &plan.manifest),
    ] {
        if let Some(sink) = sink {
            lines.push(line(what, explain_output(plan, sink, registry)?));
        }
    }
    Ok(lines)
}

fn line(what: &'static str, how: String) -> Line {
    Line {
        what,
        how,
        steps: Vec::new(),
    }
}

/// The steps of some work as they are written.
fn written(work: &[Work]) -> Vec<String> {
    let step = |work: &Work| match work {
        Work::Step(step) => Some(step.to_string()),
        Work::Labels(_)
        | Work::Text(_)
        | Work::Speakers(_)
        | Work::Measure(_)
        | Work::ReadAhead => None,
    };
    work.iter().filter_map(step).collect()
}

/// Returns the name of a table, without what a URL keeps secret.
fn told(table: &Locator) -> String {
    table
        .location()
        .map_or_else(|| table.to_string(), Location::told)
}

/// Explains what joins data by key.
fn joins(joins: &Joins, registry: &Registry, env: &Env) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let joined = |data: &Plan, what: &'static str, how: &str| {
        let mut lines = plan(data, registry, env)?;
        for line in lines.iter_mut().filter(|line| line.what == INPUT) {
            *line = Line {
                what,
                how: format!("{}; {how}", line.how),
                steps: std::mem::take(&mut line.steps),
            };
        }
        Result::Ok(lines)
    };
    if let Some(labels) = &joins.labels {
        let how = match labels.speakers {
            Some(_) => "join by speaker, or else by key",
            None => "join by key, or else by recording and time",
        };
        lines.extend(joined(&labels.data, "labels", how)?);
    }
    if let Some(text) = &joins.text {
        lines.extend(joined(text, "text", "join by key")?);
    }
    if let Some(table) = &joins.speakers {
        lines.push(line("speakers", format!("{}; join by key", told(table))));
    }
    Ok(lines)
}

fn explain_input(
    plan: &Plan,
    input: &Input,
    work: &[Work],
    registry: &Registry,
    env: &Env,
) -> Result<Line> {
    let files = ListCache::default();
    let opened = input.open_with(work, plan.request(), &files, (registry, env))?;
    let place = match &input.place {
        Locator::Standard => "standard input".to_owned(),
        Locator::File(file) => format!("file {}", file.told()),
        Locator::FileAt(file, at) => format!("file {} from byte {at}", file.told()),
        Locator::Command(line) => format!("output of the command: {line}"),
        Locator::Folder(folder) => format!("folder {folder}"),
        other => other.to_string(),
    };
    let mut text = format!(
        "{}: {}; format {} ({}); reads {place}",
        input.text,
        input.form,
        opened.format.info().name,
        opened.why
    );
    if let Some(coder) = &opened.reader.info().compression {
        text.push_str(&format!(", {coder} undone"));
    }
    if let Some(decision) = &opened.reader.info().decision {
        text.push_str(&format!("; {decision}"));
    }
    for (key, value) in &input.options {
        text.push_str(&format!("; {key}={value}"));
    }
    for moved in env.path_map().texts() {
        text.push_str(&format!("; names inside files: {moved}"));
    }
    if plan.damaged {
        text.push_str("; what is intact of damaged data is read");
    }
    if input.on_error.skips() {
        text.push_str("; faulty utterances are skipped");
    }
    if input.round {
        text.push_str("; times of segments rounded to whole frames");
    }
    let partitioning = opened.format.info().pdnn;
    for work in work {
        // Joins of all inputs have lines of their own.
        let own = match work {
            Work::Step(step) => Some(step.describe(partitioning)),
            Work::Labels(labels) => input
                .has_labels()
                .then(|| format!("with labels from {}", labels.text())),
            Work::Text(from) => Some(format!("with text from {}", from.text())),
            Work::Speakers(table) => Some(format!("with speakers from {}", told(table))),
            Work::Measure(_) | Work::ReadAhead => None,
        };
        if let Some(own) = own {
            text.push_str(&format!("; {own}"));
        }
    }
    Ok(Line {
        what: INPUT,
        how: text,
        steps: written(work),
    })
}

/// Explains an output, with what changes for it.
fn explain_output(plan: &Plan, sink: &Sink, registry: &Registry) -> Result<String> {
    let mut text = Target::of(sink, registry)?.explain()?;
    if sink.is_numbered() {
        text.push_str(match plan.split {
            Some(_) => "; one for each part",
            None => "; one for each partition",
        });
    }
    let is_main = plan.output.as_ref() == Some(sink);
    if let Some(dtype) = plan.dtype.filter(|_| is_main) {
        text.push_str(&format!("; values as {dtype}"));
    }
    if let Some(dtype) = plan.label_dtype {
        text.push_str(&format!("; labels as {dtype}"));
    }
    Ok(text)
}

/// Describes how utterances are distributed.
fn describe_split(split: &Split) -> String {
    let of = match split.balance {
        Some(Balance::Seconds) => "seconds",
        Some(Balance::Utterances) | None => "utterances",
    };
    let mut text = match split.rule {
        Rule::Parts(n) => format!("{n} parts of as many {of}"),
        Rule::Frames(n) => format!("parts of at most {n} frames"),
        Rule::Bytes(n) => format!("parts of at most {n} bytes of numbers"),
        Rule::Train(share) => format!("train ({share} of the {of}) and valid"),
        Rule::Sets { valid, test } => {
            format!("train, valid ({valid} of the {of}) and test ({test})")
        }
    };
    if matches!(split.rule, Rule::Train(_) | Rule::Sets { .. }) {
        text.push_str(&format!(", drawn with seed {}", split.seed));
    }
    if split.speakers.is_some() {
        text.push_str("; all utterances of a speaker in one part");
    }
    text
}
