//! `spr-convert report IN -o OUT`.

use clap::Args;
use spr_core::Result;

use super::args::ReadArgs;
use super::plan;
use super::plot::store;
use crate::builtin;
use crate::verbs::plot::Overview;
use crate::verbs::report::{Origin, PICTURE, page};

pub(super) const EXAMPLES: &str = "\
The page stands alone: no network, no scripts, light or dark as the browser is.

Examples:
  spr-convert report train.pfile -o train.html
  spr-convert report feats.scp -o - > feats.html";

#[derive(Args, Debug, Clone)]
pub(super) struct ReportArgs {
    /// Data to report on
    #[arg(value_name = "IN")]
    path: String,
    /// Where to write the page
    #[arg(short, long, value_name = "OUT")]
    output: String,
    /// Replace a page that exists
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// Writes a page about a data set.
pub(super) fn run(args: &ReportArgs) -> Result<u8> {
    let registry = builtin::registry();
    let env = plan::env(&args.read)?;
    let input = plan::input(&args.path, &args.read, &registry)?;
    if args.read.explain {
        return plan::explain(&[input], &registry, &env);
    }
    let opened = input.open(&registry, &env)?;
    let (mut reader, format) = (opened.reader, opened.format.info().name);
    let all = Overview::read(reader.as_mut(), Some(PICTURE))?;
    let origin = Origin {
        input: input.text().to_owned(),
        format: format.to_owned(),
        info: reader.info().clone(),
    };
    let html = page(&origin, &all);
    store(
        html.as_bytes(),
        &args.output,
        args.overwrite,
        args.read.quiet,
        &env,
    )
}
