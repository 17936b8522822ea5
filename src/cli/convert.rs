//! `spr-convert IN OUT`.

use std::fs::File;
use std::path::Path;

use clap::CommandFactory;
use spr_core::bytes::{Env, Output, Part, cannot_create};
use spr_core::format::Registry;
use spr_core::{Error, ErrorKind, Result, nearest};

use super::args::{Cli, ConvertArgs, InfoArgs};
use super::progress::Progress;
use super::{DONE, SKIPPED, info, plan, print_lines, report};
use crate::argument::Input;
use crate::builtin;
use crate::job::Job;

/// The form without a verb: `IN OUT`, or `FILE` alone for `info FILE`.
pub(super) fn short_form(args: ConvertArgs) -> Result<u8> {
    let first = args.paths.first().cloned().unwrap_or_default();
    if let Some(error) = misspelt_verb(&first) {
        return Err(error);
    }
    let result = match (args.paths.as_slice(), &args.output) {
        ([only], None) => info::run(&InfoArgs {
            paths: vec![only.clone()],
            quick: false,
            read: args.read,
        }),
        _ => run(args),
    };
    result.map_err(|e| misspelt_format(e, &first))
}

/// A word that is no file may be meant as a verb.
fn misspelt_verb(word: &str) -> Option<Error> {
    if Path::new(word).exists() {
        return None;
    }
    if word == "help" {
        let error = Error::new(ErrorKind::Io, "is no file and no verb").file(word);
        return Some(error.hint("spr-convert --help, or spr-convert VERB --help"));
    }
    let verbs = Cli::command();
    let verb = nearest(word, verbs.get_subcommands().map(clap::Command::get_name))?;
    let error = Error::new(ErrorKind::Io, "is no file and no verb").file(word);
    Some(error.hint(format!("did you mean the verb '{verb}'?")))
}

/// What stands before a colon may be meant as a format.
fn misspelt_format(error: Error, word: &str) -> Error {
    // What was understood is not the name of the file that is missing.
    let name = match error.kind() {
        ErrorKind::Io if error.file_name() == Some(word) => word.split_once(':'),
        _ => None,
    };
    match name.and_then(|(name, _)| nearest(name, builtin::registry().names())) {
        Some(near) => error.hint(format!("did you mean the format '{near}:'?")),
        _ => error,
    }
}

/// A file that is not there may be meant as one beside it.
pub(super) fn misspelt_file(error: Error) -> Error {
    let path = Path::new(error.file_name().unwrap_or_default());
    let missing = match error.kind() {
        ErrorKind::Io => !path.exists() && !error.is_failure(),
        _ => false,
    };
    let Some(name) = path.file_name().filter(|_| missing) else {
        return error;
    };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let Ok(entries) = folder.read_dir() else {
        let hint = format!("there is no folder {}", folder.display());
        return match folder.exists() {
            true => error,
            false => error.hint(hint),
        };
    };
    let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    match nearest(
        name.as_encoded_bytes(),
        names.iter().map(|n| n.as_encoded_bytes()),
    ) {
        Some(near) => {
            let near = path.with_file_name(String::from_utf8_lossy(near).as_ref());
            error.hint(format!("did you mean {}?", near.display()))
        }
        None => error,
    }
}

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
        lines.iter().for_each(|line| report::say("note", line));
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
    let summary = report::summary_json(&outcome, job.target.text());
    if let Some((mut sink, output)) = written {
        sink.put(format!("{summary:#}\n").as_bytes())?;
        sink.finish()?;
        output.commit()?;
    }
    if args.read.json {
        eprintln!("{}", report::json_line(summary.to_string()));
    } else if !args.read.quiet {
        report::closing(&outcome, &job.policy, job.dry_run);
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
