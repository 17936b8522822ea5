//! Temporary files that killed runs left behind.

use spr_core::Error;
use spr_core::bytes::Env;

use super::findings::Findings;
use crate::plan::Plan;

/// Reports those beside or inside the input without changing them. Data that exist only under a
/// temporary name are an error.
pub(super) fn check(input: &Plan, env: &Env, findings: &mut Findings<'_>) {
    for leftover in input.sources().iter().flat_map(|at| env.leftovers(at)) {
        match leftover.is_last {
            true => findings.fault("leftovers", leftover.error()),
            false => findings.note("leftovers", leftover.error()),
        }
    }
}

/// Adds to an error of opening the input where it was moved aside.
pub(super) fn explain(error: Error, input: &Plan, env: &Env) -> Error {
    let sources = input.sources();
    let missing = sources.iter().filter(|at| !env.exists(at));
    let mut left = missing.flat_map(|at| env.leftovers(at));
    match left.find(|leftover| leftover.is_last) {
        Some(leftover) => error.hint(format!(
            "{} is the old file: a run was killed while it replaced it; rename it back",
            leftover.location
        )),
        None => error,
    }
}
