//! The shards of an output: their state and consistency.

use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::{Error, Result};

use crate::argument::Target;
use crate::shard::{Record, Shard, numbered, pattern, record_of};

/// All shards of an output, by their records.
pub struct Shards {
    /// The name of the data, with a placeholder for the number.
    name: String,
    /// The output as typed, with a placeholder for the number.
    text: String,
    /// The number of shards.
    pub of: u64,
    /// The record of each shard that has one.
    records: Vec<Option<Record>>,
}

/// The state of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is done.
    Done,
    /// It has no record.
    Missing,
    /// It is done, but inconsistent with others, or its files have changed.
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
            records: Vec::new(),
        };
        for number in 1..=of {
            let record = Record::read(&record_of(&shards.data(number)?), env)?;
            shards.records.push(record);
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

    /// Returns the data of all shards with utterances, or of the first if there are none.
    ///
    /// # Errors
    /// A shard has no record.
    pub fn parts(&self) -> Result<Vec<Location>> {
        let full = |record: &&Record| record.utterances > 0;
        let records = self.records.iter().flatten();
        let mut numbers: Vec<_> = records.filter(full).map(|record| record.shard).collect();
        if numbers.is_empty() {
            numbers.push(1);
        }
        numbers
            .into_iter()
            .map(|number| self.data(number))
            .collect()
    }

    /// Returns the shards whose jobs skipped utterances, and how many each skipped.
    pub fn skipped(&self) -> Vec<(u64, u64)> {
        let records = self.records.iter().flatten();
        let skipped = records.filter(|record| record.skipped > 0);
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

    /// Returns the format of the data, according to the first record.
    pub fn format(&self) -> Option<&str> {
        let first = self.records.iter().flatten().next()?;
        Some(&first.format)
    }

    /// Returns the state of each shard in order.
    pub fn states(&self, env: &Env) -> Vec<State> {
        let first = self.records.iter().flatten().next();
        let state = |(n, record): (usize, &Option<Record>)| {
            let (Some(record), Some(first)) = (record, first) else {
                return State::Missing;
            };
            // Some facts differ between shards.
            let mut own = record.clone();
            (own.shard, own.entries) = (first.shard, first.entries);
            own.archives.clone_from(&first.archives);
            let wrong = match (own.differs_from(first), record.missing(env)) {
                _ if record.shard != n as u64 + 1 || record.of != self.of => {
                    format!("its record is of shard {} of {}", record.shard, record.of)
                }
                (Some(what), _) => format!("its {what} is not that of shard {}", first.shard),
                (None, Some(file)) => format!("{file} is missing or changed"),
                (None, None) => return State::Done,
            };
            State::Mismatched(wrong)
        };
        self.records.iter().enumerate().map(state).collect()
    }

    /// Checks that all shards are done, consistent and complete.
    ///
    /// # Errors
    /// They are not.
    pub fn check_whole(&self, env: &Env) -> Result<()> {
        let states = self.states(env);
        let missing = expression(&states);
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
        for record in self.records.iter().flatten() {
            let [first, next] = record.entries;
            if first != end {
                let file = record_of(&self.data(record.shard)?).to_string();
                let message = format!("starts at entry {first}, the shards before it end at {end}");
                return Err(Error::unfit(message).file(file));
            }
            end = next;
        }
        let all = self
            .records
            .iter()
            .flatten()
            .map(|record| record.input.entries);
        match all.max().is_some_and(|all| all != end) {
            true => Err(Error::unfit(format!(
                "the shards end at entry {end}, which is not the last"
            ))
            .file(&self.name)),
            false => Ok(()),
        }
    }
}

/// Formats the missing shards for array jobs: `3,7-9`.
pub fn expression(states: &[State]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let missing = states.iter().enumerate();
    for (n, _) in missing.filter(|(_, state)| **state == State::Missing) {
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
        let states = |missing: &[usize]| {
            let state = |n| match missing.contains(&n) {
                true => State::Missing,
                false => State::Done,
            };
            (1..10).map(state).collect::<Vec<_>>()
        };
        assert_eq!(expression(&states(&[3, 7, 8, 9])), "3,7-9");
        assert_eq!(expression(&states(&[1, 2, 4])), "1-2,4");
        assert_eq!(expression(&states(&[])), "");
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
