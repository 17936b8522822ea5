//! The program: arguments in, exit status out. Nothing is decided here that a library user
//! can't decide through [`job`](crate::job).

mod args;
mod check;
mod completions;
mod convert;
mod diff;
mod formats;
mod header;
mod index;
mod info;
mod links;
mod ls;
mod man;
mod merge;
mod out;
mod page;
mod plan;
mod plot;
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
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use spr_core::{Error, Result};

use crate::kaldi;
use args::{Cli, Verb};
pub(crate) use report::visible;

/// The program's name in messages.
const NAME: &str = "spr-convert";

/// Exit statuses; `NO` is the answer to a question.
const DONE: u8 = 0;
const NO: u8 = 1;
const FAILED: u8 = 2;
const SKIPPED: u8 = 3;

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
    match run(cli) {
        Ok(status) => ExitCode::from(status),
        Err(error) if error.is_broken_pipe() => ExitCode::from(DONE),
        Err(error) => {
            report::error(&convert::misspelt_file(error));
            ExitCode::from(FAILED)
        }
    }
}

fn run(cli: Cli) -> Result<u8> {
    match cli.verb {
        None => convert::short_form(cli.convert),
        Some(Verb::Convert(args)) => convert::run(*args),
        Some(Verb::Info(args)) => info::run(&args),
        Some(Verb::Check(args)) => check::run(&args),
        Some(Verb::Repair(args)) => repair::run(&args),
        Some(Verb::Header(args)) => header::run(&args),
        Some(Verb::Ls(args)) => ls::run(&args),
        Some(Verb::Show(args)) => show::run(&args),
        Some(Verb::Diff(args)) => diff::run(&args),
        Some(Verb::Select(args)) => select::run(&args),
        Some(Verb::Sort(args)) => sort::run(&args),
        Some(Verb::Merge(args)) => merge::run(&args),
        Some(Verb::Split(args)) => split::run(&args),
        Some(Verb::Index(args)) => index::run(&args),
        Some(Verb::Stats(args)) => stats::run(&args),
        Some(Verb::Plot(args)) => plot::run(&args),
        Some(Verb::Report(args)) => page::run(&args),
        Some(Verb::Formats(args)) => formats::run(&args),
        Some(Verb::KaldiLinks(args)) => links::run(&args),
        Some(Verb::Man(args)) => man::run(&args),
        Some(Verb::Completions(args)) => completions::run(&args),
    }
}

/// Prints lines that hold names from outside, with control characters shown.
fn print_lines<S: AsRef<str>>(lines: &[S]) -> Result<u8> {
    let lines = lines
        .iter()
        .map(|line| visible(line.as_ref()).into_owned() + "\n");
    print(lines.collect::<String>().as_bytes())
}

/// Prints a line of JSON.
fn print_json(text: String) -> Result<u8> {
    print((report::json_line(text) + "\n").as_bytes())
}

/// Prints to standard output.
fn print(bytes: &[u8]) -> Result<u8> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|e| Error::io("cannot write", e).file("-"))?;
    Ok(DONE)
}
