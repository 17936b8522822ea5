//! `spr-convert sort IN OUT`.

use clap::Args;
use spr_core::Result;

use super::args::ConvertArgs;
use super::session::Session;
use super::words::columns;
use super::{convert, plan};
use crate::step::Step;

pub(super) const EXAMPLES: &str = "\
Columns are those of `ls`, such as key, frames, seconds, speaker, recording and \
start; - before one sorts from high to low. Text is compared byte by byte, as \
`LC_ALL=C sort` does and Kaldi expects; utterances that compare equal keep their \
order, and values that are not known come last. What does not fit in memory goes \
to a temporary file in TMPDIR.

Examples:
  spr-convert sort feats.ark ark,scp:sorted.ark,sorted.scp
  spr-convert sort feats.scp short-first.pfile --by frames
  spr-convert sort train.json sorted.json --by speaker,-seconds
  spr-convert sort huge.ark sorted.ark --memory 8g";

#[derive(Args, Debug, Clone)]
pub(super) struct SortArgs {
    /// Columns of `ls` to sort by; - before one sorts from high to low
    #[arg(
        long,
        default_value = "key",
        value_name = "COLUMN,...",
        value_parser = columns(&[]),
        hide_possible_values = true,
        allow_hyphen_values = true
    )]
    by: String,
    /// Memory to use for utterances
    #[arg(long, value_name = "SIZE", default_value = "128m")]
    memory: String,
    #[command(flatten)]
    convert: ConvertArgs,
}

/// Converts in another order.
pub(super) fn run(args: &SortArgs, session: &Session) -> Result<u8> {
    let step = step(&args.by, &args.memory)?;
    convert::run_with(&args.convert, session, |builder| {
        builder.step(step);
        Ok(())
    })
}

/// The step that sorts by these columns.
///
/// # Errors
/// A column is wrong, or the size.
pub(super) fn step(by: &str, memory: &str) -> Result<Step> {
    let memory = plan::parse_size(memory)?;
    let values = [
        ("column", by.to_owned()),
        ("memory", format!("{}k", memory.div_ceil(1 << 10).max(1))),
    ];
    Step::new("sort", values).map_err(|error| error.context("--by"))
}
