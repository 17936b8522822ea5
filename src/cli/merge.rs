//! `spr-convert merge IN... OUT`.

use clap::Args;
use spr_core::Result;

use super::args::{ConvertArgs, DuplicatesArg};
use super::session::Session;
use super::words::columns;
use super::{convert, sort};

pub(super) const EXAMPLES: &str = "\
Inputs are read one after the other, each in any format. A key found in several \
is refused unless --duplicates says which to keep. With --by the utterances of \
all of them are sorted, as by `sort`.

Examples:
  spr-convert merge mon.ark tue.scp wed.pfile week.ark
  spr-convert merge old.ark new.ark all.ark --duplicates last
  spr-convert merge 'part-*.ark' -o all.pfile
  spr-convert merge a.json b.json all.json --by speaker,key
  spr-convert merge data/mon data/tue -o data/both  data directories, as one";

#[derive(Args, Debug, Clone)]
pub(super) struct MergeArgs {
    /// Sort all utterances by columns of `ls`; - before one sorts from high to low
    #[arg(
        long,
        value_name = "COLUMN,...",
        value_parser = columns(&[]),
        hide_possible_values = true,
        allow_hyphen_values = true
    )]
    by: Option<String>,
    /// With --by, memory to use for utterances
    #[arg(long, value_name = "SIZE", default_value = "128m")]
    memory: String,
    #[command(flatten)]
    convert: ConvertArgs,
}

/// Converts several data sets into one.
pub(super) fn run(args: &MergeArgs, session: &Session) -> Result<u8> {
    args.convert.shard.refuse("merge")?;
    let sorted = args.by.as_deref().map(|by| sort::step(by, &args.memory));
    let sorted = sorted.transpose()?;
    let mut args = args.convert.clone();
    args.same_form = true;
    args.duplicates.get_or_insert(DuplicatesArg::Refuse);
    convert::run_with(&args, session, |builder| {
        if let Some(step) = sorted {
            builder.step(step);
        }
        Ok(())
    })
}
