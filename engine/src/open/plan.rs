//! A plan without outputs: its utterances, for programs that read them one by one.

use spr_core::bytes::Env;
use spr_core::format::{Format, OpenedDataset, Registry, Request};
use spr_core::{Error, Result};

use super::input::skipping;
use super::{Faults, OpenedInput, open_again, open_all, over};
use crate::plan::order::Order;
use crate::plan::{Input, Plan, Work, of_input};
use crate::step::{Extent, ListCache, Step, Surroundings};

impl Plan {
    /// Opens the inputs as one reader, with all that joins them and all steps. Faulty utterances are
    /// skipped and reported if the plan says so. The request is for what comes out; its share is one
    /// of the inputs.
    ///
    /// # Errors
    /// The first input can't be opened, or what joins it, or something is to be read twice and can't
    /// be.
    pub fn open(&self, request: Request, registry: &Registry, env: &Env) -> Result<OpenedInput> {
        self.open_pass(request, 0, registry, env)
    }

    /// Opens it for a pass through the data, from 0. What steps draw at random is drawn otherwise in
    /// each.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_pass(
        &self,
        request: Request,
        pass: u64,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        let mut opened = self.opened(request, pass, (true, true), (registry, env))?;
        if self.on_error().skips() {
            opened.reader = skipping(opened.reader, env);
        }
        Ok(opened)
    }

    /// Opens it for a caller to whom data that break off are at fault, whatever is skipped.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_whole(
        &self,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        self.opened(request, 0, (true, false), (registry, env))
    }

    /// Opens it for a caller that gets all faulty utterances as errors.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_unskipped(
        &self,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        self.opened(request, 0, (false, false), (registry, env))
    }

    fn opened(
        &self,
        request: Request,
        pass: u64,
        (skipped, ends): (bool, bool),
        at: (&Registry, &Env),
    ) -> Result<OpenedInput> {
        let faults = Faults { skipped, ends };
        let order = Order::of(self, true)?;
        check_pipes(&order, at.1)?;
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
        let of_inputs = |extent| match &share {
            Some(share) if extent == Extent::Share => Ok(of_all.clone().share(*share)),
            _ => keys_first(&order.steps, of_all.clone(), &files, at),
        };
        let (inputs, each) = (&order.inputs, &order.each);
        let request = of_inputs(Extent::Share)?;
        let mut opened = open_all(inputs, each, request, faults, &files, at)?;
        let again = |extent| open_again(inputs, each, of_inputs(extent)?, faults, &files, at);
        let how = (pass, opened.format.info().pdnn);
        opened.reader = over(opened.reader, &work, how, &again, &files, at)?;
        if joins {
            opened.reader = after.rest(opened.reader, at.1)?;
        }
        Ok(opened)
    }

    /// Opens it for lookup of utterances by key, with the format of the first input.
    ///
    /// # Errors
    /// As for [`open`](Self::open). Entries that a table cannot read are always errors.
    pub fn open_lookup(
        &self,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<(OpenedDataset, &'static dyn Format)> {
        match self.inputs.as_slice() {
            [only] if self.joins.is_empty() && self.steps_on_all().next().is_none() => {
                let work = of_input(self, only, false);
                only.open_lookup(&work, request, true, (registry, env))
            }
            _ => {
                let opened = self.opened(request, 0, (true, false), (registry, env))?;
                Ok((OpenedDataset::Stream(opened.reader), opened.format))
            }
        }
    }

    /// Opens data that join others by key, with faulty utterances as errors.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub(super) fn table(
        &self,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let (work, at) = (|input| of_input(self, input, false), (registry, env));
        match self.inputs.as_slice() {
            [only] => {
                let opened = only.open_lookup(&work(only), request, false, at);
                opened.map(|(opened, _)| opened)
            }
            several => {
                let work: Vec<_> = several.iter().map(work).collect();
                let (files, faults) = (ListCache::default(), Faults::RETURNED);
                let opened = open_all(several, &work, request, faults, &files, at)?;
                Ok(OpenedDataset::Stream(opened.reader))
            }
        }
    }

    /// Returns `true` if an input is standard input or another pipe, which can be read only once.
    pub fn is_read_once(&self, env: &Env) -> bool {
        self.check_lasting(env).is_err()
    }

    /// Checks that the inputs can be read a second time.
    ///
    /// # Errors
    /// One is a pipe.
    fn check_lasting(&self, env: &Env) -> Result<()> {
        let mut inputs = self.inputs.iter();
        inputs.try_for_each(|input| input.check_lasting(env))
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
        let labels = input.joins.labels.as_ref();
        labels.map_or(Ok(()), |labels| labels.data.check_lasting(env))
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
