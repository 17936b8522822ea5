//! Names of outputs of shards: `{shard}` stands for `00003-of-00016`; by default it precedes the
//! extension.

use std::path::is_separator;

use spr_core::bytes::{Env, FileKind, Location, Locator};
use spr_core::format::Registry;
use spr_core::{Error, Result};

use super::Shard;
use crate::argument::{Pair, Target};

pub use crate::plan::numbered::SHARD as FIELD;

impl Shard {
    /// Returns the name of this shard's file for a name that all shards share. The number replaces
    /// [`FIELD`], or precedes the extension.
    #[must_use]
    pub fn file(self, name: &Location) -> Location {
        numbered(&pattern(&name.to_string()), self).into()
    }
}

/// Adds the placeholder to each name in an output as typed.
pub(super) fn pattern(text: &str) -> String {
    if text.contains(FIELD) {
        return text.to_owned();
    }
    let form = text.split_once(':').filter(|(form, _)| {
        form.len() > 1
            && form
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b',' || b == b'-')
    });
    let (form, rest) = match form {
        Some((form, rest)) => (format!("{form}:"), rest),
        None => (String::new(), text),
    };
    // A specifier has options before its names.
    let names = 1 + form.matches(',').count();
    let mut parts: Vec<_> = rest.split(',').map(str::to_owned).collect();
    let files = parts.iter_mut().take(names);
    files
        .filter(|part| !part.contains('=') && *part != "-" && !part.starts_with('|'))
        .for_each(|part| *part = with_field(part));
    form + &parts.join(",")
}

/// Adds the placeholder before the extension, or at the end of a folder's name.
fn with_field(name: &str) -> String {
    if let Some(folder) = name.strip_suffix(is_separator) {
        return format!("{folder}-{FIELD}/");
    }
    let plain = Location::from(name).plain();
    let extension = plain.extension().map_or(0, |e| e.len() + 1);
    let packing = name.len() - plain.to_string().len().min(name.len());
    let at = name.len() - extension - packing;
    match name.is_char_boundary(at) {
        true => format!("{}-{FIELD}{}", &name[..at], &name[at..]),
        false => format!("{name}-{FIELD}"),
    }
}

/// Replaces the placeholder by the number of a shard.
pub(super) fn numbered(text: &str, shard: Shard) -> String {
    text.replace(FIELD, &shard.to_string())
}

/// Returns an output with the number of a shard in its names.
///
/// # Errors
/// The name with the number is interpreted differently.
pub(crate) fn named_target(
    target: &Target,
    shard: Shard,
    registry: &Registry,
    env: &Env,
) -> Result<Target> {
    let sink = target.sink();
    let number = |(key, value): &Pair| (key.clone(), numbered(value, shard));
    let added: Vec<_> = sink.added.iter().map(number).collect();
    let text = numbered(&pattern(&sink.typed), shard);
    Target::parse(&text, Some(target.format()), &added, registry, env)
}

/// Checks that everything that a shard writes is a file of its own, side files included, as another
/// shard would replace it else.
///
/// # Errors
/// Something goes to a stream, or to a name without the number of the shard.
pub(crate) fn check_numbered(target: &Target, shard: Shard, env: &Env) -> Result<()> {
    let streams = |at: &Locator| matches!(at, Locator::Standard | Locator::Command(_));
    let mut places = target.companions.iter().map(|(_, at)| at);
    if streams(&target.place) || places.any(streams) {
        return Err(streamed(target.text()));
    }
    let files = target.locations().into_iter().chain(target.beside()?);
    for file in files {
        let look = env.look(&file).ok().flatten();
        if look.is_some_and(|look| look.kind == FileKind::Stream) {
            return Err(streamed(&file.told()));
        }
        check_name(&file, shard)?;
    }
    Ok(())
}

/// Checks that a name has the number of a shard.
///
/// # Errors
/// It has not.
pub(crate) fn check_name(file: &Location, shard: Shard) -> Result<()> {
    match file.to_string().contains(&shard.to_string()) {
        true => Ok(()),
        false => {
            let message = format!("has no {FIELD} in its name: each shard would replace it");
            let hint = format!("such as {}", with_field(&file.told()));
            Err(Error::usage(message).file(file.told()).hint(hint))
        }
    }
}

fn streamed(name: &str) -> Error {
    let message = "a shard must go to a file, so that others can tell that it is done";
    Error::usage(message).file(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_before_extensions() {
        for (typed, expected) in [
            ("a.ark", "a-{shard}.ark"),
            ("d.x/a.pkl.gz", "d.x/a-{shard}.pkl.gz"),
            ("ark,scp:a.ark,b.scp", "ark,scp:a-{shard}.ark,b-{shard}.scp"),
            ("ark,t:a.txt", "ark,t:a-{shard}.txt"),
            ("a.ark,compress=auto", "a-{shard}.ark,compress=auto"),
            ("spr:out/", "spr:out-{shard}/"),
            ("name", "name-{shard}"),
            ("{shard}/a.ark", "{shard}/a.ark"),
        ] {
            assert_eq!(pattern(typed), expected);
        }
        let shard = Shard::new(3, 16).unwrap();
        assert_eq!(numbered("a.{shard}.ark", shard), "a.00003-of-00016.ark");
    }
}
