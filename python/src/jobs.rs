//! Whole jobs, as the program's verbs run them.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use serde_json::Value;
use spr_convert::capabilities;
use spr_convert::core::bytes::{Env, Location, Urls};
use spr_convert::core::format::Request;
use spr_convert::core::model::Key;
use spr_convert::job::{Job, Observer, Progress, ShardOutcome};
use spr_convert::plan::{Input, Plan};
use spr_convert::shard::{Resume, Shard, ShardSettings};
use spr_convert::verbs;
use spr_convert::verbs::diff::{Finding, Tolerance, by_key, in_order};
use spr_convert::verbs::repair::repair;
use spr_convert::{Error, Result};

use crate::failure::{apart, exception, raised};
use crate::input::DatasetPlan;
use crate::settings::{Settings, Surroundings};
use crate::split::SplitArgs;
use crate::text::argument;
use crate::writer::OutputArgs;

/// The interval between checks for signals and calls of a callback.
const PERIOD: Duration = Duration::from_millis(100);

/// The largest number of differences listed; all are counted.
const LISTED: usize = 1000;

/// Reports progress to Python, which may stop the job.
struct Watch {
    callback: Option<Py<PyAny>>,
    next: Instant,
    skipped: Vec<Error>,
    failed: Option<PyErr>,
}

impl Watch {
    fn look(&mut self, so_far: Progress) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            let Some(callback) = &self.callback else {
                return Ok(());
            };
            let Progress {
                utterances,
                frames,
                bytes,
                entries,
                ..
            } = so_far;
            callback
                .call1(py, (utterances, frames, bytes, entries))
                .map(drop)
        })
    }
}

impl Observer for Watch {
    fn watches(&self) -> bool {
        self.callback.is_some()
    }

    fn progress(&mut self, so_far: Progress) -> ControlFlow<()> {
        let now = Instant::now();
        if now < self.next {
            return ControlFlow::Continue(());
        }
        self.next = now + PERIOD;
        match self.look(so_far) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn skipped(&mut self, error: &Error) {
        self.skipped.push(error.copy());
    }

    fn hint(&self, error: &Error) -> Option<String> {
        crate::remedy::hint(error)
    }
}

/// The settings of a conversion besides input and output.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Conversion {
    labels_out: Option<OsString>,
    dry_run: bool,
    verify: bool,
    hash: bool,
    error_log: Option<OsString>,
    report: Option<OsString>,
    /// The number of a shard and the number of shards.
    shard: Option<(u64, u64)>,
    /// `done`, or `verify`.
    resume: Option<String>,
    rule: Option<SplitArgs>,
    damaged: bool,
}

impl Conversion {
    /// Adds the documents and the shard to a job.
    fn complete(&self, mut job: Job) -> Result<Job> {
        let resume = match self.resume.as_deref() {
            None => None,
            Some("done") => Some(Resume::Trust),
            Some("verify") => Some(Resume::Verify),
            Some(other) => {
                let message = format!("resume is True, False or \"verify\", not '{other}'");
                return Err(Error::usage(message));
            }
        };
        if let Some(log) = &self.error_log {
            job = job.error_log(log.clone());
        }
        if let Some(report) = &self.report {
            job = job.report(report.clone());
        }
        match self.shard {
            Some((number, of)) => {
                let shard = ShardSettings::new(Shard::new(number, of)?);
                Ok(job.shard(shard.resume(resume)))
            }
            None if resume.is_some() => Err(Error::usage("resume goes with shard")),
            None => Ok(job),
        }
    }
}

/// Converts a data set. Returns a summary as JSON, and the errors of skipped utterances.
#[pyfunction]
pub(crate) fn convert(
    py: Python<'_>,
    asked: Py<DatasetPlan>,
    wanted: OutputArgs,
    conversion: Conversion,
    settings: Settings,
    callback: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<Py<PyAny>>)> {
    let at = settings.surroundings();
    let mut watch = Watch {
        callback,
        next: Instant::now(),
        skipped: Vec::new(),
        failed: None,
    };
    let done = apart(py, || {
        let job = conversion.complete(job(asked.get(), &wanted, &conversion, &at)?)?;
        let mut env = at.env.clone();
        if asks_servers(job.plan(), &env) {
            // Signals reach only this thread, which must not wait for one that waits for a server.
            env.threads = 1;
        }
        let outcome = job.run(&at.registry, &env, &mut watch)?;
        let mut facts = outcome.json();
        facts["shard"] = outcome.shard.as_ref().map(shard_json).into();
        Ok(facts.to_string())
    });
    if let Some(error) = watch.failed {
        return Err(error);
    }
    at.close(py)?;
    let skipped = watch.skipped.iter().map(|error| {
        let made = exception(py, error)?;
        Ok(made.into_value(py).into_any())
    });
    Ok((done?, skipped.collect::<PyResult<_>>()?))
}

/// Returns `true` if servers may be asked for what is read.
fn asks_servers(plan: &Plan, env: &Env) -> bool {
    let is_url = |input: &Input| input.place().location().is_some_and(Location::is_url);
    env.urls != Urls::Own || plan.inputs().iter().any(is_url)
}

/// Formats a shard as JSON, with whether it was done before.
fn shard_json(shard: &ShardOutcome) -> Value {
    let mut facts = shard.json();
    facts["was_done"] = shard.was_done.into();
    facts
}

fn job(
    asked: &DatasetPlan,
    wanted: &OutputArgs,
    conversion: &Conversion,
    at: &Surroundings,
) -> Result<Job> {
    let mut builder = asked.builder(at)?;
    builder.overwrite(wanted.overwrite).add_files(wanted.add);
    wanted.set_format(&mut builder)?;
    let output = argument(wanted.path.clone());
    if conversion.damaged {
        asked.input(at)?;
        return repair(&mut builder, &output);
    }
    builder.keep_form().output(&output)?;
    if let Some(labels) = &conversion.labels_out {
        builder.labels_output(&argument(labels.clone()))?;
    }
    for loss in &wanted.allow_loss {
        builder.allow_named(loss)?;
    }
    if let Some(dtype) = wanted.dtype()? {
        builder.dtype(dtype);
    }
    if let Some(rule) = &conversion.rule {
        builder.split(rule.split(at)?)?;
    }
    builder
        .dry_run(conversion.dry_run)
        .verify(conversion.verify)
        .hash(conversion.hash);
    Ok(Job::new(builder.finish()?))
}

/// Explains what is read: the subject and the description of each part.
#[pyfunction]
pub(crate) fn explain(
    py: Python<'_>,
    asked: Py<DatasetPlan>,
    settings: Settings,
) -> PyResult<Vec<(&'static str, String)>> {
    let at = settings.surroundings();
    let lines = apart(py, || {
        let quiet = at.silent();
        spr_convert::explain::plan(&asked.get().plan_of_share(&at)?, &at.registry, &quiet)
    });
    at.close(py)?;
    Ok(lines?
        .into_iter()
        .map(|line| (line.what, line.how))
        .collect())
}

/// Returns information about a data set as JSON.
#[pyfunction]
pub(crate) fn info(
    py: Python<'_>,
    asked: Py<DatasetPlan>,
    settings: Settings,
    quick: bool,
) -> PyResult<String> {
    let at = settings.surroundings();
    let facts = apart(py, || {
        let (facts, result) =
            verbs::info::inspect(&asked.get().input(&at)?, quick, &at.registry, &at.env);
        result?;
        serde_json::to_string(&facts).map_err(|e| Error::io("cannot write", e.into()))
    });
    at.close(py)?;
    facts
}

/// The result of a check, `(format, utterances, frames, faults, notes)`, and its findings,
/// `(severity, sort, error)` each.
type CheckResult = (
    (&'static str, u64, u64, u64, u64),
    Vec<(&'static str, &'static str, Py<PyAny>)>,
);

/// Lists all faults of a data set.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    asked: Py<DatasetPlan>,
    settings: Settings,
    quick: bool,
) -> PyResult<CheckResult> {
    let at = settings.surroundings();
    let done = apart(py, || {
        let input = asked.get().input(&at)?;
        let options = verbs::check::Options {
            quick,
            ..verbs::check::Options::default()
        };
        let mut findings = Vec::new();
        let mut found = |finding| findings.push(finding);
        let summary = verbs::check::check(&input, &options, &at.registry, &at.env, &mut found)?;
        Ok((summary, findings))
    });
    at.close(py)?;
    let (summary, findings) = done?;
    let findings = findings.into_iter().map(|finding| {
        let error = exception(py, &finding.error)?;
        let error = error.into_value(py).into_any();
        Ok((finding.severity.name(), finding.sort, error))
    });
    let verbs::check::Summary {
        format,
        utterances,
        frames,
        seconds: _,
        faults,
        notes,
        ..
    } = summary;
    let summary = (format, utterances, frames, faults, notes);
    Ok((summary, findings.collect::<PyResult<_>>()?))
}

/// Returns the differences between two data sets as JSON.
#[pyfunction]
#[pyo3(signature = (one, other, settings, rtol, atol, any_order))]
pub(crate) fn diff(
    py: Python<'_>,
    one: Py<DatasetPlan>,
    other: Py<DatasetPlan>,
    settings: Settings,
    rtol: f64,
    atol: f64,
    any_order: bool,
) -> PyResult<String> {
    if !(rtol >= 0.0 && atol >= 0.0) {
        return Err(raised(py, &Error::usage("a tolerance is 0 or more")));
    }
    let at = settings.surroundings();
    let told = apart(py, || {
        let (a, b) = (one.get().input(&at)?, other.get().input(&at)?);
        let tolerance = Tolerance { atol, rtol };
        let mut listed = Vec::new();
        let listener = &mut |key: &Key, finding: &Finding| {
            if listed.len() < LISTED {
                listed.push(verbs::diff::json::finding(key, finding));
            }
            Ok(())
        };
        let (registry, env) = (&at.registry, &at.env);
        let summary = if any_order {
            by_key((&a, &b), tolerance, 1 << 30, (registry, env), listener)?
        } else {
            let open = |input: &Plan| input.open_whole(Request::all(), registry, env);
            in_order(open(&a)?, open(&b)?, tolerance, env, listener)?
        };
        Ok(verbs::diff::json::summary(&summary, (&a, &b), listed).to_string())
    });
    at.close(py)?;
    told
}

/// Writes the index of a file. Returns its name, unless it existed, and the number of utterances.
#[pyfunction]
pub(crate) fn index(
    py: Python<'_>,
    asked: Py<DatasetPlan>,
    settings: Settings,
    output: Option<OsString>,
    overwrite: bool,
) -> PyResult<(Option<String>, u64)> {
    let at = settings.surroundings();
    let output = output.map(argument);
    let done = apart(py, || {
        let input = asked.get().input(&at)?;
        let output = output.as_deref();
        let done = verbs::index::index(&input, output, overwrite, &at.registry, &at.env)?;
        Ok((done.written, done.utterances))
    });
    at.close(py)?;
    done
}

/// Returns all formats with their capabilities as JSON.
#[pyfunction]
pub(crate) fn formats(py: Python<'_>) -> PyResult<String> {
    apart(py, || {
        let registry = crate::format::registry();
        let all = registry.formats().map(capabilities::of);
        let all = all.collect::<Result<Vec<_>>>()?;
        serde_json::to_string(&all).map_err(|e| Error::io("cannot write", e.into()))
    })
}
