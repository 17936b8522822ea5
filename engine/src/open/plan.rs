//! A plan without outputs: its utterances, for programs that read them one by one.

use spr_core::bytes::Env;
use spr_core::format::{Registry, Request};
use spr_core::{Error, Result};

use super::{OpenedInput, open_again, open_all, over};
use crate::plan::order::Order;
use crate::plan::{Input, Plan, Work};
use crate::step::{Extent, ListCache, Step, Surroundings};

impl Plan {
    /// Opens the inputs as one reader, with all that joins them and all steps, in a pass through the
    /// data, from 0. The request is for what comes out; its share is one of the inputs.
    ///
    /// # Errors
    /// The first input can't be opened, or what joins it, or something is to be read twice and can't
    /// be.
    pub fn open(
        &self,
        request: Request,
        pass: u64,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        let order = Order::of(self, true)?;
        check_pipes(&order, env)?;
        let files = ListCache::default();
        let mut work = [&order.steps[..], &order.joins].concat();
        // Whoever reads utterances one by one reads ahead on demand.
        work.retain(|work| *work != Work::ReadAhead);
        let joins = work
            .iter()
            .any(|work| !matches!(work, Work::Step(_) | Work::Measure(_)));
        let (after, share) = request.clone().split_share();
        let of_all = match joins {
            true => after.before_stages().distinct(request.distinct),
            false => after.clone(),
        };
        let at = (registry, env);
        let of_inputs = |extent| match &share {
            Some(share) if extent == Extent::Share => Ok(of_all.clone().share(*share)),
            _ => keys_first(&order.steps, of_all.clone(), &files, at),
        };
        let (inputs, each) = (&order.inputs, &order.each);
        let mut opened = open_all(inputs, each, of_inputs(Extent::Share)?, &files, at)?;
        let again = |extent| open_again(inputs, each, of_inputs(extent)?, &files, at);
        let partitioning = opened.format.info().pdnn;
        let how = (pass, partitioning);
        opened.reader = over(opened.reader, &work, how, &again, &files, at)?;
        if joins {
            opened.reader = after.rest(opened.reader, env)?;
        }
        Ok(opened)
    }
}

/// The request with the keys that the first steps choose, so that the rest need not be read.
///
/// # Errors
/// A list of keys can't be read.
pub(crate) fn keys_first(
    steps: &[Work],
    mut request: Request,
    files: &ListCache,
    (registry, env): (&Registry, &Env),
) -> Result<Request> {
    let at = Surroundings {
        registry: Some(registry),
        files: files.clone(),
        ..Surroundings::new(env)
    };
    for work in steps {
        let Work::Step(step) = work else { break };
        let Some((wanted, is_list)) = step.key_filter(&at)? else {
            break;
        };
        request = request.keys(move |key| wanted(key));
        // All keys of a list must be read, wanted or not; otherwise they would count as missing.
        if is_list {
            break;
        }
    }
    Ok(request)
}

/// Checks that the inputs, and labels that join them, can be read a second time.
///
/// # Errors
/// One is a pipe.
pub(crate) fn check_lasting(order: &Order, env: &Env) -> Result<()> {
    order.inputs.iter().try_for_each(|input| {
        input.check_lasting(env)?;
        let labels = input.joins.labels.iter();
        let mut labels = labels.flat_map(|labels| &labels.inputs);
        labels.try_for_each(|labels| labels.check_lasting(env))
    })
}

/// Refuses pipes that would have to be read more than once.
///
/// # Errors
/// There is one.
pub(crate) fn check_pipes(order: &Order, env: &Env) -> Result<()> {
    let piped = |input: &&Input| {
        let labels = input.joins.labels.as_ref();
        labels.is_some_and(|labels| labels.is_read_once(env))
    };
    if order.inputs.len() > 1 && order.inputs.iter().filter(piped).count() > 1 {
        return Err(Error::usage(
            "labels for several inputs can't be read from a pipe",
        ));
    }
    let twice = |work: &Work| matches!(work, Work::Step(step) if Step::reads_twice(step));
    let mut work = order.each.iter().flatten().chain(&order.steps);
    match work.any(twice) {
        true => check_lasting(order, env),
        false => Ok(()),
    }
}
