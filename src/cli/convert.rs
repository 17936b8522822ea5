//! `spr-convert IN OUT`.

use spr_core::bytes::{Env, Location, Locator, Output};
use spr_core::{Error, Result};

use super::args::{ConvertArgs, ProgressArg, ReadArgs};
use super::beside::labels_apart;
use super::exit::{DONE, SKIPPED};
use super::out::print_json;
use super::progress::Progress;
use super::session::Session;
use super::skipped::Teller;
use super::{messages, plan};
use crate::builder::PlanBuilder;
use crate::explain;
use crate::job::{Job, Outcome, ShardOutcome};
use crate::looks;
use crate::plan::Sink;
use crate::shard::{FIELD, MergeSettings};

/// Converts.
pub(super) fn run(args: ConvertArgs, session: &Session) -> Result<u8> {
    run_with(&args, session, |_| Ok(()))
}

/// Converts, after `prepare` made the plan that of another verb.
pub(super) fn run_with(
    args: &ConvertArgs,
    session: &Session,
    prepare: impl FnOnce(&mut PlanBuilder) -> Result<()>,
) -> Result<u8> {
    let (job, env) = job(args, session, prepare)?;
    run_explained(&job, args, session, &env)
}

/// Merges the shards that the arguments name.
pub(super) fn run_merging(
    args: &ConvertArgs,
    settings: MergeSettings,
    session: &Session,
) -> Result<u8> {
    let (job, env) = job(args, session, |_| Ok(()))?;
    run_explained(&job.merge(settings), args, session, &env)
}

/// Returns the job that the arguments describe, and its environment.
fn job(
    args: &ConvertArgs,
    session: &Session,
    prepare: impl FnOnce(&mut PlanBuilder) -> Result<()>,
) -> Result<(Job, Env)> {
    let shard = args.shard.settings()?;
    if shard.is_none() {
        check_unnumbered(args)?;
    }
    let mut env = looks::once(&plan::env(&args.read, session)?);
    env.threads = args.jobs;
    env.durable = !args.no_sync;
    let planned = plan::conversion(args, &session.registry, &env).and_then(|mut builder| {
        prepare(&mut builder)?;
        builder.finish()
    });
    let mut job = Job::new(planned.map_err(|error| between(error, args, &env))?);
    if let Some(shard) = shard {
        job = job.shard(shard);
    }
    if let Some(report) = &args.report {
        job = job.report(report.clone());
    }
    if let Some(log) = &args.error_log {
        job = job.error_log(log.clone());
    }
    Ok((job, env))
}

/// Runs a job, or only explains it if the arguments say so.
fn run_explained(job: &Job, args: &ConvertArgs, session: &Session, env: &Env) -> Result<u8> {
    if args.read.explain || args.read.verbose {
        let lines = explain::job(job, &session.registry, env)?;
        if args.read.explain {
            return plan::understood(&lines, &args.read);
        }
        for line in lines {
            messages::say("note", &format!("{}: {}", line.what, line.how));
        }
    }
    let done = run_job(job, &args.read, args.progress, session, env);
    done.map_err(|error| labels_apart(error, job.plan(), &session.registry, env))
}

/// Runs a job, reports the outcome, and returns the exit status.
pub(super) fn run_job(
    job: &Job,
    args: &ReadArgs,
    progress: ProgressArg,
    session: &Session,
    env: &Env,
) -> Result<u8> {
    let summary = reserve_summary(job, args.json, env)?;
    let skipped = Teller::new(args.quiet, &session.registry);
    let mut progress = Progress::new(progress, skipped, summary.is_some(), env.waiting.clone());
    let outcome = job.run(&session.registry, env, &mut progress);
    progress.clear();
    let outcome = outcome?;
    match outcome.shard.as_ref().filter(|shard| shard.was_done) {
        Some(shard) => tell_done(shard, args)?,
        None => {
            progress.end();
            session.warnings.tell_rest();
            if !args.json && !args.quiet {
                messages::closing(&outcome, job);
            }
        }
    }
    if !args.quiet {
        tell_numbered(job, &outcome);
    }
    Ok(match outcome.skipped {
        0 => DONE,
        _ => SKIPPED,
    })
}

/// Reserves standard output for the closing summary, if that is printed and no data go there.
fn reserve_summary(job: &Job, json: bool, env: &Env) -> Result<Option<Output>> {
    if !json || job.plan().outputs().any(Sink::takes_stdout) {
        return Ok(None);
    }
    let summary = env.output(&Locator::Standard);
    summary.reserve()?;
    Ok(Some(summary))
}

/// Tells that a shard was done before.
fn tell_done(shard: &ShardOutcome, args: &ReadArgs) -> Result<()> {
    if args.json {
        print_json(&shard.json())?;
    }
    let at = &shard.at;
    match shard.record.skipped {
        0 if args.quiet => {}
        0 => messages::plain(&format!("{at}: have it")),
        count => messages::plain(&format!("{at}: have it, {count} skipped")),
    }
    Ok(())
}

/// Tells the names of a shard's documents where they are not the typed ones.
fn tell_numbered(job: &Job, outcome: &Outcome) {
    let tell = |what: &str, typed: Option<&Location>, named: &Option<Location>| {
        if let (Some(typed), Some(named)) = (typed, named)
            && typed != named
            && !typed.to_string().contains(FIELD)
        {
            messages::say("note", &format!("the {what} of this shard is {named}"));
        }
    };
    tell("report", job.report_at(), &outcome.report);
    tell("error log", job.error_log_at(), &outcome.error_log);
}

/// An error about a name between the first and the last that is not there, which may be meant as
/// an output.
fn between(error: Error, args: &ConvertArgs, env: &Env) -> Error {
    let ([_, between @ .., last], None) = (args.paths.as_slice(), &args.output) else {
        return error;
    };
    let missing =
        |path: &String| error.file_name() == Some(path) && !env.exists(&path.as_str().into());
    match between.iter().any(missing) {
        true => error.hint(format!(
            "only the last name is an output, here {last}; those before it are read"
        )),
        false => error,
    }
}

/// Refuses the place for the number of a shard where there is none.
fn check_unnumbered(args: &ConvertArgs) -> Result<()> {
    let outputs = [
        args.paths.last(),
        args.output.as_ref(),
        args.labels_out.as_ref(),
        args.manifest.as_ref(),
    ];
    let outputs = outputs.into_iter().flatten().cloned();
    let documents = args.report.iter().chain(&args.error_log);
    let names = outputs
        .chain(documents.map(ToString::to_string))
        .chain(args.output_options.iter().cloned());
    match names.into_iter().find(|name| name.contains(FIELD)) {
        Some(name) => Err(Error::usage(format!("{FIELD} in the name, but no --shard"))
            .file(name)
            .hint("--shard 1/16 converts the first of sixteen shards")),
        None => Ok(()),
    }
}
