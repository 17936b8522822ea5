//! `spr-convert IN OUT`.

use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::{Remedy, Result};

use super::args::ConvertArgs;
use super::document::Document;
use super::exit::{DONE, SKIPPED};
use super::out::{print_json, print_lines};
use super::progress::Progress;
use super::session::Session;
use super::{messages, plan};
use crate::argument::{Input, Target};
use crate::job::{Job, Outcome};
use crate::places;

/// Converts.
pub(super) fn run(args: ConvertArgs, session: &Session) -> Result<u8> {
    run_with(&args, session, |_, _, _| Ok(()))
}

/// Converts, after `prepare` made the job another verb's.
pub(super) fn run_with(
    args: &ConvertArgs,
    session: &Session,
    prepare: impl FnOnce(&mut Job, &Registry, &Env) -> Result<()>,
) -> Result<u8> {
    let registry = &session.registry;
    let mut env = plan::env(&args.read, session)?;
    env.threads = args.jobs;
    env.durable = !args.no_sync;
    let mut job = plan::job(args, registry, &env)?;
    if args.read.explain || args.read.verbose {
        let mut lines = Vec::new();
        for input in &job.inputs {
            lines.push(format!("input: {}", input.explain(registry, &env)?));
        }
        if let Some(labels) = &job.labels {
            lines.push(format!("labels: {}", labels.explain(registry, &env)?));
        }
        lines.push(format!("output: {}", job.target.explain()?));
        if let Some(labels_out) = &job.labels_out {
            lines.push(format!("labels output: {}", labels_out.explain()?));
        }
        if args.read.explain {
            return print_lines(&lines);
        }
        lines.iter().for_each(|line| messages::say("note", line));
    }
    prepare(&mut job, registry, &env)?;
    let apart: Vec<_> = args.error_log.iter().chain(&args.report).collect();
    check_apart(&apart, &job, &env)?;
    // That they can't be written is known before the work is done.
    let begin = |at: &Option<Location>| {
        let begun = at
            .as_ref()
            .map(|at| Document::create(at, args.overwrite, &env));
        begun.transpose()
    };
    let (log, report) = (begin(&args.error_log)?, begin(&args.report)?);
    let mut progress = Progress::new(args.progress, args.read.quiet, log);
    let result = job.run(registry, &env, &mut progress);
    progress.end(result.is_ok())?;
    let outcome = result.map_err(|error| match error.can_continue() {
        true => error.suggest(Remedy::SkipErrors),
        false => error,
    })?;
    if let Some(mut report) = report {
        let summary = messages::summary_json(&outcome, job.target.text());
        report.put(format!("{summary:#}\n").as_bytes())?;
        report.finish()?;
    }
    close(&outcome, &job, args.read.json, args.read.quiet)
}

/// Tells what came of it, and gives the exit status.
pub(super) fn close(outcome: &Outcome, job: &Job, json: bool, quiet: bool) -> Result<u8> {
    let outputs = || std::iter::once(&job.target).chain(&job.labels_out);
    if json {
        // Nothing may stand between the data.
        if !outputs().any(Target::takes_stdout) {
            print_json(messages::summary_json(outcome, job.target.text()).to_string())?;
        }
    } else if !quiet {
        messages::closing(outcome, &job.policy, job.dry_run);
    }
    Ok(match outcome.skipped {
        0 => DONE,
        _ => SKIPPED,
    })
}

/// Reports must not go over what is read or written, or over one another.
pub(super) fn check_apart(reports: &[&Location], job: &Job, env: &Env) -> Result<()> {
    let inputs = job.inputs.iter().chain(&job.labels);
    inputs
        .flat_map(Input::sources)
        .for_each(|input| env.reads(&input));
    for report in reports {
        env.check_unread(report)?;
    }
    if reports.is_empty() {
        return Ok(());
    }
    let targets = std::iter::once(&job.target).chain(&job.labels_out);
    let mut outputs: Vec<_> = targets.flat_map(Target::locations).collect();
    outputs.extend(reports.iter().copied().cloned());
    places::check(&[], &outputs, env)
}
