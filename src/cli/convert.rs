//! `spr-convert IN OUT`.

use std::fs::File;
use std::path::Path;

use spr_core::bytes::{Env, Output, Part, cannot_create};
use spr_core::format::Registry;
use spr_core::{Error, Result};
use spr_text::json_line;

use super::args::ConvertArgs;
use super::exit::{DONE, SKIPPED};
use super::out::print_lines;
use super::progress::Progress;
use super::{messages, plan};
use crate::argument::Input;
use crate::builtin;
use crate::job::Job;

/// Converts.
pub(super) fn run(args: ConvertArgs) -> Result<u8> {
    run_with(&args, |_, _, _| Ok(()))
}

/// Converts, after `prepare` made the job another verb's.
pub(super) fn run_with(
    args: &ConvertArgs,
    prepare: impl FnOnce(&mut Job, &Registry, &Env) -> Result<()>,
) -> Result<u8> {
    let registry = builtin::registry();
    let mut env = plan::env(&args.read)?;
    env.threads = args.jobs;
    env.durable = !args.no_sync;
    let mut job = plan::job(args, &registry)?;
    if args.read.explain || args.read.verbose {
        let mut lines = Vec::new();
        for input in &job.inputs {
            lines.push(format!("input: {}", input.explain(&registry, &env)?));
        }
        if let Some(labels) = &job.labels {
            lines.push(format!("labels: {}", labels.explain(&registry, &env)?));
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
    prepare(&mut job, &registry, &env)?;
    for path in args.error_log.iter().chain(&args.report) {
        check_apart(path, &job, &env)?;
    }
    let log = match &args.error_log {
        Some(path) => Some(create(path)?),
        None => None,
    };
    // That it can't be written is known before the work is done.
    let written = args.report.as_ref().map(|path| {
        let output = Output::file(path).overwrite(true).apart_from(&env);
        Ok::<_, Error>((output.create(Part::Main, false)?, output))
    });
    let written = written.transpose()?;
    let mut progress = Progress::new(args.progress, args.read.quiet, log);
    let result = job.run(&registry, &env, &mut progress);
    progress.end(result.is_ok());
    let outcome = result.map_err(|error| match error.can_continue() {
        true => error.hint("--on-error skip passes over such utterances"),
        false => error,
    })?;
    let summary = messages::summary_json(&outcome, job.target.text());
    if let Some((mut sink, output)) = written {
        sink.put(format!("{summary:#}\n").as_bytes())?;
        sink.finish()?;
        output.commit()?;
    }
    if args.read.json {
        eprintln!("{}", json_line(summary.to_string()));
    } else if !args.read.quiet {
        messages::closing(&outcome, &job.policy, job.dry_run);
    }
    Ok(if outcome.skipped > 0 { SKIPPED } else { DONE })
}

/// A report must not go over what is read or written.
fn check_apart(path: &Path, job: &Job, env: &Env) -> Result<()> {
    let inputs = job.inputs.iter().chain(&job.labels);
    inputs
        .flat_map(Input::sources)
        .for_each(|input| env.reads(&input));
    env.check_unread(path)?;
    match job.target.paths().iter().any(|target| target == path) {
        true => Err(Error::usage("would be written twice").file(path.display().to_string())),
        false => Ok(()),
    }
}

/// Opens the list of what is passed over.
pub(super) fn log(path: &Path, job: &Job, env: &Env) -> Result<File> {
    check_apart(path, job, env)?;
    create(path)
}

fn create(path: &Path) -> Result<File> {
    File::create(path).map_err(|e| cannot_create(path, e))
}
