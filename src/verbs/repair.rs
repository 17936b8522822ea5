//! `repair`: the job that keeps what is whole of damaged data.

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::{ErrorPolicy, OptionSpec, Registry, Request};

use crate::argument::{Pair, Target};
use crate::builder::{Duplicates, PlanBuilder};
use crate::job::Job;
use crate::plan::Plan;

/// Returns the job that writes what is whole of the inputs of `builder` to `output`, in their format
/// unless another is set. It skips and counts what is not.
///
/// # Errors
/// The output can't be understood, or the input can't be opened.
pub fn repair(builder: &mut PlanBuilder, output: &str) -> Result<Job> {
    let plan = builder.finish()?;
    builder.keep_form().output(output)?;
    if !plan.is_read_once(builder.env()) {
        let target = builder.target()?;
        if let Some((key, value)) = form(&plan, &target, builder.registry(), builder.env())? {
            builder.output_option(key, value).output(output)?;
        }
    }
    builder.damaged().on_error(ErrorPolicy::Skip);
    builder.duplicates(Duplicates::Keep)?;
    Ok(Job::new(builder.finish()?))
}

/// Returns the option by which data keep the form they have, where their format has them: text or binary,
/// compressed or not.
fn form(input: &Plan, target: &Target, registry: &Registry, env: &Env) -> Result<Option<Pair>> {
    // Warnings are given when the data are read.
    let quiet = env.listening(|_| {});
    let opened = input.open_whole(Request::all().damaged(), registry, &quiet)?;
    let info = opened.format.info();
    let keeps = |option: &OptionSpec| option.name == "compress" && option.value.contains("keep");
    if target.format().info().name != info.name || !info.options.iter().any(keeps) {
        return Ok(None);
    }
    let (key, value) = match opened.reader.info().byte_order {
        Some(_) => ("compress", "keep"),
        None => ("text", "true"),
    };
    let given = target.options()?.get(key).is_some();
    Ok((!given).then(|| (key.to_owned(), value.to_owned())))
}
