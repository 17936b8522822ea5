//! `spr-convert repair IN -o OUT`.

use std::path::PathBuf;

use clap::Args;
use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::Registry;
use spr_text::json_line;

use super::args::{ProgressArg, ReadArgs};
use super::exit::{DONE, SKIPPED};
use super::progress::Progress;
use super::{convert, messages, plan};
use crate::argument::{Input, Pair, Target};
use crate::builtin;
use crate::job::{Job, OnError};

const EXAMPLES: &str = "\
Examples:
  spr-convert repair feats.ark -o ark,scp:good.ark,good.scp   what is whole, and its index
  spr-convert repair train.pfile -o good.pfile                counts and table made anew
  spr-convert repair features/ -o spr:good/                   the files that can be read";

#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub(super) struct RepairArgs {
    /// Damaged data
    #[arg(value_name = "IN")]
    path: String,
    /// Where to write what is whole
    #[arg(short, long, value_name = "OUT")]
    output: String,
    /// Write this format, whatever the extension
    #[arg(short, long, value_name = "FORMAT")]
    to: Option<String>,
    /// Set an option of the output's format
    #[arg(long = "co", value_name = "KEY=VALUE")]
    output_options: Vec<String>,
    /// Replace an output that exists; the input is never replaced
    #[arg(long)]
    overwrite: bool,
    /// Write each thing lost and why as a line of JSON
    #[arg(long, value_name = "FILE")]
    error_log: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

/// Keeps what is whole of damaged data, and lists what is not.
pub(super) fn run(args: &RepairArgs) -> Result<u8> {
    let registry = builtin::registry();
    let env = plan::env(&args.read)?;
    let mut input = plan::input(&args.path, &args.read, &registry)?;
    input.salvaged();
    let to = plan::format(args.to.as_ref(), &registry)?;
    let mut pairs = plan::pairs(&args.output_options)?;
    let target = Target::parse(&args.output, to, &pairs, &registry)?;
    if !input.is_stdin() {
        pairs.extend(form(&input, &target, &registry, &env)?);
    }
    let target = Target::parse(&args.output, to, &pairs, &registry)?;
    let mut job = Job::new(vec![input], target);
    job.on_error = OnError::Skip;
    job.overwrite = args.overwrite;
    let log = match &args.error_log {
        Some(path) => Some(convert::log(path, &job, &env)?),
        None => None,
    };
    let mut progress = Progress::new(ProgressArg::Never, args.read.quiet, log);
    let outcome = job.run(&registry, &env, &mut progress)?;
    if args.read.json {
        let summary = messages::summary_json(&outcome, job.target.text());
        eprintln!("{}", json_line(summary.to_string()));
    } else if !args.read.quiet {
        messages::closing(&outcome, &job.policy, false);
    }
    Ok(if outcome.skipped > 0 { SKIPPED } else { DONE })
}

/// The options by which Kaldi's data keep the form they have: text or binary, compressed or not.
fn form(input: &Input, target: &Target, registry: &Registry, env: &Env) -> Result<Vec<Pair>> {
    let opened = input.open(registry, env)?;
    let name = opened.format.info().name;
    if name != "kaldi" || target.format().info().name != name {
        return Ok(Vec::new());
    }
    let (key, value) = match opened.reader.info().byte_order {
        Some(_) => ("compress", "keep"),
        None => ("text", "true"),
    };
    let given = target.options()?.get(key).is_some();
    let pair = (key.to_owned(), value.to_owned());
    Ok((!given).then_some(pair).into_iter().collect())
}
