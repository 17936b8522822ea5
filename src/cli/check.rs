//! `spr-convert check IN...`.

use clap::Args;
use serde_json::json;
use spr_core::Result;
use spr_core::format::Registry;

use super::args::ReadArgs;
use super::exit::{DONE, FAILED, NO};
use super::out::{print_json, print_lines};
use super::session::Session;
use super::words::data_set;
use super::{messages, plan, remedy};
use crate::argument::Input;
use crate::plan::Labels;
use crate::verbs::check::{Finding, Options, Summary, check};

const EXAMPLES: &str = "\
Examples:
  spr-convert check feats.ark            all that is wrong, with its place
  spr-convert check feats.scp --labels ali.ark  and whether the labels fit
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
    /// Check ends, counts, indexes and offsets, but not values
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// Checks data sets.
pub(super) fn run(args: &CheckArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let env = plan::env(&args.read, session)?;
    let mut options = Options {
        quick: args.quick,
        labels: None,
    };
    if let Some(labels) = &args.labels {
        options.labels = Some(Labels::of(Input::parse(labels, None, &[], registry, &env)?));
    }
    let mut status = DONE;
    let mut hint = String::new();
    for mut input in plan::inputs(&args.paths, &args.read, registry, &env)? {
        if args.read.explain {
            if let Some(labels) = options.labels.clone() {
                input.join_labels(labels)?;
            }
            plan::explain(&[input], &args.read, registry, &env)?;
            continue;
        }
        let mut written = Ok(DONE);
        let mut show = |finding: Finding| {
            if written.is_ok() {
                written = match args.read.json {
                    true => print_json(&finding_json(&finding, registry)),
                    false => print_lines(&describe(&finding, &mut hint, registry)),
                };
            }
        };
        let result = check(&input, &options, registry, &env, &mut show);
        written?;
        match result {
            Ok(summary) => {
                match (args.read.json, args.read.quiet) {
                    (true, _) => print_json(&summary_json(input.text(), &summary))?,
                    (false, false) => print_lines(&[closing(input.text(), &summary)])?,
                    (false, true) => DONE,
                };
                if summary.faults > 0 {
                    status = status.max(NO);
                }
            }
            Err(error) => {
                session.error(error);
                status = FAILED;
            }
        }
    }
    Ok(status)
}

/// A finding for people: where and what, and a second line with what to do, unless the finding
/// before had the same.
fn describe(finding: &Finding, last: &mut String, registry: &Registry) -> Vec<String> {
    let name = finding.severity.name();
    let mut lines = vec![format!("{name}: {}", finding.error)];
    if let Some(hint) = remedy::hint(&finding.error, registry).filter(|hint| hint != last) {
        lines.push(format!("  hint: {hint}"));
        *last = hint;
    }
    lines
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

fn finding_json(finding: &Finding, registry: &Registry) -> serde_json::Value {
    let mut value = messages::error_json(&finding.error, registry);
    value["severity"] = json!(finding.severity.name());
    value["sort"] = json!(finding.sort);
    value
}

fn summary_json(input: &str, summary: &Summary) -> serde_json::Value {
    json!({
        "input": input,
        "format": summary.format,
        "utterances": summary.utterances,
        "frames": summary.frames,
        "faults": summary.faults,
        "notes": summary.notes,
    })
}
