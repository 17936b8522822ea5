//! The manifests of a folder that belong together.

use spr_core::bytes::{Env, Location, Source};
use spr_core::{Error, Result};

use super::kind::Kind;
use super::shar;

/// Returns the kind of a manifest according to its name.
pub(super) fn kind_by_name(name: &str) -> Option<Kind> {
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let stem = plain
        .strip_suffix(".jsonl")
        .or_else(|| plain.strip_suffix(".json"))?;
    let words: Vec<_> = stem.split(|c: char| !c.is_alphanumeric()).collect();
    let named = [
        ("supervisions", Kind::Supervisions),
        ("cuts", Kind::Cuts),
        ("features", Kind::Features),
        ("recordings", Kind::Recordings),
    ];
    named
        .into_iter()
        .find(|(word, _)| words.contains(word))
        .map(|(_, kind)| kind)
}

/// Returns the main manifest of a folder: supervisions, otherwise cuts, otherwise recordings or
/// features.
///
/// # Errors
/// There are several, or the folder is a Shar.
pub(super) fn main(folder: &Location, env: &Env) -> Result<Location> {
    let entries = env.entries(folder)?;
    let named: Vec<_> = entries
        .iter()
        .filter_map(|at| Some((at, at.name()?.to_str()?)))
        .collect();
    if shar::fits(named.iter().map(|(_, name)| *name)) {
        let message = "a Lhotse Shar, whose sound and features are in tar files";
        return Err(Error::unsupported(message)
            .file(folder.to_string())
            .hint(format!("shar:{folder} reads it")));
    }
    for kinds in [
        &[Kind::Supervisions][..],
        &[Kind::Cuts],
        &[Kind::Recordings, Kind::Features],
    ] {
        let all = named
            .iter()
            .filter(|(_, name)| kind_by_name(name).is_some_and(|kind| kinds.contains(&kind)));
        let mut all: Vec<_> = all.map(|(at, _)| *at).collect();
        all.sort();
        match *all.as_slice() {
            [] => {}
            [one] => return Ok(one.clone()),
            _ => {
                let names: Vec<_> = all.iter().map(ToString::to_string).collect();
                let kinds: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
                let message = format!(
                    "expected one manifest of {}, found {}",
                    kinds.join(" or "),
                    names.len()
                );
                return Err(Error::usage(message)
                    .file(folder.to_string())
                    .hint(format!("name one of them: {}", names.join(", "))));
            }
        }
    }
    let message = "holds neither supervisions.jsonl.gz nor cuts.jsonl.gz";
    Err(Error::unsupported(message).file(folder.to_string()))
}

/// Returns the manifest of another kind that belongs to one of supervisions, if it exists.
pub(super) fn companion(of: &Source, kind: Kind, env: &Env) -> Option<Location> {
    let file = of.location()?;
    let name = file.name()?.to_str()?;
    if !name.contains(Kind::Supervisions.name()) {
        return None;
    }
    let other = name.replace(Kind::Supervisions.name(), kind.name());
    let other = match file.parent() {
        Some(folder) => folder.join(other),
        None => Location::from(other),
    };
    env.exists(&other).then_some(other)
}
