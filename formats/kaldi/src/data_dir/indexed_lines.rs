//! Tables in memory, if they are not sorted like the lookups.

use spr_core::bytes::{Env, Location, MemoryCounter};
use spr_core::{Error, Result};

use super::faults::Faults;
use super::line::{Lines, NextLine};
use super::rules::Rule;

/// The lines of a table by key. They take the memory of the text and 32 bytes per line.
pub(super) struct IndexedLines {
    text: Vec<u8>,
    /// Sorted by the bytes of the keys.
    lines: Vec<IndexedLine>,
}

#[derive(Clone, Copy)]
struct IndexedLine {
    start: usize,
    rest: u32,
    len: u32,
    number: u64,
    used: bool,
}

impl IndexedLine {
    fn of(self, text: &[u8]) -> (&[u8], &[u8]) {
        let line = text.get(self.start..).unwrap_or_default();
        let line = line.get(..self.len as usize).unwrap_or_default();
        line.split_at_checked(self.rest as usize)
            .unwrap_or_default()
    }
}

impl IndexedLines {
    /// Reads all lines of a file, whose values follow the rule. Faulty lines from line `told` on, and
    /// repeated keys, are added to `faults`.
    ///
    /// # Errors
    /// Reading fails, or the file exceeds the limits.
    pub(super) fn read(
        at: &Location,
        rule: Option<Rule>,
        told: u64,
        env: &Env,
        faults: &mut Faults,
    ) -> Result<Self> {
        let mut from = Lines::new(env.open_file(at)?).checked(rule);
        let (mut text, mut lines) = (Vec::new(), Vec::new());
        let mut held = MemoryCounter::new("a table that is not sorted");
        loop {
            match from.next(env)? {
                NextLine::End => break,
                NextLine::Fault(error) if from.number() > told => faults.add(error)?,
                NextLine::Fault(_) => {}
                NextLine::Line => {
                    let (key, rest) = (from.key(), from.rest());
                    let size = key.len() + rest.len();
                    held.add(size, from.source(), &env.limits)?;
                    let long = |_| from.place(Error::malformed("the line is too long"));
                    lines.push(IndexedLine {
                        start: text.len(),
                        rest: u32::try_from(key.len()).map_err(long)?,
                        len: u32::try_from(size).map_err(long)?,
                        number: from.number(),
                        used: false,
                    });
                    text.extend_from_slice(key);
                    text.extend_from_slice(rest);
                }
            }
        }
        lines.sort_by(|a, b| a.of(&text).0.cmp(b.of(&text).0));
        let mut before: Option<IndexedLine> = None;
        for line in &lines {
            match before {
                Some(first) if first.of(&text).0 == line.of(&text).0 => {
                    let error = twice(line.of(&text).0, first.number);
                    faults.add(error.file(at.to_string()).line(line.number))?;
                }
                _ => before = Some(*line),
            }
        }
        lines.dedup_by(|later, first| later.of(&text).0 == first.of(&text).0);
        Ok(Self { text, lines })
    }

    /// Returns the rest of the line of a key, and its number.
    pub(super) fn find(&mut self, key: &[u8]) -> Option<(&[u8], u64)> {
        let text = &self.text;
        let found = self.lines.binary_search_by(|line| line.of(text).0.cmp(key));
        let line = self.lines.get_mut(found.ok()?)?;
        line.used = true;
        Some((line.of(&self.text).1, line.number))
    }

    /// Marks lines as looked up, by their numbers.
    pub(super) fn mark(&mut self, is_used: impl Fn(u64) -> bool) {
        let lines = self.lines.iter_mut();
        lines.for_each(|line| line.used |= is_used(line.number));
    }

    /// Returns the keys of lines that were not looked up, with their numbers.
    pub(super) fn unused(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let unused = self.lines.iter().filter(|line| !line.used);
        unused.map(|line| (line.of(&self.text).0, line.number))
    }
}

/// Returns the error for a line with a repeated key.
pub(super) fn twice(key: &[u8], first: u64) -> Error {
    let error = Error::malformed(format!("appears twice, in line {first}, too"));
    error.utterance(&key.into()).continuable()
}
