//! `spr-convert repair IN -o OUT`.

use clap::{Args, ValueHint};
use spr_core::Result;
use spr_core::bytes::Location;

use super::args::{ProgressArg, ReadArgs};
use super::convert::Documents;
use super::plan;
use super::session::Session;
use super::words::data_set;
use super::words::file;
use crate::explain;
use crate::shard::Hashes;
use crate::verbs::repair::repair;

const EXAMPLES: &str = "\
Examples:
  spr-convert repair feats.ark -o ark,scp:a.ark,a.scp  what is intact
  spr-convert repair train.pfile -o good.pfile         counts rebuilt
  spr-convert repair features/ -o spr:good/            intact files
  spr-convert repair data/train -o data/good           a data directory";

#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub(super) struct RepairArgs {
    /// Damaged data
    #[arg(value_name = "IN", value_parser = data_set())]
    path: String,
    /// Where to write what is intact
    #[arg(short, long, value_name = "OUT", value_parser = data_set())]
    output: String,
    /// Write this format, whatever the extension
    #[arg(short, long, value_name = "FORMAT")]
    to: Option<String>,
    /// Set an option of the output's format
    #[arg(long = "co", value_name = "KEY=VALUE")]
    output_options: Vec<String>,
    /// Replace an existing output, a folder with all its files; the input is never replaced
    #[arg(long)]
    overwrite: bool,
    /// Add files to an existing folder
    #[arg(long)]
    add: bool,
    /// Write each thing lost, and why, as a line of JSON
    #[arg(
        long,
        value_name = "FILE",
        value_parser = file(),
        value_hint = ValueHint::AnyPath
    )]
    error_log: Option<Location>,
    #[command(flatten)]
    read: ReadArgs,
}

/// Keeps what is whole of damaged data, and lists what is not.
pub(super) fn run(args: &RepairArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let env = plan::env(&args.read, session)?;
    let paths = std::slice::from_ref(&args.path);
    let mut builder = plan::reading(paths, &args.read, registry, &env)?;
    if let Some(format) = &args.to {
        builder.output_format(format)?;
    }
    for (key, value) in plan::pairs(&args.output_options)? {
        builder.output_option(key, value);
    }
    builder.overwrite(args.overwrite).add_files(args.add);
    let job = repair(&mut builder, &args.output)?;
    if args.read.explain {
        let lines = explain::plan(job.plan(), registry, &env)?;
        return plan::understood(&lines, &args.read);
    }
    let documents = Documents {
        log: args.error_log.as_ref(),
        report: None,
        sharding: None,
        hashes: Hashes::default(),
        json: args.read.json,
        quiet: args.read.quiet,
        progress: ProgressArg::Never,
    };
    documents.run(&job, session, &env)
}
