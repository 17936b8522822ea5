//! `spr-convert merge IN... OUT`.

use clap::{Args, ValueEnum};
use spr_core::Result;

use super::args::ConvertArgs;
use super::convert;
use super::session::Session;
use crate::verbs::select::{Duplicates, unique};

pub(super) const EXAMPLES: &str = "\
Inputs are read one after the other, each of any format. A key that stands in several is refused
unless --duplicates says which to keep.

Examples:
  spr-convert merge mon.ark tue.scp wed.pfile week.ark
  spr-convert merge old.ark new.ark all.ark --duplicates last
  spr-convert merge 'part-*.ark' -o all.pfile";

#[derive(Args, Debug, Clone)]
pub(super) struct MergeArgs {
    /// Which of several utterances of one key to keep
    #[arg(
        long,
        value_enum,
        default_value = "refuse",
        value_name = "refuse|first|last",
        hide_possible_values = true
    )]
    duplicates: DuplicatesArg,
    #[command(flatten)]
    convert: ConvertArgs,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum DuplicatesArg {
    Refuse,
    First,
    Last,
}

/// Converts several data sets into one.
pub(super) fn run(args: &MergeArgs, session: &Session) -> Result<u8> {
    let how = match args.duplicates {
        DuplicatesArg::Refuse => Duplicates::Refuse,
        DuplicatesArg::First => Duplicates::First,
        DuplicatesArg::Last => Duplicates::Last,
    };
    convert::run_with(&args.convert, session, |job, registry, _| {
        let stage = unique(how, job, registry);
        job.stages.push(stage);
        Ok(())
    })
}
