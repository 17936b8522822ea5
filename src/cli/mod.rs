//! The program: arguments in, exit status out. Nothing is decided here that a library user
//! can't decide through [`job`](crate::job).

mod args;
mod check;
mod completions;
mod convert;
mod diff;
mod exit;
mod formats;
mod header;
mod index;
mod info;
mod links;
mod ls;
mod man;
mod merge;
mod misspelt;
mod out;
mod page;
mod plan;
mod plot;
mod program;
mod progress;
mod repair;
mod report;
mod select;
mod show;
#[cfg(unix)]
mod signals;
mod sort;
mod split;
mod stats;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::kaldi;
use exit::{DONE, FAILED};
use program::Cli;
use report::NAME;

/// Runs the program.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let tool = arguments.first().and_then(|name| kaldi::named(name));
    #[cfg(unix)]
    signals::watch(tool.map_or(NAME, |tool| tool.name));
    if let Some(tool) = tool {
        return kaldi::main(tool, &arguments);
    }
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(report::usage(&error)),
    };
    match program::run(cli) {
        Ok(status) => ExitCode::from(status),
        Err(error) if error.is_broken_pipe() => ExitCode::from(DONE),
        Err(error) => {
            report::error(&misspelt::file(error));
            ExitCode::from(FAILED)
        }
    }
}
