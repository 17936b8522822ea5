//! Checks of data sets that report all faults, not only the first.
//!
//! ```no_run
//! use spr_convert::{builder::PlanBuilder, builtin, verbs::check};
//! let registry = builtin::registry();
//! let env = builtin::env();
//! for input in PlanBuilder::new(&registry, &env).input("feats.scp")?.finish_each()? {
//!     let show = &mut |finding: check::Finding| println!("{}", finding.error);
//!     check::check(&input, &check::Options::default(), &registry, &env, show)?;
//! }
//! # Ok::<(), spr_convert::Error>(())
//! ```

mod against;
mod constant;
mod contents;
mod findings;
mod kinds;
mod labels;
mod leftovers;
mod names;
mod sound;
mod stream;
mod values;

pub use kinds::Kind;
pub use spr_core::format::{Finding, Severity};

use spr_core::bytes::Env;
use spr_core::format::{Format, Registry};
use spr_core::{Error, ErrorKind, Result};

use crate::builder::PlanBuilder;
use crate::plan::Plan;
use findings::Findings;

/// The options of a check.
#[derive(Clone, Default)]
pub struct Options {
    /// Whether only ends, counts, indexes and offsets are checked, not values.
    pub quick: bool,
    /// A data set whose speakers and keys should be others, such as a validation set.
    pub against: Option<Plan>,
    /// Whether each finding is reported, not only the first hundred of each sort.
    pub all: bool,
}

/// The result of a check.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The format's name.
    pub format: &'static str,
    /// The number of utterances that could be read.
    pub utterances: u64,
    /// Their frames.
    pub frames: u64,
    /// The total duration of their audio in seconds, as far as known.
    pub seconds: f64,
    /// The number of errors.
    pub faults: u64,
    /// The number of possible errors.
    pub notes: u64,
    /// The kinds of findings, the worst first.
    pub kinds: Vec<Kind>,
}

/// Checks a data set, and those that belong to it, and tells `found` of each finding. The data are
/// read as a conversion reads them, sound is loaded, and the format says what else it knows.
///
/// Memory holds 64 bits for each key, 128 for each sound, and a few utterances, not the data.
///
/// # Errors
/// It can't be opened at all, or the labels can't be read.
pub fn check(
    input: &Plan,
    options: &Options,
    registry: &Registry,
    env: &Env,
    found: &mut dyn FnMut(Finding),
) -> Result<Summary> {
    let mut findings = Findings::new(options.all, found);
    let mut summary = Summary::default();
    let meant = meant(input, registry, env)?;
    let input = meant.as_ref().unwrap_or(input);
    let context = (registry, env);
    if let Some(other) = &options.against {
        against::check_readable(input, other, env)?;
    }
    // Labels that join are compared with the data, and need not fit.
    let (input, labels) = input.split_labels();
    let (input, labels) = (&input, labels.as_ref());
    let members = stream::check(input, labels, options, context, &mut summary, &mut findings)
        .map_err(|error| leftovers::explain(error, input, env))?;
    if let Some(other) = &options.against {
        against::compare(input, other, registry, env, &mut findings)?;
    }
    for (format, at) in members {
        let mut own = Summary::default();
        let mut builder = PlanBuilder::new(registry, env);
        let builder = builder.format(format)?.input(&at.to_string())?;
        for member in builder.finish_each()? {
            stream::check(&member, None, options, context, &mut own, &mut findings)?;
        }
    }
    leftovers::check(input, env, &mut findings);
    summary.kinds = findings.close(env);
    (summary.faults, summary.notes) = (findings.faults, findings.notes);
    Ok(summary)
}

/// The input as a folder of the format that it is meant for, where it lacks so much that it is not
/// recognised.
fn meant(input: &Plan, registry: &Registry, env: &Env) -> Result<Option<Plan>> {
    let Some(folder) = input.folder() else {
        return Ok(None);
    };
    if input.only()?.whole_folder(registry, env).is_some() {
        return Ok(None);
    }
    let entries = env.entries(folder).unwrap_or_default();
    let names: Vec<_> = entries
        .iter()
        .filter_map(|at| at.name()?.to_str())
        .collect();
    let suits = |format: &&'static dyn Format| {
        let audit = format.audit();
        audit.is_some_and(|audit| audit.suits(&names))
    };
    match registry.formats().find(suits) {
        Some(format) => {
            let folder = folder.to_string();
            let mut builder = PlanBuilder::new(registry, env);
            let plan = builder
                .format(format.info().name)?
                .input(&folder)?
                .finish()?;
            Ok(Some(plan))
        }
        None => Ok(None),
    }
}

/// Returns `true` if the data are faulty, and not the argument or the system.
pub(crate) fn is_damage(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Malformed | ErrorKind::Truncated | ErrorKind::Limit
    )
}

/// Returns an error about a whole file.
fn about(name: impl Into<String>, message: impl Into<String>) -> Error {
    Error::unfit(message).file(name)
}
