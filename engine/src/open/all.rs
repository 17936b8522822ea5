//! Several inputs, one after the other.

use std::iter;

use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry, Request};
use spr_core::stage::Chain;
use spr_core::{Error, Result};

use super::ending::SkippableRest;
use super::input::skipping;
use super::{Faults, OpenedInput};
use crate::plan::{Input, Work};
use crate::step::ListCache;

/// Opens several data sets as one, each with the work on it; `files` has what was read of other files.
///
/// # Errors
/// There is none, or the first can't be opened.
pub(crate) fn open_all(
    inputs: &[Input],
    work: &[Vec<Work>],
    request: Request,
    faults: Faults,
    files: &ListCache,
    (registry, env): (&Registry, &Env),
) -> Result<OpenedInput> {
    let mut all = inputs.iter().cloned().zip(work.iter().cloned());
    let Some((first, own)) = all.next() else {
        return Err(Error::usage("no input"));
    };
    let rest: Vec<_> = all.collect();
    let on_error = request.on_error;
    let is_lenient = |input: &Input| on_error.or(input.on_error).skips();
    let skipped = |input: &Input| faults.skipped && input.on_error.skips();
    if rest.is_empty() {
        let mut opened = first.open_with(&own, request, files, (registry, env))?;
        if skipped(&first) {
            opened.reader = skipping(opened.reader, env);
        }
        if is_lenient(&first) && faults.ends {
            let begun = first.is_cut();
            opened.reader = Box::new(SkippableRest::new(opened.reader, begun));
        }
        return Ok(opened);
    }
    let distinct = request.distinct;
    let names = inputs.iter().map(|input| input.text.clone()).collect();
    let (each, share) = request.split_share();
    let cut = inputs.iter().any(Input::is_cut);
    let takes_all = share.is_none() && !each.has_keys() && !cut;
    let (later_files, later_registry, later_env) = (files.clone(), registry.clone(), env.clone());
    let later = each.clone();
    let open = move |(input, own): (Input, Vec<Work>)| {
        let at = (&later_registry, &later_env);
        let opened = input.open_with(&own, later.clone(), &later_files, at);
        let mut opened = opened.map_err(|error| error.file(input.text()))?;
        if faults.skipped && input.on_error.skips() {
            opened.reader = skipping(opened.reader, &later_env);
        }
        Ok(opened)
    };
    let mut all = iter::once((first, own)).chain(rest);
    let (mut opened, failed) = first_of(&mut all, &is_lenient, &open)?;
    let info = opened.reader.info().clone();
    let later = all.map(move |input| Ok(open(input)?.reader));
    let failed = failed.into_iter().map(Err);
    let openers = failed.chain(iter::once(Ok(opened.reader))).chain(later);
    let tells_empty = takes_all && !work.iter().flatten().any(may_leave_out);
    let chain = Chain::of(info, openers).named(names);
    let chain = chain.warning(env, tells_empty);
    opened.reader = match distinct {
        true => Box::new(chain.distinct(env.limits)),
        false => Box::new(chain),
    };
    if inputs.iter().any(skipped) {
        opened.reader = skipping(opened.reader, env);
    }
    if let Some(share) = share {
        opened.reader = Request::all().share(share).rest(opened.reader, env)?;
    }
    Ok(opened)
}

/// Opens several data sets once more.
///
/// # Errors
/// As [`open_all`], or one of them is a pipe.
pub(crate) fn open_again(
    inputs: &[Input],
    work: &[Vec<Work>],
    request: Request,
    faults: Faults,
    files: &ListCache,
    at: (&Registry, &Env),
) -> Result<Box<dyn Reader>> {
    inputs
        .iter()
        .try_for_each(|input| input.check_lasting(at.1))?;
    Ok(open_all(inputs, work, request, faults, files, at)?.reader)
}

/// Returns `true` if work on an input may leave out utterances.
fn may_leave_out(work: &Work) -> bool {
    matches!(work, Work::Step(step) if step.kind().leaves_out)
}

/// An input, with the work on it.
type PlannedInput = (Input, Vec<Work>);

/// Opens the first of several inputs that can be opened, and returns the errors of those before it.
///
/// # Errors
/// None can be opened, or one that is not lenient cannot.
fn first_of(
    all: &mut dyn Iterator<Item = PlannedInput>,
    is_lenient: &dyn Fn(&Input) -> bool,
    open: &dyn Fn(PlannedInput) -> Result<OpenedInput>,
) -> Result<(OpenedInput, Vec<Error>)> {
    let mut failed = Vec::new();
    for (input, own) in all {
        let lenient = is_lenient(&input);
        match open((input, own)) {
            Ok(opened) => return Ok((opened, failed)),
            Err(error) if lenient && error.ends_one_input() => failed.push(error),
            Err(error) => return Err(error),
        }
    }
    let first = failed.into_iter().next();
    Err(first.unwrap_or_else(|| Error::usage("no input")))
}
