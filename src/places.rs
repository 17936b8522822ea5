//! Where outputs go and inputs come from.

use spr_core::bytes::{Codec, Env, Location, Locator, Output, Part};
use spr_core::format::{IndexKind, Registry};
use spr_core::side;
use spr_core::{Error, Limits, Result};

use crate::argument::Target;

/// Refuses outputs inside input folders, and output folders that hold inputs. Files that are both,
/// and outputs that are one, are refused by the outputs themselves.
///
/// # Errors
/// The first that is refused, by name.
pub(crate) fn check(inputs: &[Location], outputs: &[Location], env: &Env) -> Result<()> {
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
            } else if *is_folder && place.is_within(from) {
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
/// A script file points into it and into other files.
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
            // Side files come and go with their data, unseen.
            if overwrite && old != file.with_suffix(side::SUFFIX) {
                let message = format!("is removed, as it points into {file}, which is rewritten");
                env.warn(&Error::unfit(message).file(old.to_string()));
            }
            output.discard(Part::At(&Locator::File(old)));
        }
    }
    Ok(())
}

/// What is there beside `file`, of whatever format that is, and of no use without it: the side file
/// with its names, a script file that points into it and nowhere else.
///
/// # Errors
/// A script file points into it and into other files.
fn belongings(file: &Location, registry: &Registry, env: &Env) -> Result<Vec<Location>> {
    let mut found = Vec::new();
    for format in registry.formats() {
        let beside = match format.info().index {
            IndexKind::Own => continue,
            IndexKind::SideFile => vec![file.with_suffix(side::SUFFIX)],
            IndexKind::Script(extension) => {
                let plain = file.with_extension(extension);
                let packed =
                    Codec::FILES.map(|c| plain.with_suffix(&format!(".{}", c.extension())));
                std::iter::once(plain).chain(packed).collect()
            }
        };
        for beside in beside {
            if beside == *file || found.contains(&beside) || !env.exists(&beside) {
                continue;
            }
            let goes = match format.info().index {
                IndexKind::Script(_) => points_only_into(&beside, file, env)?,
                _ => true,
            };
            if goes {
                found.push(beside);
            }
        }
    }
    Ok(found)
}

/// Whether the lines of a script file name `file`; what is not a script file names nothing.
///
/// # Errors
/// Some of them do, and some don't.
fn points_only_into(script: &Location, file: &Location, env: &Env) -> Result<bool> {
    // What is looked at here is not an input.
    let apart = Env::default().with_store(env.store().clone());
    let Ok(mut source) = apart.open_file(script) else {
        return Ok(false);
    };
    let whole = env.resolve(file);
    let folder = script.parent();
    let is_it = |place: &[u8]| {
        Location::of_bytes(place).is_some_and(|place| {
            let beside = folder.as_ref().map(|folder| folder.join(&place));
            env.resolve(&place) == whole || beside.is_some_and(|at| env.resolve(&at) == whole)
        })
    };
    let (mut own, mut others) = (false, false);
    let (mut line, mut last) = (Vec::new(), (Vec::new(), false));
    while let Ok(true) = source.line(&mut line, &Limits::default()) {
        let Some(place) = place_of(&line) else {
            return Ok(false);
        };
        if last.0 != place {
            last = (place.to_vec(), is_it(place));
        }
        match last.1 {
            true => own = true,
            false => others = true,
        }
    }
    match (own, others) {
        (true, true) => Err(Error::usage(format!(
            "points into {file}, which would be replaced, and into other files"
        ))
        .file(script.to_string())
        .hint("move it away, or write the data under another name")),
        (own, _) => Ok(own),
    }
}

/// The file that a line `key file:byte` names.
fn place_of(line: &[u8]) -> Option<&[u8]> {
    let blank = line.iter().position(u8::is_ascii_whitespace)?;
    let mut place = line.get(blank..)?.trim_ascii();
    if place.ends_with(b"]") {
        place = place.split(|b| *b == b'[').next()?;
    }
    let colon = place.iter().rposition(|b| *b == b':');
    let byte = colon.and_then(|colon| place.get(colon + 1..));
    Some(match (colon, byte) {
        (Some(colon), Some(byte)) if byte.iter().all(u8::is_ascii_digit) => place.get(..colon)?,
        _ => place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_script_files_name_files() {
        for (line, place) in [
            ("a x.ark:12", "x.ark"),
            ("a  x.ark:12[0:5]\r", "x.ark"),
            ("a d/x.ark", "d/x.ark"),
            ("a x:y.ark", "x:y.ark"),
            ("a cat x |", "cat x |"),
        ] {
            assert_eq!(place_of(line.as_bytes()), Some(place.as_bytes()), "{line}");
        }
        assert_eq!(place_of(b"a"), None);
    }
}
