//! `spr-convert ls IN...`.

use clap::Args;
use serde_json::{Value, json};
use spr_core::Result;
use spr_core::format::Request;
use spr_core::model::Utterance;
use spr_stats::Entry;

use super::args::ReadArgs;
use super::exit::DONE;
use super::out::{Columns, Out};
use super::plan;
use super::session::Session;
use super::words::data_set;
use crate::verbs::key_json;

pub(super) const EXAMPLES: &str = "\
A line is: key, what it holds, frames, columns, element type, and the byte at which it starts in
its file, - where that is not known. Of several inputs, the first word is the input.

Examples:
  spr-convert ls feats.scp                 every utterance of the script file
  spr-convert ls train.pfile | wc -l       how many there are
  spr-convert ls --json a.ark b.pfile      an object a line, for programs";

#[derive(Args, Debug, Clone)]
pub(super) struct LsArgs {
    /// Data to list
    #[arg(value_name = "IN", value_parser = data_set(), required = true)]
    paths: Vec<String>,
    #[command(flatten)]
    read: ReadArgs,
}

/// Lists the entries of data sets.
pub(super) fn run(args: &LsArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let env = plan::env(&args.read, session)?;
    let (inputs, skipped) = plan::readable(&args.paths, &args.read, registry, &env)?;
    if args.read.explain {
        return plan::explain(&inputs, registry, &env);
    }
    let mut out = Out::new();
    let several = inputs.len() > 1;
    let mut columns = Columns::new(2 + usize::from(several));
    let mut utt = Utterance::default();
    for input in &inputs {
        let mut reader = input.open(Request::all(), registry, &env)?.reader;
        loop {
            let more = reader.read(&mut utt);
            if !matches!(more, Ok(true)) {
                // What came before an error is shown before it is told.
                columns.finish(&mut out)?;
                more?;
                break;
            }
            let entry = Entry::of(&utt);
            if args.read.json {
                out.json(&json(&entry, input.text()))?;
                continue;
            }
            let mut words = words(&entry);
            if several {
                words.insert(0, input.text().to_owned());
            }
            columns.line(words, &mut out)?;
        }
    }
    out.finish()?;
    Ok(skipped.status(DONE))
}

/// An entry as an object of JSON.
fn json(entry: &Entry, input: &str) -> Value {
    json!({
        "input": input,
        "key": key_json(&entry.key),
        "kinds": entry.kinds,
        "frames": entry.frames,
        "dim": entry.dim,
        "dtype": entry.dtype,
        "offset": entry.offset,
        "seconds": entry.seconds,
    })
}

fn words(entry: &Entry) -> Vec<String> {
    let known = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    vec![
        entry.key.to_string(),
        entry.kinds.join("+"),
        entry.frames.to_string(),
        known(entry.dim.map(|n| n.to_string())),
        known(entry.dtype.map(str::to_owned)),
        known(entry.offset.map(|n| n.to_string())),
    ]
}
