//! `spr-convert show IN [KEY...]`.

use clap::Args;
use spr_core::Result;
use spr_core::bytes::Locator;
use spr_core::format::{Options, Request};
use spr_core::model::{Key, Utterance};

use super::args::ReadArgs;
use super::exit::DONE;
use super::out::Out;
use super::plan;
use super::session::Session;
use super::values::show;
use super::words::data_set;
use crate::verbs::show::{Window, find};

pub(super) const EXAMPLES: &str = "\
Examples:
  spr-convert show feats.scp ann-001                    one utterance
  spr-convert show feats.scp ann-001 --range 0:9,0:3    its first 10 frames, 4 columns of them
  spr-convert show ali.ark --head 3                     the first 3 utterances
  spr-convert show train.pfile ann-001 --json           as a line of jsonl";

#[derive(Args, Debug, Clone)]
pub(super) struct ShowArgs {
    /// Data to look into
    #[arg(value_name = "IN", value_parser = data_set())]
    path: String,
    /// The utterances to show, all if none is named
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Rows and columns to show, such as 0:9,0:3; they count from 0, the last one is included
    #[arg(long, value_name = "ROWS,COLS", conflicts_with = "json")]
    range: Option<Window>,
    /// Show only the first N utterances
    #[arg(long, value_name = "N", conflicts_with = "keys")]
    head: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
}

/// Shows what entries hold.
pub(super) fn run(args: &ShowArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let env = plan::env(&args.read, session)?;
    let (input, skipped) = plan::readable_one(&args.path, &args.read, registry, &env)?;
    if args.read.explain {
        return plan::explain(&[input], registry, &env);
    }
    let window = args.range.clone().unwrap_or_default();
    let mut out = Out::new();
    let mut lines = match args.read.json {
        true => {
            let options = Options::default();
            Some(
                registry
                    .get("jsonl")?
                    .create(env.output(&Locator::Standard), &options, &env)?,
            )
        }
        false => None,
    };
    let mut each = |utt: &Utterance, live: bool| match &mut lines {
        Some(lines) => lines.write(utt).map_err(|e| e.utterance(&utt.key)),
        None => {
            show(utt, &window, &mut out)?;
            if live { out.flush() } else { Ok(()) }
        }
    };
    if args.keys.is_empty() {
        let mut reader = input.open(Request::all(), registry, &env)?.reader;
        let mut utt = Utterance::default();
        let live = reader.info().live;
        let mut left = args.head.unwrap_or(u64::MAX);
        while left > 0 && reader.read(&mut utt)? {
            each(&utt, live)?;
            left -= 1;
        }
    } else {
        let keys: Vec<_> = args
            .keys
            .iter()
            .map(|key| Key::from(key.as_str()))
            .collect();
        find(&input, &keys, Request::all(), (registry, &env), |utt| {
            each(utt, false)
        })?;
    }
    match lines {
        Some(lines) => drop(lines.finish()?),
        None => out.finish()?,
    }
    Ok(skipped.status(DONE))
}
