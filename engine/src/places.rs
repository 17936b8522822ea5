//! Checks of output places against input places.

use spr_core::bytes::{Env, Location, Locator, Output, Part};
use spr_core::format::{IndexKind, Registry};
use spr_core::tables::side;
use spr_core::{Error, Result};

use crate::argument::Target;

/// Rejects outputs inside input folders, and output folders that contain inputs. Conflicts of
/// single files are detected by the outputs themselves. With `inside`, outputs may be inside input
/// folders.
///
/// # Errors
/// The first conflict, by name.
pub(crate) fn check(
    inputs: &[Location],
    outputs: &[Location],
    inside: bool,
    env: &Env,
) -> Result<()> {
    if outputs.is_empty() {
        return Ok(());
    }
    let inputs: Vec<_> = inputs
        .iter()
        .filter(|input| env.exists(input))
        .map(|input| (input, env.resolve(input), env.is_folder(input)))
        .collect();
    for output in outputs {
        let place = env.resolve(output);
        let beside = |(input, from, is_folder): &(&Location, Location, bool)| {
            if *is_folder && *from == place {
                Some("is read and can't be written in the same run".to_owned())
            } else if *is_folder && !inside && place.is_within(from) {
                Some(format!("is inside the input folder {input}"))
            } else if *from != place && from.is_within(&place) {
                Some(format!("is a folder that holds the input {input}"))
            } else {
                None
            }
        };
        if let Some(message) = inputs.iter().find_map(beside) {
            return Err(Error::usage(message)
                .file(output.to_string())
                .hint("write to another folder"));
        }
    }
    Ok(())
}

/// Lets go what belongs to a file that `output` replaces, or did to one that is no more.
///
/// # Errors
/// A list points into it and into other files.
pub(crate) fn discard_old(
    target: &Target,
    output: &Output,
    overwrite: bool,
    registry: &Registry,
    env: &Env,
) -> Result<()> {
    let written = target.locations();
    let replaced = written.iter().cloned().chain(target.beside()?);
    for file in replaced.filter(|_| !target.is_folder()) {
        for old in belongings(&file, registry, env)? {
            if written.contains(&old) {
                continue;
            }
            // Side files are created and removed with their data.
            if overwrite && old != file.with_suffix(side::SUFFIX) {
                let message = format!("is removed, as it points into {file}, which is rewritten");
                env.warn(&Error::unfit(message).file(old.to_string()));
            }
            output.discard(Part::At(&Locator::File(old)));
        }
    }
    Ok(())
}

/// Returns the existing files that are useless without `file`, whatever its format: its side file,
/// and lists that point only into it.
///
/// # Errors
/// A list points into it and into other files.
fn belongings(file: &Location, registry: &Registry, env: &Env) -> Result<Vec<Location>> {
    let mut found = Vec::new();
    let mut add = |at: Location| {
        if at != *file && !found.contains(&at) && env.exists(&at) {
            found.push(at);
        }
    };
    for format in registry.formats() {
        if format.info().index == IndexKind::SideFile {
            add(file.with_suffix(side::SUFFIX));
        }
        if let Some(lists) = format.lists() {
            lists
                .pointing_into(file, env)?
                .into_iter()
                .for_each(&mut add);
        }
    }
    Ok(found)
}
