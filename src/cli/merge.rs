//! `spr-convert merge IN... OUT`.

use clap::Args;
use spr_core::Result;

use super::args::{ConvertArgs, DuplicatesArg};
use super::convert;
use super::session::Session;

pub(super) const EXAMPLES: &str = "\
Inputs are read one after the other, each in any format. A key found in several \
is refused unless --duplicates says which to keep.

Examples:
  spr-convert merge mon.ark tue.scp wed.pfile week.ark
  spr-convert merge old.ark new.ark all.ark --duplicates last
  spr-convert merge 'part-*.ark' -o all.pfile
  spr-convert merge data/mon data/tue -o data/both  data directories, as one";

#[derive(Args, Debug, Clone)]
pub(super) struct MergeArgs {
    #[command(flatten)]
    convert: ConvertArgs,
}

/// Converts several data sets into one.
pub(super) fn run(args: &MergeArgs, session: &Session) -> Result<u8> {
    args.convert.shard.refuse("merge")?;
    let mut args = args.convert.clone();
    args.same_form = true;
    args.duplicates.get_or_insert(DuplicatesArg::Refuse);
    convert::run_with(&args, session, |_, _| Ok(()))
}
