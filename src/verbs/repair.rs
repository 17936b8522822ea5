//! `repair`: the job that keeps what is whole of damaged data.

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::{Format, OptionSpec, Registry, Request};

use crate::argument::{Input, Pair, Target};
use crate::job::Job;

/// Returns the job that writes what is whole of `input` to `output`, in its format unless another is
/// named, with options of that. It skips and counts what is not.
///
/// # Errors
/// The output can't be understood, or the input can't be opened.
pub fn repair(
    input: Input,
    output: &str,
    (to, mut options): (Option<&'static dyn Format>, Vec<Pair>),
    registry: &Registry,
    env: &Env,
) -> Result<Job> {
    let inputs = [input];
    let target = Target::parse_like(&inputs, output, to, &options, registry, env)?;
    let [input] = inputs;
    let to = Some(target.format());
    if !input.is_read_once(env) {
        options.extend(form(&input, &target, registry, env)?);
    }
    let target = Target::parse(output, to, &options, registry, env)?;
    let mut job = Job::new(vec![input], &target).skip_errors();
    job.plan.damaged = true;
    job.plan.distinct = false;
    Ok(job)
}

/// The options by which data keep the form they have where their format has them: text or binary,
/// compressed or not.
fn form(input: &Input, target: &Target, registry: &Registry, env: &Env) -> Result<Vec<Pair>> {
    // Warnings are given when the data are read.
    let quiet = env.listening(|_| {});
    let opened = input.open(Request::all().damaged(), registry, &quiet)?;
    let info = opened.format.info();
    let keeps = |option: &OptionSpec| option.name == "compress" && option.value.contains("keep");
    if target.format().info().name != info.name || !info.options.iter().any(keeps) {
        return Ok(Vec::new());
    }
    let (key, value) = match opened.reader.info().byte_order {
        Some(_) => ("compress", "keep"),
        None => ("text", "true"),
    };
    let given = target.options()?.get(key).is_some();
    let pair = (key.to_owned(), value.to_owned());
    Ok((!given).then_some(pair).into_iter().collect())
}
