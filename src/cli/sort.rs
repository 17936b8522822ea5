//! `spr-convert sort IN OUT`.

use clap::{Args, ValueEnum};
use spr_core::Result;

use super::args::ConvertArgs;
use super::session::Session;
use super::{convert, plan};
use crate::step::Step;

pub(super) const EXAMPLES: &str = "\
Keys are compared byte by byte, as `LC_ALL=C sort` does and Kaldi expects; \
utterances that compare equal keep their order. What does not fit in memory goes \
to a temporary file in TMPDIR.

Examples:
  spr-convert sort feats.ark ark,scp:sorted.ark,sorted.scp
  spr-convert sort feats.scp short-first.pfile --by frames
  spr-convert sort huge.ark sorted.ark --memory 8g";

#[derive(Args, Debug, Clone)]
pub(super) struct SortArgs {
    /// What to sort by
    #[arg(
        long,
        value_enum,
        default_value = "key",
        value_name = "key|frames",
        hide_possible_values = true
    )]
    by: ByArg,
    /// Memory to use for utterances
    #[arg(long, value_name = "SIZE", default_value = "1g")]
    memory: String,
    #[command(flatten)]
    convert: ConvertArgs,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum ByArg {
    Key,
    Frames,
}

/// Converts in another order.
pub(super) fn run(args: &SortArgs, session: &Session) -> Result<u8> {
    let memory = plan::parse_size(&args.memory)?;
    let by = match args.by {
        ByArg::Key => "key",
        ByArg::Frames => "frames",
    };
    convert::run_with(&args.convert, session, |plan, _| {
        let values = [
            (by, by.to_owned()),
            ("memory", format!("{}k", memory.div_ceil(1 << 10).max(1))),
        ];
        plan.steps.push(Step::new("sort", values)?);
        Ok(())
    })
}
