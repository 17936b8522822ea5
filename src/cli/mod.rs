//! The program: arguments in, exit status out. Nothing is decided here that a library user
//! can't decide through [`job`](crate::job).

mod args;
mod beside;
mod candidates;
mod check;
mod completions;
mod convert;
mod diff;
mod exit;
mod filter;
mod formats;
mod groups;
#[cfg(feature = "spraak")]
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
mod overview;
mod page;
mod plan;
#[cfg(feature = "plot")]
mod plot;
mod program;
mod progress;
mod recording_args;
mod remedy;
mod renamed;
mod repair;
#[cfg(feature = "plot")]
mod report;
mod select;
mod session;
mod shard_args;
mod shards;
mod show;
mod signals;
mod skipped;
mod sort;
mod split;
mod stats;
#[cfg(feature = "survey")]
mod survey;
mod table;
mod values;
mod warnings;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use spr_core::bytes::Location;
use spr_core::format::Registry;

use exit::{DONE, FAILED};
use messages::NAME;
use program::Cli;
use session::Session;
pub use signals::Signals;

use crate::builtin::Places;

/// Runs the program on the formats of `registry`: all verbs, with the arguments of the process, until
/// it is done or a signal stops it. It is for a process that does nothing else.
pub fn main(registry: Registry) -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let places = Places::default();
    let signals = Signals::watch(&places, name(&arguments));
    let status = run(arguments, registry, &places);
    signals.settle();
    ExitCode::from(status)
}

/// Runs a command line, the first word of which is the program's name, to its exit status, on the
/// formats of `registry`. All that is written goes to `places`, to standard output or to standard
/// error; nothing else of the process changes.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    registry: Registry,
    places: &Places,
) -> u8 {
    // As text, whatever bytes they are made of.
    let arguments = arguments
        .into_iter()
        .map(|word| Location::from(word).to_string());
    let arguments: Vec<_> = arguments.map(OsString::from).collect();
    let session = Session::new(registry, places, wants_json(&arguments), program::command);
    #[cfg(feature = "kaldi-tools")]
    if let Some(tool) = tool(&arguments) {
        let status = crate::builtin::tools::main(tool, &arguments, session.plain_env(false));
        session.warnings.tell_rest();
        return status;
    }
    if arguments.len() <= 1 {
        return overview::print(&Cli::command());
    }
    let program = Cli::command();
    let env = session.silent_env();
    let is_file = |word: &str| env.exists(&word.into());
    let arguments = match words::asked(arguments, &program, is_file) {
        Ok(arguments) => arguments,
        Err(error) => {
            session.error(error);
            return FAILED;
        }
    };
    let (arguments, old_names) = renamed::replace(arguments);
    let words = words::plain(arguments);
    let parsed = program.try_get_matches_from(&words);
    let parsed = parsed.and_then(|given| Ok((Cli::from_arg_matches(&given)?, given)));
    let (cli, given) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let late = misspelt::late_verb(&words, &session.command(), &env);
            return match late.filter(|_| error.use_stderr()) {
                Some(late) => {
                    session.error(late);
                    FAILED
                }
                None => session.usage(&error),
            };
        }
    };
    renamed::warn(&old_names, &given);
    let result = program::run(cli, &given, &session);
    session.warnings.tell_rest();
    session.tell_idle_paths();
    match result {
        Ok(status) => status,
        Err(error) if error.is_broken_pipe() => DONE,
        // Whoever stopped the program says so.
        Err(error) if error.is_stopped() => FAILED,
        Err(error) => {
            session.error(error);
            FAILED
        }
    }
}

/// The name of the program that these arguments run: its own, or that of one of Kaldi's tools.
pub fn name(arguments: &[OsString]) -> &'static str {
    #[cfg(feature = "kaldi-tools")]
    if let Some(tool) = tool(arguments) {
        return tool.name;
    }
    #[cfg(not(feature = "kaldi-tools"))]
    let _ = arguments;
    NAME
}

/// Returns `true` if JSON is requested, even if the arguments are wrong.
fn wants_json(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1).take_while(|word| *word != "--");
    words.any(|word| word == "--json")
}

/// The tool of Kaldi's under whose name the program runs.
#[cfg(feature = "kaldi-tools")]
fn tool(arguments: &[OsString]) -> Option<&'static crate::builtin::tools::Tool> {
    crate::builtin::tools::named(arguments.first()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_asked_for_before_the_paths_that_may_look_like_it() {
        let asks =
            |line: &str| wants_json(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(asks("spr-convert info a --json"));
        assert!(!asks("spr-convert info a"));
        assert!(!asks("spr-convert info -- --json"));
    }
}
