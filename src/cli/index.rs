//! `spr-convert index IN`.

use clap::Args;
use serde_json::json;
use spr_core::Result;

use super::args::ReadArgs;
use super::exit::DONE;
use super::out::print_json;
use super::session::Session;
use super::words::data_set;
use super::{messages, plan};
use crate::verbs::index::{index, location};

pub(super) const EXAMPLES: &str = "\
For a Kaldi archive the index is its script file; for a PFile or a pickle, the \
side file with the names and lengths of its utterances. A script file is written \
anew, with the names of moved files changed.

Examples:
  spr-convert index feats.ark           writes feats.scp
  spr-convert index feats.ark -o a.scp  under another name
  spr-convert index train.pfile         writes train.pfile.utt2num_frames
  spr-convert index old.scp -o feats.scp --map-path /old/disk=/new/disk";

#[derive(Args, Debug, Clone)]
pub(super) struct IndexArgs {
    /// The file to index
    #[arg(value_name = "IN", value_parser = data_set())]
    path: String,
    /// Where to write; next to the file by default
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
    /// Replace an existing index
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// Writes an index.
pub(super) fn run(args: &IndexArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let mut env = plan::env(&args.read, session)?;
    let (input, skipped) = plan::readable_one(&args.path, None, &args.read, registry, &mut env)?;
    if args.read.explain {
        let beside = location(&input, registry, &env)?.map(|at| at.to_string());
        let Some(output) = args.output.clone().or(beside) else {
            return plan::explain(&[input], &args.read, registry, &env);
        };
        let output = ("an index", Some(&*output));
        return plan::explain_written(&[input], output, &args.read, registry, &env);
    }
    let output = args.output.as_deref();
    let done = index(&input, output, args.overwrite, registry, &env)?;
    if args.read.json {
        // Nothing may stand between the lines of the index.
        if done.written.as_deref() != Some("-") {
            let facts = json!({
                "input": input.text(),
                "index": done.written,
                "utterances": done.utterances,
            });
            print_json(&facts)?;
        }
    } else if !args.read.quiet {
        messages::plain(&match done.written {
            None => format!("{} has its side file already", input.text()),
            Some(name) => format!("{} ({name})", messages::count(done.utterances, "utterance")),
        });
    }
    Ok(skipped.status(DONE))
}
