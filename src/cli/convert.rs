//! `spr-convert IN OUT`.

use std::fs::File;
use std::path::Path;

use spr_core::bytes::{Env, Output, Part};
use spr_core::{Error, ErrorKind, Result};

use super::args::{ConvertArgs, InfoArgs};
use super::progress::Progress;
use super::{DONE, SKIPPED, info, plan, print_lines, report};
use crate::argument::Input;
use crate::builtin;
use crate::job::Job;

/// The form without a verb: `IN OUT`, or `FILE` alone for `info FILE`.
pub(super) fn short_form(args: ConvertArgs) -> Result<u8> {
    if let ([only], None) = (args.paths.as_slice(), &args.output) {
        let paths = vec![only.clone()];
        return info::run(&InfoArgs {
            paths,
            quick: false,
            read: args.read,
        })
        .map_err(|e| misspelt(e, only));
    }
    let first = args.paths.first().cloned().unwrap_or_default();
    run(args).map_err(|e| misspelt(e, &first))
}

/// A word that is no file may be meant as a verb.
fn misspelt(error: Error, word: &str) -> Error {
    const VERBS: [&str; 7] = [
        "convert",
        "info",
        "header",
        "formats",
        "kaldi-links",
        "man",
        "completions",
    ];
    let near = VERBS.into_iter().find(|verb| distance(word, verb) <= 2);
    match near {
        Some(verb) if error.kind() == ErrorKind::Io && !Path::new(word).exists() => {
            error.hint(format!("did you mean the verb '{verb}'?"))
        }
        _ => error,
    }
}

/// Edits from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let substituted = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = substituted.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Converts.
pub(super) fn run(args: ConvertArgs) -> Result<u8> {
    let registry = builtin::registry();
    let mut env = plan::env(&args.read)?;
    env.threads = args.jobs;
    let job = plan::job(&args, &registry)?;
    if args.read.explain || args.read.verbose {
        let mut text = String::new();
        for input in &job.inputs {
            text.push_str(&format!("input: {}\n", input.explain(&registry, &env)?));
        }
        if let Some(labels) = &job.labels {
            text.push_str(&format!("labels: {}\n", labels.explain(&registry, &env)?));
        }
        text.push_str(&format!("output: {}\n", job.target.explain()?));
        if let Some(labels_out) = &job.labels_out {
            text.push_str(&format!("labels output: {}\n", labels_out.explain()?));
        }
        if args.read.explain {
            return print_lines(&text);
        }
        text.lines().for_each(|line| report::say("note", line));
    }
    for path in args.error_log.iter().chain(&args.report) {
        check_apart(path, &job, &env)?;
    }
    let log = match &args.error_log {
        Some(path) => Some(create(path)?),
        None => None,
    };
    let mut progress = Progress::new(args.progress, args.read.quiet, log);
    let result = job.run(&registry, &env, &mut progress);
    progress.end();
    let outcome = result?;
    let summary = report::summary_json(&outcome, job.target.text());
    if let Some(path) = &args.report {
        let output = Output::file(path).overwrite(true).apart_from(&env);
        let mut sink = output.create(Part::Main, false)?;
        sink.put(format!("{summary:#}\n").as_bytes())?;
        sink.finish()?;
        output.commit()?;
    }
    if args.read.json {
        eprintln!("{summary}");
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

fn create(path: &Path) -> Result<File> {
    File::create(path).map_err(|e| Error::io("cannot create", e).file(path.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        for (a, b, n) in [
            ("info", "info", 0),
            ("inof", "info", 2),
            ("inf", "info", 1),
            ("", "ab", 2),
        ] {
            assert_eq!(distance(a, b), n, "{a} {b}");
        }
    }
}
