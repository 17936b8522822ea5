//! What is wrong with a data set, all of it and not only the first fault.
//!
//! ```no_run
//! use spr_convert::{argument::Input, builtin, verbs::check};
//! let registry = builtin::registry();
//! let env = builtin::env();
//! for input in Input::parse("feats.scp", None, &[], &registry, &env)? {
//!     let show = &mut |finding: check::Finding| println!("{}", finding.error);
//!     check::check(&input, &check::Options::default(), &registry, &env, show)?;
//! }
//! # Ok::<(), spr_convert::Error>(())
//! ```

mod findings;
mod folder;
mod labels;
mod leftovers;
mod lines;
mod names;
mod script;
mod sound;
mod stream;
mod values;

pub use findings::{Finding, Severity};

use spr_core::bytes::{Env, FileKind, Location};
use spr_core::format::Registry;
use spr_core::{Error, ErrorKind, Result};

use crate::argument::Input;
use findings::Findings;
use stream::Beside;

/// What is to be checked.
#[derive(Clone, Default)]
pub struct Options {
    /// Only ends, counts, indexes and offsets: the values are not read.
    pub quick: bool,
    /// A data set with labels for each utterance.
    pub labels: Option<Input>,
}

/// What was checked and found.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The format's name; `data folder` for one of Kaldi's.
    pub format: &'static str,
    /// Utterances that could be read.
    pub utterances: u64,
    /// Their frames.
    pub frames: u64,
    /// Seconds of their sound, as far as they are known.
    pub seconds: f64,
    /// Things that are wrong.
    pub faults: u64,
    /// Things that may be meant.
    pub notes: u64,
}

/// Checks a data set, or a data folder of Kaldi's, and tells `found` of each finding.
///
/// Memory holds 64 bits for each key and a few utterances, not the data.
///
/// # Errors
/// It can't be opened at all, or the labels can't be read.
pub fn check(
    input: &Input,
    options: &Options,
    registry: &Registry,
    env: &Env,
    found: &mut dyn FnMut(Finding),
) -> Result<Summary> {
    let mut findings = Findings::new(found);
    let mut summary = Summary::default();
    let data_folder = input.folder().filter(|at| folder::is_data_folder(at, env));
    if let Some(at) = data_folder {
        summary.format = "data folder";
        folder::check(at, options, registry, env, &mut summary, &mut findings)?;
    } else {
        let beside = Beside {
            frames: None,
            labels: options.labels.clone(),
        };
        stream::check(
            input,
            options.quick,
            &beside,
            (registry, env),
            &mut summary,
            &mut findings,
        )
        .map_err(|error| leftovers::explain(error, input, env))?;
    }
    leftovers::check(input, env, &mut findings);
    findings.close();
    (summary.faults, summary.notes) = (findings.faults, findings.notes);
    Ok(summary)
}

/// Whether it is the bytes that are at fault, and not the argument or the system.
pub(crate) fn is_damage(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Malformed | ErrorKind::Truncated | ErrorKind::Limit
    )
}

/// Whether there is a file of this name.
fn is_file(at: &Location, env: &Env) -> bool {
    let look = env.look(at).ok().flatten();
    look.is_some_and(|look| look.kind == FileKind::File)
}

/// An error about the whole of a file.
fn about(name: impl Into<String>, message: impl Into<String>) -> Error {
    Error::unfit(message).file(name)
}
