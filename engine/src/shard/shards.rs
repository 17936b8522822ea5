//! The shards of an output: their state and consistency.

use std::collections::HashMap;

use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::tables::side;
use spr_core::{Error, Result};

use super::hashes::of_file;
use super::name::{numbered, pattern};
use super::{MergeSettings, Record, Shard, record_of};
use crate::argument::Target;
use crate::builder::PlanBuilder;

/// The message about a file that does not have the hash of the record.
pub(crate) const CHANGED: &str =
    "changed after its shard was done: its bytes are not those of the record";

/// All shards of an output, by their records.
pub struct Shards {
    /// The name of the data, with a placeholder for the number.
    name: String,
    /// The output as typed, with a placeholder for the number.
    text: String,
    /// The number of shards.
    pub of: u64,
    /// The records of the shards.
    found: Vec<RecordLookup>,
}

/// The record of a shard.
enum RecordLookup {
    /// It has a record.
    Recorded(Box<Record>),
    /// It has no record.
    Nothing,
    /// Its record can't be read, for this reason.
    Unreadable(String),
}

impl RecordLookup {
    /// Reads the record of a shard.
    fn read(file: &Location, env: &Env) -> Self {
        match Record::read(file, env) {
            Ok(Some(record)) => Self::Recorded(Box::new(record)),
            Ok(None) => Self::Nothing,
            Err(error) => Self::Unreadable(error.message().to_owned()),
        }
    }

    fn record(&self) -> Option<&Record> {
        match self {
            Self::Recorded(record) => Some(record),
            Self::Nothing | Self::Unreadable(_) => None,
        }
    }
}

/// The state of a shard.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is done.
    Done,
    /// It has no record.
    Missing,
    /// It is done, but inconsistent with others, its files have changed, or its record can't be read.
    Mismatched(String),
}

impl Shards {
    /// Finds the records for `text`, as it was typed for the jobs; `of` is the number of shards, if
    /// the records' names are ambiguous.
    ///
    /// # Errors
    /// It names no file, or there are no records, or records of several divisions.
    pub fn find(text: &str, of: Option<u64>, registry: &Registry, env: &Env) -> Result<Self> {
        let text = pattern(text);
        let target = Target::parse(&text, None, &[], registry, env)?;
        let Some(name) = target.locations().first().map(ToString::to_string) else {
            return Err(Error::usage("does not name the files of shards").file(text));
        };
        let of = match of {
            Some(of) => Shard::new(1, of)?.of,
            None => count(&name, env)?,
        };
        let mut shards = Self {
            name,
            text,
            of,
            found: Vec::new(),
        };
        for number in 1..=of {
            let found = RecordLookup::read(&record_of(&shards.data(number)?), env);
            shards.found.push(found);
        }
        Ok(shards)
    }

    /// Returns the location of a shard's data.
    ///
    /// # Errors
    /// There is no such shard.
    pub fn data(&self, number: u64) -> Result<Location> {
        Ok(numbered(&self.name, Shard::new(number, self.of)?).into())
    }

    /// Returns the records in order.
    fn records(&self) -> impl Iterator<Item = &Record> {
        self.found.iter().filter_map(RecordLookup::record)
    }

    /// Returns the data of all shards with utterances, or of the first if there are none, as
    /// arguments that name their side files where these are elsewhere.
    ///
    /// # Errors
    /// A shard has no record.
    pub fn parts(&self) -> Result<Vec<String>> {
        let full = |record: &&Record| record.utterances > 0;
        let mut records: Vec<_> = self.records().filter(full).collect();
        if records.is_empty() {
            records.extend(self.records().next());
        }
        let part = |record: &Record| {
            let data = self.data(record.shard)?;
            Ok(match &record.side {
                Some(place) => format!("{data},{}={place}", side::OPTION.name),
                None => data.to_string(),
            })
        };
        records.into_iter().map(part).collect()
    }

    /// Returns all files of the shards, which are read or pointed into.
    pub fn files(&self) -> Vec<Location> {
        let outputs = self.records().flat_map(|record| &record.outputs);
        let mut files: Vec<_> = outputs.map(|it| it.name.as_str().into()).collect();
        let records = (1..=self.of).filter_map(|number| self.data(number).ok());
        files.extend(records.map(|data| record_of(&data)));
        files
    }

    /// Adds the data of all shards to the inputs of the plan that merges them.
    ///
    /// # Errors
    /// A shard has no record.
    pub fn add_to(&self, builder: &mut PlanBuilder) -> Result<()> {
        if let Some(format) = self.format() {
            builder.format(format)?;
        }
        for part in self.parts()? {
            builder.input(&part)?;
        }
        Ok(())
    }

    /// Returns the settings of the job that merges the shards.
    ///
    /// # Errors
    /// As for [`check_whole`](Self::check_whole).
    pub fn merge(&self, env: &Env) -> Result<MergeSettings> {
        self.check_whole(env)?;
        let outputs = self.records().flat_map(|record| &record.outputs);
        let hashes = outputs.filter_map(|it| Some((it.name.as_str().into(), it.hash.clone()?)));
        Ok(MergeSettings {
            files: self.files(),
            hashes: hashes.collect(),
            skipped: self.skipped().iter().map(|(_, count)| count).sum(),
        })
    }

    /// Returns the shards whose jobs skipped utterances, and how many each skipped.
    pub fn skipped(&self) -> Vec<(u64, u64)> {
        let skipped = self.records().filter(|record| record.skipped > 0);
        skipped
            .map(|record| (record.shard, record.skipped))
            .collect()
    }

    /// Returns the output of a shard, as its job wrote it.
    ///
    /// # Errors
    /// There is no such shard, or the name with its number is interpreted differently.
    pub fn target(&self, number: u64, registry: &Registry, env: &Env) -> Result<Target> {
        let text = numbered(&self.text, Shard::new(number, self.of)?);
        Target::parse(&text, None, &[], registry, env)
    }

    /// Checks that a file of a shard has the hash of the record.
    ///
    /// # Errors
    /// It has another one, or cannot be read.
    pub fn check_hash(&self, file: &Location, env: &Env) -> Result<()> {
        let outputs = self.records().flat_map(|record| &record.outputs);
        let mut hashes = outputs.filter(|it| it.name == file.to_string());
        match hashes.find_map(|it| it.hash.as_ref()) {
            Some(hash) if of_file(file, env)? != *hash => {
                Err(Error::unfit(CHANGED).file(file.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the format of the data, according to the first record.
    pub fn format(&self) -> Option<&str> {
        Some(&self.records().next()?.format)
    }

    /// Returns the state of each shard in order.
    pub fn states(&self, env: &Env) -> Vec<State> {
        let mut files = HashMap::new();
        let first = self.records().next();
        let mut states = Vec::new();
        for (number, found) in (1..).zip(&self.found) {
            states.push(match (found, first) {
                (RecordLookup::Unreadable(why), _) => State::Mismatched(why.clone()),
                (RecordLookup::Recorded(record), Some(first)) => {
                    let wrong = self.mismatch((number, record), first, env);
                    let wrong = wrong.or_else(|| other_version(record, &mut files));
                    wrong.map_or(State::Done, State::Mismatched)
                }
                _ => State::Missing,
            });
        }
        states
    }

    /// Says how the record of a shard is inconsistent with its place, with the first record, or with
    /// its files.
    fn mismatch(
        &self,
        (number, record): (u64, &Record),
        first: &Record,
        env: &Env,
    ) -> Option<String> {
        if record.shard != number || record.of != self.of {
            let message = format!("its record is of shard {} of {}", record.shard, record.of);
            return Some(message);
        }
        // Some facts differ between shards.
        let mut own = record.clone();
        (own.shard, own.entries) = (first.shard, first.entries);
        own.archives.clone_from(&first.archives);
        if let Some(what) = own.differs_from(first) {
            return Some(format!(
                "its '{what}' differs from that of shard {}",
                first.shard
            ));
        }
        let file = record.missing(env)?;
        Some(format!("{file} is missing or changed"))
    }

    /// Checks that all shards are done, consistent and complete.
    ///
    /// # Errors
    /// They are not.
    pub fn check_whole(&self, env: &Env) -> Result<()> {
        let states = self.states(env);
        let missing = missing(&states);
        if !missing.is_empty() {
            let error = Error::unfit(format!("shards {missing} of {} are missing", self.of));
            return Err(error.file(&self.name).hint("convert them first"));
        }
        for (number, state) in (1..).zip(&states) {
            if let State::Mismatched(why) = state {
                let file = record_of(&self.data(number)?);
                return Err(Error::unfit(why.clone()).file(file.to_string()));
            }
        }
        let mut end = 0;
        for record in self.records() {
            let [first, next] = record.entries;
            if first != end {
                let file = record_of(&self.data(record.shard)?).to_string();
                let message = format!("starts at entry {first}, the shards before it end at {end}");
                return Err(Error::unfit(message).file(file));
            }
            end = next;
        }
        let all = self.records().map(|record| record.input.entries);
        match all.max().is_some_and(|all| all != end) {
            true => Err(Error::unfit(format!(
                "the shards end at entry {end}, which is not the last"
            ))
            .file(&self.name)),
            false => Ok(()),
        }
    }
}

/// Says which file a shard read in another version than a shard before, if there is one. `files` has
/// the hashes of those of the shards before.
fn other_version<'a>(
    record: &'a Record,
    files: &mut HashMap<&'a str, (&'a str, u64)>,
) -> Option<String> {
    let mut wrong = None;
    for (file, hash) in &record.files {
        let (before, shard) = files.entry(file).or_insert((hash, record.shard));
        if *before != hash.as_str() && wrong.is_none() {
            wrong = Some(format!("read another version of {file} than shard {shard}"));
        }
    }
    wrong
}

/// Formats the missing shards for array jobs: `3,7-9`.
pub fn missing(states: &[State]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let all = states.iter().enumerate();
    for (n, _) in all.filter(|(_, state)| **state == State::Missing) {
        match runs.last_mut() {
            Some((_, last)) if *last == n => *last = n + 1,
            _ => runs.push((n + 1, n + 1)),
        }
    }
    let texts = runs.into_iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    texts.collect::<Vec<_>>().join(",")
}

/// Returns the number of shards, according to the records' names.
fn count(name: &str, env: &Env) -> Result<u64> {
    let folder = Location::from(name).parent().unwrap_or_else(|| "".into());
    let failed = |e| Error::io("cannot list", e).file(folder.to_string());
    let files = env.store().entries(&folder).map_err(failed)?;
    let record = record_of(&name.into()).to_string();
    let counts = files
        .iter()
        .filter_map(|file| number_in(&file.to_string(), &record));
    let counts: std::collections::BTreeSet<_> = counts.map(|shard| shard.of).collect();
    let mut counts = counts.into_iter();
    match (counts.next(), counts.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Error::unfit("no shard of it is done")
            .file(name)
            .hint("--of N says how many there are to be")),
        (Some(a), Some(b)) => Err(Error::unfit(format!("has shards of {a} and of {b}"))
            .file(name)
            .hint("--of N says which are meant")),
    }
}

/// Returns the shard with the number in a name, at the position of the placeholder in `pattern`.
fn number_in(name: &str, pattern: &str) -> Option<Shard> {
    const WIDTH: usize = "00003-of-00016".len();
    let (before, _) = pattern.split_once("{shard}")?;
    let field = name.get(before.len()..before.len() + WIDTH)?;
    let (number, of) = field.split_once("-of-")?;
    let shard = Shard::new(number.parse().ok()?, of.parse().ok()?).ok()?;
    (numbered(pattern, shard) == name).then_some(shard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_are_an_array_expression() {
        let states = |numbers: &[usize]| {
            let state = |n| match numbers.contains(&n) {
                true => State::Missing,
                false => State::Done,
            };
            (1..10).map(state).collect::<Vec<_>>()
        };
        assert_eq!(missing(&states(&[3, 7, 8, 9])), "3,7-9");
        assert_eq!(missing(&states(&[1, 2, 4])), "1-2,4");
        assert_eq!(missing(&states(&[])), "");
    }

    #[test]
    fn names_tell_their_shard() {
        let pattern = "a/x.{shard}.ark.shard.json";
        let shard = number_in("a/x.00003-of-00016.ark.shard.json", pattern);
        assert_eq!(shard, Shard::new(3, 16).ok());
        for other in [
            "a/x.00017-of-00016.ark.shard.json",
            "a/x.3-of-16.ark.shard.json",
            "a/x.00003-of-00016.ark",
            "a/y",
        ] {
            assert_eq!(number_in(other, pattern), None, "{other}");
        }
    }
}
