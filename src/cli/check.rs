//! `spr-convert check IN...`.

use clap::{Args, ValueEnum, ValueHint};
use serde_json::{Value, json};
use spr_core::bytes::Location;
use spr_core::format::Registry;
use spr_core::text::brief;
use spr_core::{Error, Result};

use super::args::ReadArgs;
use super::document::Document;
use super::exit::{DONE, FAILED, NO};
use super::out::{print_json, print_lines};
use super::session::Session;
use super::versioned::Versioned;
use super::words::{data_set, file};
use super::{messages, plan, remedy};
use crate::verbs::check::{Finding, Kind, Options, Severity, Summary, check};

const EXAMPLES: &str = "\
Findings with one cause are one line with their number, the worst first.

Examples:
  spr-convert check feats.ark            what is wrong, with its place
  spr-convert check train.json --all     each finding on a line of its own
  spr-convert check feats.scp --labels ali.ark  and whether the labels fit
  spr-convert check train --against valid  and whether they share speakers
  spr-convert check --quick train.pfile  ends, counts, indexes and offsets
  spr-convert check data/train           a Kaldi data directory";

#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArgs {
    /// Data to check; a folder may be a Kaldi data directory
    #[arg(value_name = "IN", value_parser = data_set(), required = true)]
    paths: Vec<String>,
    /// Check that each utterance has as many labels here as it has frames
    #[arg(long, value_name = "IN", value_parser = data_set())]
    labels: Option<String>,
    /// Note speakers and keys that the data share with these
    #[arg(long, value_name = "IN", value_parser = data_set())]
    against: Option<String>,
    /// Check ends, counts, indexes and offsets, but not values
    #[arg(long)]
    quick: bool,
    /// Print each finding instead of a line for each kind
    #[arg(long)]
    all: bool,
    /// Print only these findings; the counts are those of all
    #[arg(
        long,
        value_name = "faults|notes",
        value_enum,
        hide_possible_values = true
    )]
    only: Option<SeverityArg>,
    /// End with status 1 if there are faults, or even if there are only notes
    #[arg(
        long,
        value_name = "faults|notes",
        value_enum,
        default_value = "faults",
        hide_possible_values = true
    )]
    fail_on: SeverityArg,
    /// Write each finding as a line of JSON
    #[arg(long, value_name = "FILE", value_parser = file(), value_hint = ValueHint::AnyPath)]
    error_log: Option<Location>,
    /// Replace an existing log
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum SeverityArg {
    Faults,
    Notes,
}

impl CheckArgs {
    fn shows(&self, severity: Severity) -> bool {
        match self.only {
            None => true,
            Some(SeverityArg::Faults) => severity == Severity::Fault,
            Some(SeverityArg::Notes) => severity == Severity::Note,
        }
    }
}

/// Checks data sets.
pub(super) fn run(args: &CheckArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let env = plan::env(&args.read, session)?;
    let mut options = Options {
        quick: args.quick,
        all: args.all || args.error_log.is_some(),
        ..Options::default()
    };
    if let Some(other) = &args.against {
        let other = plan::reading(std::slice::from_ref(other), &args.read, registry, &env)?;
        let other = other.finish()?;
        other.only()?;
        options.against = Some(other);
    }
    let mut builder = plan::reading(&args.paths, &args.read, registry, &env)?;
    if let Some(labels) = &args.labels {
        builder.labels(labels)?;
    }
    let inputs = builder.finish_each()?;
    if args.read.explain {
        return plan::explain(&inputs, &args.read, registry, &env);
    }
    let log = args.error_log.as_ref();
    let log = log.map(|at| Document::create(at, args.overwrite, &env));
    let mut teller = Teller {
        args,
        registry,
        log: log.transpose()?,
        hint: String::new(),
    };
    let mut status = DONE;
    for input in inputs {
        let mut told = Ok(());
        let mut show = |finding: Finding| {
            if told.is_ok() {
                told = teller.finding(&finding);
            }
        };
        let result = check(&input, &options, registry, &env, &mut show);
        told?;
        match result {
            Ok(summary) => {
                teller.summary(input.text(), &summary)?;
                let notes_fail = args.fail_on == SeverityArg::Notes && summary.notes > 0;
                if summary.faults > 0 || notes_fail {
                    status = status.max(NO);
                }
            }
            Err(error) => {
                session.error(error);
                status = FAILED;
            }
        }
    }
    teller.log.map(Document::finish).transpose()?;
    Ok(status)
}

/// Tells findings on standard output and in the log.
struct Teller<'a> {
    args: &'a CheckArgs,
    registry: &'a Registry,
    log: Option<Document>,
    /// The last hint, which is not repeated.
    hint: String,
}

impl Teller<'_> {
    /// Tells one finding where each is wanted.
    fn finding(&mut self, finding: &Finding) -> Result<()> {
        if !self.args.shows(finding.severity) {
            return Ok(());
        }
        if let Some(log) = &mut self.log {
            let line = Versioned::new(finding_json(finding, self.registry)).line()?;
            log.put((line + "\n").as_bytes())?;
        }
        match (self.args.read.json, self.args.all) {
            (true, _) => print_json(&finding_json(finding, self.registry))?,
            (false, true) => {
                let text = format!("{}: {}", finding.severity.name(), finding.error);
                print_lines(&self.with_hint(text, &finding.error))?
            }
            (false, false) => DONE,
        };
        Ok(())
    }

    /// Tells the kinds of findings, unless each was told, and the counts.
    fn summary(&mut self, input: &str, summary: &Summary) -> Result<()> {
        let kinds = summary.kinds.iter();
        let kinds: Vec<_> = kinds
            .filter(|kind| self.args.shows(kind.severity))
            .collect();
        if self.args.read.json {
            let value = summary_json(input, summary, &kinds, self.registry);
            print_json(&value)?;
            return Ok(());
        }
        for kind in kinds.iter().filter(|_| !self.args.all) {
            if let Some(first) = kind.examples.first() {
                print_lines(&self.with_hint(describe(kind, first), first))?;
            }
        }
        if !self.args.read.quiet {
            print_lines(&[closing(input, summary)])?;
        }
        Ok(())
    }

    /// A line about an error, and a second with what to do, unless the line before had the same.
    fn with_hint(&mut self, line: String, error: &Error) -> Vec<String> {
        let mut lines = vec![line];
        let hint = remedy::hint(error, self.registry);
        if let Some(hint) = hint.filter(|hint| *hint != self.hint) {
            lines.push(format!("  hint: {hint}"));
            self.hint = hint;
        }
        lines
    }
}

/// A kind for people: its number, the first finding, and the places of some others.
fn describe(kind: &Kind, first: &Error) -> String {
    let severity = kind.severity.name();
    if kind.count == 1 {
        return format!("{severity}: {first}");
    }
    let mut line = format!("{severity}: {} times", kind.count);
    if let Some(folder) = &kind.missing {
        line.push_str(&format!(", as there is no {folder}"));
    }
    line.push_str(&format!(": {first}"));
    let mut places: Vec<_> = kind
        .examples
        .iter()
        .filter_map(|e| place(e, first))
        .collect();
    let named = places.len() as u64 + 1;
    places.dedup();
    if !places.is_empty() {
        line.push_str(&format!("; also {}", places.join(", ")));
        if named < kind.count {
            line.push_str(", …");
        }
    }
    line
}

/// The place of an error where it is another than that of the first.
fn place(error: &Error, first: &Error) -> Option<String> {
    let file = error.file_name().unwrap_or_default();
    match (error.key(), error.line_number(), error.byte_offset()) {
        (Some(key), ..) if first.key() != Some(key) => Some(brief(&key.to_string()).into_owned()),
        (_, Some(line), _) if first.line_number() != Some(line) => Some(format!("{file}:{line}")),
        (.., Some(byte)) if first.byte_offset() != Some(byte) => Some(format!("{file}@{byte}")),
        _ if first.file_name() != error.file_name() => Some(file.to_owned()),
        _ => None,
    }
}

fn closing(input: &str, summary: &Summary) -> String {
    let found = match (summary.faults, summary.notes) {
        (0, 0) => "nothing wrong".to_owned(),
        (faults, 0) => messages::count(faults, "fault"),
        (faults, notes) => format!(
            "{}, {}",
            messages::count(faults, "fault"),
            messages::count(notes, "note")
        ),
    };
    if summary.format.is_empty() {
        return format!("{input}: {found}, nothing can be read");
    }
    let utterances = messages::count(summary.utterances, "utterance");
    let length = messages::length(summary.frames, summary.seconds);
    format!(
        "{input}: {found} ({}, {utterances}, {length})",
        summary.format
    )
}

fn finding_json(finding: &Finding, registry: &Registry) -> Value {
    let mut value = messages::error_json(&finding.error, registry);
    value["severity"] = json!(finding.severity.name());
    value["sort"] = json!(finding.sort);
    value
}

fn summary_json(input: &str, summary: &Summary, kinds: &[&Kind], registry: &Registry) -> Value {
    let kinds = kinds.iter().map(|kind| {
        let examples = kind.examples.iter();
        let examples = examples.map(|error| messages::error_json(error, registry));
        json!({
            "severity": kind.severity.name(),
            "sort": kind.sort,
            "count": kind.count,
            "missing": kind.missing.as_ref().map(ToString::to_string),
            "examples": examples.collect::<Vec<_>>(),
        })
    });
    json!({
        "input": input,
        "format": summary.format,
        "utterances": summary.utterances,
        "frames": summary.frames,
        "faults": summary.faults,
        "notes": summary.notes,
        "kinds": kinds.collect::<Vec<_>>(),
    })
}
