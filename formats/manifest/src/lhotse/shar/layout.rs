//! The files of a Shar: for each shard, its cuts and a file of each field.

use std::collections::{BTreeMap, BTreeSet};

use spr_core::bytes::{Env, Location};
use spr_core::{Error, Result};
use spr_syntax::shards;

/// The name of the files with the cuts.
pub(super) const CUTS: &str = "cuts";
/// The endings of the files that are written.
pub(super) const LINES: &str = ".jsonl.gz";
pub(super) const TAR: &str = ".tar";

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Members in pairs of data and their description.
    Tar,
    /// Lines of JSON.
    Lines,
}

/// The name of a file, taken apart.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Name<'a> {
    /// What is before the first dot.
    field: &'a str,
    /// The number of the shard, if there is one.
    shard: &'a str,
    form: Form,
}

impl<'a> Name<'a> {
    fn parse(name: &'a str) -> Option<Self> {
        let packed = [".gz", ".bz2", ".zst", ".xz"];
        let plain = packed.iter().find_map(|end| name.strip_suffix(end));
        let plain = plain.unwrap_or(name);
        let (stem, form) = match (plain.strip_suffix(TAR), plain.strip_suffix(".jsonl")) {
            (Some(stem), _) => (stem, Form::Tar),
            (None, Some(stem)) => (stem, Form::Lines),
            (None, None) => return None,
        };
        let (field, shard) = stem.split_once('.').unwrap_or((stem, ""));
        (!field.is_empty()).then_some(Self { field, shard, form })
    }

    fn is_cuts(self) -> bool {
        self.field == CUTS && self.form == Form::Lines
    }
}

/// Returns `true` if files of these names are a Shar: numbered cuts, or cuts beside a tar file
/// without a number.
pub(in super::super) fn fits<'a>(names: impl Iterator<Item = &'a str> + Clone) -> bool {
    let parsed = names.filter_map(Name::parse);
    let is_number = |shard: &str| !shard.is_empty() && shard.bytes().all(|b| b.is_ascii_digit());
    let mut cuts = parsed.clone().filter(|name| name.is_cuts());
    cuts.any(|cuts| {
        let beside = |name: Name<'_>| name.form == Form::Tar && name.shard == cuts.shard;
        is_number(cuts.shard) || cuts.shard.is_empty() && parsed.clone().any(beside)
    })
}

/// The file of a field in a shard.
#[derive(Clone, Debug)]
pub(super) struct FieldFile {
    pub(super) field: String,
    pub(super) form: Form,
    pub(super) at: Location,
}

/// The files of a shard.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    pub(super) cuts: Location,
    /// A file for each field, in order of their names.
    pub(super) fields: Vec<FieldFile>,
}

/// The shards of a folder, in order.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) shards: Vec<Shard>,
    /// The names of all fields.
    pub(super) fields: BTreeSet<String>,
    /// The error about shards that are missing between the others.
    pub(super) lacking: Option<Error>,
}

impl Layout {
    /// Lists the shards of a folder, with the fields that `wanted` accepts. Files that belong to
    /// none are told.
    ///
    /// # Errors
    /// There are no cuts, a shard lacks the file of a field, or has two.
    pub(super) fn of(folder: &Location, env: &Env) -> Result<Self> {
        let mut shards: BTreeMap<String, (Option<Location>, Vec<FieldFile>)> = BTreeMap::new();
        let (mut fields, mut entries) = (BTreeSet::new(), env.entries(folder)?);
        entries.sort();
        for at in entries {
            let name = at.name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some(name) = Name::parse(name).filter(|name| name.is_cuts() || name.field != CUTS)
            else {
                env.warn(&foreign(&at));
                continue;
            };
            let (cuts, own) = shards.entry(name.shard.to_owned()).or_default();
            let twin = match name.is_cuts() {
                true => cuts.replace(at.clone()),
                false => {
                    let twin = own.iter().find(|file| file.field == name.field);
                    twin.map(|file| file.at.clone())
                }
            };
            if let Some(twin) = twin {
                let message = format!("holds the same field of the same shard as {twin}");
                return Err(Error::malformed(message).file(at.to_string()));
            }
            if !name.is_cuts() {
                fields.insert(name.field.to_owned());
                own.push(FieldFile {
                    field: name.field.to_owned(),
                    form: name.form,
                    at: at.clone(),
                });
            }
        }
        let numbers = shards.keys().map(|number| number.parse().ok());
        let mut numbers = numbers.collect::<Option<Vec<u64>>>().unwrap_or_default();
        numbers.sort_unstable();
        let lacking = shards::lacking(&shards::gaps(&numbers), folder);
        let whole = shards.into_iter().map(|(number, (cuts, own))| {
            let dot = if number.is_empty() { "" } else { "." };
            let missing = |field: &str, ending: &str| {
                let message = format!(
                    "has no {field}{dot}{number}{ending}, but other files of that shard or field"
                );
                Error::malformed(message).file(folder.to_string())
            };
            let cuts = cuts.ok_or_else(|| missing(CUTS, LINES))?;
            for field in &fields {
                if !own.iter().any(|file| file.field == *field) {
                    return Err(missing(field, TAR));
                }
            }
            Ok(Shard { cuts, fields: own })
        });
        let shards = whole.collect::<Result<Vec<_>>>()?;
        if shards.is_empty() {
            let message = format!("has no {CUTS}.000000{LINES} in it");
            return Err(Error::usage(message).file(folder.to_string()));
        }
        Ok(Self {
            shards,
            fields,
            lacking,
        })
    }

    /// Keeps only these fields.
    ///
    /// # Errors
    /// There is no field of a name.
    pub(super) fn keep(&mut self, wanted: &[&str]) -> Result<()> {
        for name in wanted {
            if !self.fields.contains(*name) {
                let known: Vec<_> = self.fields.iter().map(String::as_str).collect();
                let error = Error::usage(format!("option fields: there is no field '{name}'"));
                return Err(error.hint(format!("there are: {}", known.join(", "))));
            }
        }
        let is_wanted = |name: &str| wanted.contains(&name);
        self.fields.retain(|name| is_wanted(name));
        for shard in &mut self.shards {
            shard.fields.retain(|file| is_wanted(&file.field));
        }
        Ok(())
    }
}

/// Returns the warning about a file that is no part of a Shar.
fn foreign(at: &Location) -> Error {
    let message = "is no file of a Shar, and lhotse opens no folder with such a file in it";
    Error::unfit(message).file(at.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let parsed = |name| Name::parse(name).map(|name| (name.field, name.shard, name.form));
        for (name, parts) in [
            (
                "cuts.000000.jsonl.gz",
                Some(("cuts", "000000", Form::Lines)),
            ),
            ("cuts.jsonl", Some(("cuts", "", Form::Lines))),
            ("my.emb.000000.tar", Some(("my", "emb.000000", Form::Tar))),
            (
                "features.000001.tar.bz2",
                Some(("features", "000001", Form::Tar)),
            ),
            ("recording.000000.tar.idx", None),
            (".x.tar", None),
            ("README.md", None),
        ] {
            assert_eq!(parsed(name), parts, "{name}");
        }
    }

    #[test]
    fn folders_are_told_by_their_names() {
        for (names, is_shar) in [
            (&["cuts.000000.jsonl.gz"][..], true),
            (&["cuts.0.jsonl", "README.md"], true),
            (&["cuts.jsonl.gz", "recording.tar"], true),
            (&["cuts.jsonl.gz", "recording.000000.tar"], false),
            (&["cuts.jsonl.gz"], false),
            (&["cuts.train.jsonl.gz", "x.train.tar"], false),
            (&["cuts.000000.tar"], false),
        ] {
            assert_eq!(fits(names.iter().copied()), is_shar, "{names:?}");
        }
    }
}
