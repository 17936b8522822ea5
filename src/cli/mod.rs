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
#[cfg(feature = "kaldi-tools")]
mod links;
mod ls;
mod man;
mod merge;
mod messages;
mod misspelt;
mod out;
mod plan;
#[cfg(feature = "plot")]
mod plot;
mod program;
mod progress;
mod repair;
#[cfg(feature = "plot")]
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

use exit::{DONE, FAILED};
use messages::NAME;
use program::Cli;

/// Runs the program.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<_> = arguments.into_iter().collect();
    #[cfg(feature = "kaldi-tools")]
    if let Some(tool) = arguments
        .first()
        .and_then(|name| spr_kaldi_tools::named(name))
    {
        #[cfg(unix)]
        signals::watch(tool.name);
        return spr_kaldi_tools::main(tool, &arguments);
    }
    #[cfg(unix)]
    signals::watch(NAME);
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(messages::usage(&error)),
    };
    match program::run(cli) {
        Ok(status) => ExitCode::from(status),
        Err(error) if error.is_broken_pipe() => ExitCode::from(DONE),
        Err(error) => {
            messages::error(&misspelt::file(error));
            ExitCode::from(FAILED)
        }
    }
}
