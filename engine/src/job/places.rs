//! Checks of a job's outputs against its inputs and against each other.

use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::{Error, Result};

use super::manifest;
use crate::argument::Target;
use crate::places;
use crate::plan::{Input, PartName, Plan, Split};

/// The outputs with their formats: of the data, and of labels on their own.
///
/// # Errors
/// A format is unknown, or the plan has no output.
pub(super) fn targets(plan: &Plan, registry: &Registry) -> Result<(Target, Option<Target>)> {
    let Some(output) = &plan.output else {
        return Err(Error::usage("nothing says where to write"));
    };
    let labels = plan.labels_output.as_ref();
    let labels = labels.map(|sink| Target::of(sink, registry));
    Ok((Target::of(output, registry)?, labels.transpose()?))
}

/// The manifest of what is written, with its format.
///
/// # Errors
/// The format is unknown.
pub(super) fn manifest_target(plan: &Plan, registry: &Registry) -> Result<Option<Target>> {
    let manifest = plan.manifest.as_ref();
    manifest.map(|sink| Target::of(sink, registry)).transpose()
}

/// Checks that either both outputs are numbered or none.
pub(super) fn check_numbers(plan: &Plan) -> Result<()> {
    match (&plan.output, &plan.labels_output) {
        (Some(target), Some(labels)) if labels.is_numbered() != target.is_numbered() => {
            let (with, without) = match labels.is_numbered() {
                true => (labels, target),
                false => (target, labels),
            };
            let message = format!("has {{part}}, but '{}' does not", without.text());
            Err(Error::usage(message).file(with.text()))
        }
        _ => Ok(()),
    }
}

/// Warns if an earlier run has left parts beyond those that were written.
pub(super) fn warn_of_more(
    plan: &Plan,
    parts: Option<u64>,
    target: &Target,
    registry: &Registry,
    env: &Env,
) -> Result<()> {
    let named = |split: &Split| !split.rule.names().is_empty();
    let Some(next) = parts.filter(|_| !plan.split.as_ref().is_some_and(named)) else {
        return Ok(());
    };
    let next = target.part(PartName::Number(next), registry, env)?;
    if let Some(file) = next.locations().iter().find(|file| env.exists(file)) {
        let message = "belongs to another run, which had more parts, and is left as it is";
        env.warn(&Error::unfit(message).file(file.to_string()));
    }
    Ok(())
}

/// Rejects the caller's own files inside input folders, and records all inputs.
///
/// # Errors
/// The first rejected file.
pub(super) fn check_apart(plan: &Plan, files: &[&Location], env: &Env) -> Result<()> {
    let inputs = plan.sources();
    inputs.iter().for_each(|file| env.reads(file));
    let files: Vec<_> = files.iter().copied().cloned().collect();
    places::check(&inputs, &files, false, env)
}

/// Rejects outputs, as far as their names are known, that are inputs, that coincide, or that
/// cannot be created. For a caller that reads the inputs before the job [runs](Self::run),
/// which does the same.
///
/// # Errors
/// The first rejected output.
pub(super) fn check_places(plan: &Plan, registry: &Registry, env: &Env) -> Result<()> {
    let inputs = plan.sources();
    inputs.iter().for_each(|file| env.reads(file));
    // A missing input is a more helpful error than an existing output.
    let missing = |file: &Location| !file.is_url() && !env.exists(file);
    let needed = plan.needed().flat_map(Input::sources);
    let mut needed = needed.chain(plan.joins.sources());
    if let Some(file) = needed.find(missing) {
        env.open_file(&file)?;
    }
    let mut reserved = Vec::new();
    let (target, labels) = targets(plan, registry)?;
    let manifest = manifest_target(plan, registry)?;
    manifest::check_manifest(plan, &target, manifest.as_ref())?;
    let run = &plan.run;
    for target in std::iter::once(&target).chain(&labels).chain(&manifest) {
        // A file that names those of a folder may be in it.
        let audio = target.caps()?.audio;
        let names = audio.references && audio.dtypes.is_empty() && !target.is_folder();
        places::check(&inputs, &target.locations(), names, env)?;
        let mut reserve = |target: &Target| {
            reserved.push(target.output(run.overwrite, run.add, env)?);
            Ok(())
        };
        let split = plan.split.as_ref();
        match split.and_then(|split| Some((split, split.rule.parts()?))) {
            _ if !target.is_numbered() => reserve(target)?,
            Some((split, parts)) => (0..parts)
                .try_for_each(|n| reserve(&target.part(split.part_name(n), registry, env)?))?,
            // Each numbered output has a unique name.
            None => {
                let of = |n| target.part(PartName::Number(n), registry, env);
                let (one, other) = (of(0)?.locations(), of(1)?.locations());
                let same = |(a, b): &(&Location, &Location)| env.resolve(a) == env.resolve(b);
                if one.iter().zip(&other).any(|pair| same(&pair)) {
                    let message = "every part would be written to the same file";
                    return Err(Error::usage(message).file(target.text()));
                }
            }
        }
    }
    Ok(())
}
