//! Kaldi's copy tools under their own names, with the same options, tables, bytes and exit
//! statuses, so that recipes run unchanged. They fail where Kaldi loses data silently.

mod copy;
mod log;
mod options;
mod paste;
mod segments;
mod select;
mod session;
mod similar;
mod size;
mod table;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use options::{Options, Spec, Wish};
use session::Session;
use spr_core::Result;
use spr_core::bytes::Env;

/// A tool.
pub struct Tool {
    /// Its name, as in Kaldi.
    pub name: &'static str,
    /// The usage text.
    usage: &'static str,
    /// The options besides the standard ones.
    options: &'static [Spec],
    /// The smallest and largest number of arguments.
    arguments: (usize, usize),
    run: fn(&Session) -> Result<u8>,
}

/// Exit statuses.
const DONE: u8 = 0;
/// The wrong number of arguments, or the table was empty.
const NOTHING: u8 = 1;
/// Kaldi's status for an exception, -1.
const FAILED: u8 = 255;

/// All tools.
pub static TOOLS: [&Tool; 15] = [
    &similar::COMPARE_FEATS,
    &copy::feats::TOOL,
    &copy::htk::TOOL,
    &copy::integers::TOOL,
    &copy::matrix::TOOL,
    &copy::posterior::TOOL,
    &copy::vector::TOOL,
    &segments::TOOL,
    &size::FEAT_TO_DIM,
    &size::FEAT_TO_LEN,
    &size::MATRIX_DIM,
    &paste::TOOL,
    &select::SELECT_FEATS,
    &select::SPLICE_FEATS,
    &select::SUBSET_FEATS,
];

/// Returns the tool with the name of the program `program`.
pub fn named(program: &OsStr) -> Option<&'static Tool> {
    let name = Path::new(program).file_name()?;
    TOOLS.into_iter().find(|tool| name == tool.name)
}

/// Runs a tool and returns its exit status. The first of `arguments` is the program's name.
///
/// All files are opened through `env`, which provides the store and the formats of objects in
/// tables. Options determine which commands may run. Warnings go to standard error.
pub fn main(tool: &'static Tool, arguments: &[OsString], env: Env) -> u8 {
    let log = log::Log::new(tool.name);
    let mut texts = Vec::new();
    for argument in arguments {
        match argument.to_str() {
            Some(text) => texts.push(text),
            None => {
                log.say("ERROR", format!("argument {argument:?} is not UTF-8"));
                return NOTHING;
            }
        }
    }
    let env = env.listening(move |warning| log.warning(warning));
    let options = match Options::parse(tool.options, &texts, &env) {
        Ok(Wish::Help) => {
            log.raw(&options::usage(tool.usage, tool.options));
            return DONE;
        }
        Ok(Wish::Run(options)) => options,
        Ok(Wish::Misplaced(error)) => {
            log.raw(&options::usage(tool.usage, tool.options));
            log.error(&error);
            return NOTHING;
        }
        Err(error) => {
            if error.file_name().is_none() {
                log.raw(&options::usage(tool.usage, tool.options));
            }
            log.error(&error);
            return FAILED;
        }
    };
    if options.flag("print-args") {
        log.raw(&log::command_line(&texts));
    }
    let (least, most) = tool.arguments;
    if !(least..=most).contains(&options.arguments().len()) {
        log.raw(&options::usage(tool.usage, tool.options));
        return NOTHING;
    }
    match (tool.run)(&Session::new(log, options, env)) {
        Ok(status) => status,
        Err(error) if error.is_broken_pipe() => DONE,
        Err(error) => {
            log.error(&error);
            FAILED
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_unique() {
        for tool in TOOLS {
            let path = format!("/opt/bin/{}", tool.name);
            assert_eq!(named(OsStr::new(&path)).unwrap().name, tool.name);
            assert!(tool.usage.contains(&format!("Usage: {} ", tool.name)));
            assert!(tool.arguments.0 <= tool.arguments.1);
        }
        let names: std::collections::BTreeSet<_> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), TOOLS.len());
        for other in ["spr-convert", "copy-feats2", "", ".."] {
            assert!(named(OsStr::new(other)).is_none());
        }
    }
}
