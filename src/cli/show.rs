//! `spr-convert show IN [KEY...]`.

use std::io::{IsTerminal, stdout};

use clap::Args;
use spr_core::Result;
use spr_core::bytes::Locator;
use spr_core::format::{Options, Request};
use spr_core::model::{About, Utterance};

use super::args::ReadArgs;
use super::beside::BesideArgs;
use super::exit::DONE;
use super::out::Out;
use super::session::Session;
use super::values::{View, show};
use super::words::data_set;
use super::{messages, plan};
use crate::builtin;
use crate::verbs::show::{Window, find_named};

pub(super) const EXAMPLES: &str = "\
Examples:
  spr-convert show feats.scp ann-001           one utterance
  spr-convert show feats.scp ann-001 --range 0:9,0:3  10 frames, 4 columns
  spr-convert show ali.ark --head 3            the first 3 utterances
  spr-convert show ali.ark 'ann-*'             those whose keys match
  spr-convert show train.pfile ann-001 --json  as a line of jsonl";

#[derive(Args, Debug, Clone)]
pub(super) struct ShowArgs {
    /// Data to look into
    #[arg(value_name = "IN", value_parser = data_set())]
    path: String,
    /// The utterances to show, by keys or by patterns such as 'ann-*'; all if none is named
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Rows and columns to show, such as 0:9,0:3; counted from 0, the last one included
    #[arg(long, value_name = "ROWS,COLS", conflicts_with = "json")]
    range: Option<Window>,
    /// Show long matrices in full, even on a terminal
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Show only the first N utterances
    #[arg(long, value_name = "N", conflicts_with = "keys")]
    head: Option<u64>,
    #[command(flatten)]
    beside: BesideArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// Shows what entries hold.
pub(super) fn run(args: &ShowArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let mut env = plan::env(&args.read, session)?;
    let beside = Some(&args.beside);
    let (input, skipped) = plan::readable_one(&args.path, beside, &args.read, registry, &mut env)?;
    if args.read.explain {
        return plan::explain(&[input], &args.read, registry, &env);
    }
    let view = View {
        window: args.range.clone().unwrap_or_default(),
        symbols: args.beside.symbols(&env)?,
        brief: !args.all && args.range.is_none() && stdout().is_terminal(),
    };
    let mut out = Out::new();
    let mut lines = match args.read.json {
        true => {
            let output = env.output(&Locator::Standard);
            let canonical = builtin::canonical(registry)?;
            let options = Options::new(canonical.info(), [("schema", "true")])?;
            Some(canonical.create(output, &options, &About::default(), &env)?)
        }
        false => None,
    };
    let mut each = |utt: &Utterance, live: bool| match &mut lines {
        Some(lines) => lines.write(utt).map_err(|e| e.utterance(&utt.key)),
        None => {
            show(utt, &view, &mut out)?;
            if live { out.flush() } else { Ok(()) }
        }
    };
    if args.keys.is_empty() {
        let mut reader = input.open_whole(Request::all(), registry, &env)?.reader;
        let mut utt = Utterance::default();
        let live = reader.info().live;
        let mut left = args.head.unwrap_or(u64::MAX);
        let mut is_empty = left > 0;
        while left > 0 && reader.read(&mut utt)? {
            each(&utt, live)?;
            left -= 1;
            is_empty = false;
        }
        if is_empty {
            messages::empty(&input, &env);
        }
    } else {
        let context = (registry, &env);
        find_named(&input, &args.keys, Request::all(), context, |utt| {
            each(utt, false)
        })?;
    }
    match lines {
        Some(lines) => drop(lines.finish()?),
        None => out.finish()?,
    }
    Ok(skipped.status(DONE))
}
