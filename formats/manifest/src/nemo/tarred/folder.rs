//! The files of a folder, by their numbers.

use std::collections::{BTreeMap, BTreeSet};

use spr_core::bytes::{Env, Location};
use spr_core::{Error, Result};

use super::manifests::{Manifest, ManifestLines, SingleManifest};

/// The folder with a manifest for each tar file.
const SHARDED: &str = "sharded_manifests";
/// The manifest of all tar files.
const SINGLE: &str = "tarred_audio_manifest";

/// Returns the number of a tar file with sound, by NeMo's pattern `audio[^/]*_(\d+)[^/]*\.tar`.
pub(super) fn tar_number(name: &str) -> Option<u64> {
    numbered(name, "audio", ".tar")
}

/// Returns the number of a manifest, by NeMo's pattern `manifest[^/]*_(\d+)[^/]*\.json`.
fn manifest_number(name: &str) -> Option<u64> {
    numbered(name, "manifest", ".json")
}

/// Returns `true` if an entry of a folder has manifests of tar files.
pub(super) fn is_manifest(name: &str) -> bool {
    name == SHARDED || name.starts_with(SINGLE) || manifest_number(name).is_some()
}

/// Returns the last number behind `_` between a word and an extension.
fn numbered(name: &str, word: &str, extension: &str) -> Option<u64> {
    let behind = name.get(name.find(word)? + word.len()..)?;
    let inner = behind.get(..behind.rfind(extension)?)?;
    let digits = |at: usize| {
        let rest = inner.get(at + 1..)?;
        let end = rest.find(|c: char| !c.is_ascii_digit());
        rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
    };
    let mut places = inner.rmatch_indices('_');
    places.find_map(|(at, _)| digits(at))
}

/// The manifests of a folder.
enum Manifests {
    /// One for each tar file.
    Sharded(BTreeMap<u64, Location>),
    /// One for all.
    Single(Location),
}

/// A tar file and the manifest of its sound.
pub(super) struct Shard {
    pub(super) tar: Location,
    pub(super) lines: ManifestLines,
}

/// The tar files and manifests of a folder.
pub(super) struct Layout {
    folder: Location,
    tars: BTreeMap<u64, Location>,
    manifests: Manifests,
}

impl Layout {
    /// Finds the files of a folder.
    ///
    /// # Errors
    /// There are none, or two with one number.
    pub(super) fn of_folder(folder: &Location, env: &Env) -> Result<Self> {
        let sharded = folder.join(SHARDED);
        let in_folder = by_number(folder, manifest_number, env)?;
        let of_shards = match env.is_folder(&sharded) {
            true => by_number(&sharded, manifest_number, env)?,
            false => in_folder,
        };
        let manifests = match of_shards.is_empty() {
            false => Manifests::Sharded(of_shards),
            true => Manifests::Single(single(folder, env)?),
        };
        Self::with(folder, manifests, env)
    }

    /// Finds the tar files that a manifest belongs to.
    ///
    /// # Errors
    /// There are none.
    pub(super) fn of_manifest(manifest: &Location, env: &Env) -> Result<Self> {
        let parent = manifest.parent().unwrap_or_else(|| ".".into());
        let is_sharded = parent.name().is_some_and(|name| name == SHARDED);
        let folder = match is_sharded {
            true => parent.parent().unwrap_or_else(|| ".".into()),
            false => parent,
        };
        let name = manifest
            .name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        match manifest_number(name) {
            None => Self::with(&folder, Manifests::Single(manifest.clone()), env),
            Some(number) => {
                let manifests = Manifests::Sharded([(number, manifest.clone())].into());
                let mut layout = Self::with(&folder, manifests, env)?;
                layout.tars.retain(|own, _| *own == number);
                Ok(layout)
            }
        }
    }

    fn with(folder: &Location, manifests: Manifests, env: &Env) -> Result<Self> {
        let tars = by_number(folder, tar_number, env)?;
        if tars.is_empty() {
            let message = "holds no tar files of sound, such as audio_0.tar";
            return Err(Error::usage(message).file(folder.to_string()));
        }
        Ok(Self {
            folder: folder.clone(),
            tars,
            manifests,
        })
    }

    /// Returns the names of the tar files.
    pub(super) fn names(&self) -> Vec<String> {
        self.tars.values().map(ToString::to_string).collect()
    }

    /// Returns the shards, whose manifests are opened one after the other.
    ///
    /// # Errors
    /// The numbers of tar files and manifests differ, or the manifest of all can't be read.
    pub(super) fn shards(
        self,
        env: &Env,
    ) -> Result<Box<dyn Iterator<Item = Result<Shard>> + Send>> {
        let shard = |tar, lines| Shard { tar, lines };
        match self.manifests {
            Manifests::Sharded(mut manifests) => {
                agree(&self.folder, &self.tars, manifests.keys().copied())?;
                warn_of_numbers(&self.folder, &self.tars, env);
                let env = env.clone();
                Ok(Box::new(self.tars.into_iter().filter_map(
                    move |(n, tar)| {
                        let manifest = manifests.remove(&n)?;
                        let lines = Manifest::open(&manifest, &env).map(ManifestLines::All);
                        Some(lines.map(|lines| shard(tar, lines)))
                    },
                )))
            }
            Manifests::Single(manifest) => {
                let single = SingleManifest::open(&manifest, env)?;
                agree(&self.folder, &self.tars, single.shards())?;
                let lines = move |n| ManifestLines::Of(single.clone(), n);
                let shards = self.tars.into_iter();
                Ok(Box::new(
                    shards.map(move |(n, tar)| Ok(shard(tar, lines(n)))),
                ))
            }
        }
    }
}

/// Returns the manifest of all tar files in a folder.
fn single(folder: &Location, env: &Env) -> Result<Location> {
    let entries = env.entries(folder)?;
    let is_single = |at: &Location| {
        let name = at.name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(SINGLE))
    };
    let mut found: Vec<_> = entries.into_iter().filter(is_single).collect();
    found.sort();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => {
            let message = format!("holds no {SINGLE}.json and no {SHARDED}/manifest_0.json");
            Err(Error::usage(message).file(folder.to_string()))
        }
        n => {
            let message = format!("holds {n} manifests {SINGLE}…, expected one");
            Err(Error::usage(message)
                .file(folder.to_string())
                .hint("name one of them"))
        }
    }
}

/// Returns the files of a folder by their numbers.
fn by_number(
    folder: &Location,
    number: fn(&str) -> Option<u64>,
    env: &Env,
) -> Result<BTreeMap<u64, Location>> {
    let mut found = BTreeMap::new();
    let mut entries = env.entries(folder)?;
    entries.sort();
    for at in entries {
        let Some(n) = at.name().and_then(|name| number(name.to_str()?)) else {
            continue;
        };
        if let Some(other) = found.insert(n, at.clone()) {
            let message = format!("has the number {n}, as {other} has");
            return Err(Error::malformed(message).file(at.to_string()));
        }
    }
    Ok(found)
}

/// Checks that there is a manifest for each tar file, and the other way round.
fn agree(
    folder: &Location,
    tars: &BTreeMap<u64, Location>,
    manifests: impl Iterator<Item = u64>,
) -> Result<()> {
    let numbers: BTreeSet<_> = manifests.collect();
    let lacks = |what: &str, number: u64| {
        let message = format!("has no {what} of the number {number}");
        Err(Error::malformed(message).file(folder.to_string()))
    };
    if let Some(number) = tars.keys().find(|number| !numbers.contains(number)) {
        return lacks("lines for the tar file", *number);
    }
    match numbers.iter().find(|number| !tars.contains_key(number)) {
        Some(number) => lacks("tar file", *number),
        None => Ok(()),
    }
}

/// Warns if the numbers are not those that NeMo wants.
fn warn_of_numbers(folder: &Location, tars: &BTreeMap<u64, Location>, env: &Env) {
    let are_counted = tars.keys().copied().eq(0..tars.len() as u64);
    if tars.len() > 1 && !are_counted {
        let message = "the tar files are not numbered from 0 without gaps, as NeMo wants them";
        env.warn(&Error::malformed(message).file(folder.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_as_by_nemo() {
        for (name, expected) in [
            ("audio_0.tar", Some(0)),
            ("x_audio_shuffled_12.tar.gz", Some(12)),
            ("audio__7_x.tar", Some(7)),
            ("audio_1_2.tar", Some(2)),
            ("audio.tar", None),
            ("sound_0.tar", None),
            ("audio_0.zip", None),
        ] {
            assert_eq!(tar_number(name), expected, "{name}");
        }
        assert_eq!(manifest_number("manifest_3.json"), Some(3));
        assert_eq!(manifest_number("tarred_audio_manifest.json"), None);
    }
}
