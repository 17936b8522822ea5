//! `spr-convert IN OUT`.

use spr_core::bytes::{Env, Location, Locator, Output};
use spr_core::{Error, ErrorKind, Remedy, Result};

use super::args::{ConvertArgs, ProgressArg};
use super::beside::labels_apart;
use super::document::Document;
use super::exit::{DONE, SKIPPED};
use super::out::print_json;
use super::progress::Progress;
use super::session::Session;
use super::shard::{ShardRecorder, ShardStart};
use super::skipped::Teller;
use super::versioned::Versioned;
use super::{messages, plan, shard};
use crate::builder::PlanBuilder;
use crate::explain;
use crate::job::{Job, Outcome};
use crate::looks;
use crate::plan::Sink;
use crate::shard::{FIELD, Hashes, watched};
use crate::verbs::shards::CHANGED;

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
    run_hashing(args, session, Hashes::of_opened(), prepare)
}

/// Converts, and checks that what is read has the hashes that are expected of it.
pub(super) fn run_hashing(
    args: &ConvertArgs,
    session: &Session,
    hashes: Hashes,
    prepare: impl FnOnce(&mut PlanBuilder) -> Result<()>,
) -> Result<u8> {
    let registry = &session.registry;
    let shard = args.shard.which()?;
    if shard.is_none() {
        check_unnumbered(args)?;
    }
    let named = shard.map(|shard| shard::named(args, shard));
    let typed = args;
    let args = named.as_ref().unwrap_or(typed);
    let mut env = looks::once(&plan::env(&args.read, session)?);
    env.threads = args.jobs;
    env.durable = !args.no_sync;
    let plain = env.clone();
    if shard.is_some() || hashes.expects() {
        env = watched(&env, &hashes);
    }
    let planned = plan::conversion(args, registry, &env).and_then(|mut builder| {
        prepare(&mut builder)?;
        builder.finish()
    });
    let mut job = Job::new(planned.map_err(|error| between(error, args, &env))?);
    if args.read.explain || args.read.verbose {
        // Files opened to explain the plan do not belong to what a shard reads.
        let lines = explain::plan(job.plan(), registry, &plain)?;
        if args.read.explain {
            return plan::understood(&lines, &args.read);
        }
        for line in lines {
            messages::say("note", &format!("{}: {}", line.what, line.how));
        }
    }
    let sharding = match shard {
        None => None,
        Some(shard) => {
            let begun =
                ShardRecorder::begin(shard, args, hashes.clone(), &mut job, registry, &env)?;
            match begun {
                ShardStart::Before(status) => return Ok(status),
                ShardStart::Now(sharding) => Some(*sharding),
            }
        }
    };
    let documents = Documents {
        log: args.error_log.as_ref(),
        report: args.report.as_ref(),
        sharding,
        hashes,
        json: args.read.json,
        quiet: args.read.quiet,
        progress: args.progress,
    };
    let done = documents.run(&job, session, &env);
    if done.is_ok() && !args.read.quiet {
        tell_numbered(typed, args);
    }
    done.map_err(|error| labels_apart(error, job.plan(), registry, &env))
}

/// Tells the names of a shard's documents where they are not the typed ones.
fn tell_numbered(typed: &ConvertArgs, named: &ConvertArgs) {
    let reports = ("report", &typed.report, &named.report);
    let logs = ("error log", &typed.error_log, &named.error_log);
    for (what, typed, named) in [reports, logs] {
        let (Some(typed), Some(named)) = (typed, named) else {
            continue;
        };
        if typed != named && !typed.to_string().contains(FIELD) {
            messages::say("note", &format!("the {what} of this shard is {named}"));
        }
    }
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

/// The documents of a run besides its data.
pub(super) struct Documents<'a> {
    /// The list of what was skipped.
    pub(super) log: Option<&'a Location>,
    /// The closing summary.
    pub(super) report: Option<&'a Location>,
    /// The record of a shard.
    pub(super) sharding: Option<ShardRecorder>,
    /// The hashes that are expected of what is read.
    pub(super) hashes: Hashes,
    pub(super) json: bool,
    pub(super) quiet: bool,
    pub(super) progress: ProgressArg,
}

impl Documents<'_> {
    /// Runs a job. The documents get their names together with the data.
    pub(super) fn run(mut self, job: &Job, session: &Session, env: &Env) -> Result<u8> {
        let registry = &session.registry;
        let facts = self.facts(job, env)?;
        let mut sharding = self.sharding.take();
        // A repetition for comparison is silent, as the first run reported everything.
        let silent = env.listening(|_| {});
        let verifies = sharding.as_ref().is_some_and(ShardRecorder::verifies);
        let env = if verifies { &silent } else { env };
        let record = sharding.as_ref().map(|sharding| sharding.at().clone());
        let apart = self.log.into_iter().chain(self.report).chain(&record);
        let apart: Vec<_> = apart.collect();
        job.check_apart(&apart, env)?;
        let begin = |at: Option<&Location>| {
            at.map(|at| Document::create(at, job.plan().overwrites(), env))
                .transpose()
        };
        let (log, report) = (begin(self.log)?, begin(self.report)?);
        if let Some(sharding) = sharding.as_mut().filter(|_| !job.plan().is_dry_run()) {
            sharding.open(job.plan().overwrites(), env)?;
        }
        job.check_places(registry, env)?;
        let skipped = Teller::new(self.quiet, registry);
        let mut progress = Progress::new(self.progress, skipped, log, env.waiting.clone());
        let made = job.make(registry, env, &mut progress);
        let log = progress.log(made.is_ok())?;
        // If the first does not fit, the others hardly will.
        let helps = |error: &Error| error.kind() != ErrorKind::Unfit || progress.has_begun();
        let made = made.map_err(|error| match error.can_continue() && helps(&error) {
            true => error.suggest(Remedy::SkipErrors),
            false => error,
        })?;
        if let Some(file) = self.hashes.unexpected(env)? {
            return Err(Error::unfit(CHANGED).file(file.to_string()));
        }
        if let Some(sharding) = sharding.take_if(|sharding| sharding.verifies()) {
            return sharding.verify(&made, job);
        }
        let report = report.map(|mut report| {
            let summary = made.outcome().json(output(job));
            report.put(Versioned::new(summary).lines()?.as_bytes())?;
            report.complete()
        });
        let report = report.transpose()?;
        if facts.is_some() {
            print_summary(made.outcome(), job)?;
        }
        let record = sharding.map(|sharding| sharding.complete(&made, job));
        let record = record.transpose()?.flatten();
        // The report comes behind the others, as it says that they are there, and a shard's record is
        // the proof of all.
        let outcome = made.commit(log.into_iter().chain(report).chain(record))?;
        progress.end();
        drop(facts);
        session.warnings.tell_rest();
        Ok(self.close(&outcome, job))
    }

    /// Standard output, where facts are printed to it and nothing else.
    fn facts(&self, job: &Job, env: &Env) -> Result<Option<Output>> {
        if !self.json || job.plan().outputs().any(Sink::takes_stdout) {
            return Ok(None);
        }
        let facts = env.output(&Locator::Standard);
        facts.reserve()?;
        Ok(Some(facts))
    }

    /// Tells what came of it, and gives the exit status.
    fn close(&self, outcome: &Outcome, job: &Job) -> u8 {
        if !self.json && !self.quiet {
            messages::closing(outcome, job);
        }
        match outcome.skipped {
            0 => DONE,
            _ => SKIPPED,
        }
    }
}

/// The output as typed.
fn output(job: &Job) -> &str {
    job.plan().output().map_or("", Sink::text)
}

/// Prints the closing summary. The data are written whether or not somebody reads it.
fn print_summary(outcome: &Outcome, job: &Job) -> Result<()> {
    match print_json(&outcome.json(output(job))) {
        Err(error) if !error.is_broken_pipe() => Err(error),
        _ => Ok(()),
    }
}
