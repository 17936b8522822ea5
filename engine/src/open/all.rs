//! Several inputs, one after the other.

use std::iter;

use spr_core::bytes::Env;
use spr_core::format::{Registry, Request};
use spr_core::stage::Chain;
use spr_core::{Error, Result};

use super::OpenedInput;
use crate::plan::{Input, Work, of_input};
use crate::step::StepFiles;

impl Input {
    /// Opens several data sets as one; each after the first is opened when it is reached.
    ///
    /// # Errors
    /// There is none, or the first cannot be opened.
    pub fn open_all(
        inputs: &[Self],
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        let work: Vec<_> = inputs.iter().map(|input| of_input(input, false)).collect();
        open_all(
            inputs,
            &work,
            request,
            &StepFiles::default(),
            (registry, env),
        )
    }
}

/// Opens several data sets as one, each with the work on it; `files` has what was read of other files.
///
/// # Errors
/// There is none, or the first can't be opened.
pub fn open_all(
    inputs: &[Input],
    work: &[Vec<Work>],
    request: Request,
    files: &StepFiles,
    (registry, env): (&Registry, &Env),
) -> Result<OpenedInput> {
    let mut all = inputs.iter().cloned().zip(work.iter().cloned());
    let Some((first, own)) = all.next() else {
        return Err(Error::usage("no input"));
    };
    let rest: Vec<_> = all.collect();
    if rest.is_empty() {
        return first.open_with(&own, request, files, (registry, env));
    }
    let distinct = request.distinct;
    let names = inputs.iter().map(|input| input.text.clone()).collect();
    let (each, share) = request.split_share();
    let mut opened = first.open_with(&own, each.clone(), files, (registry, env))?;
    let (files, registry, later_env) = (files.clone(), registry.clone(), env.clone());
    let later = rest.into_iter().map(move |(input, own)| {
        let opened = input.open_with(&own, each.clone(), &files, (&registry, &later_env))?;
        Ok(opened.reader)
    });
    let chain = Chain::new(iter::once(Ok(opened.reader)).chain(later))?;
    opened.reader = match distinct {
        true => Box::new(chain.distinct(names, env.limits)),
        false => Box::new(chain),
    };
    if let Some(share) = share {
        opened.reader = Request::all().share(share).rest(opened.reader, env)?;
    }
    Ok(opened)
}
