//! A table in memory, for those that are not sorted as they are asked.

use spr_core::bytes::{Env, Held, Location};
use spr_core::{Error, Result};

use super::faults::Faults;
use super::line::{Lines, Next};

/// The lines of a table, found by their keys. What it takes is the text and 32 bytes a line.
pub(super) struct HeldLines {
    text: Vec<u8>,
    /// In the order of the keys, byte by byte.
    lines: Vec<HeldLine>,
}

#[derive(Clone, Copy)]
struct HeldLine {
    start: usize,
    rest: u32,
    len: u32,
    number: u64,
    used: bool,
}

impl HeldLine {
    fn of(self, text: &[u8]) -> (&[u8], &[u8]) {
        let line = text.get(self.start..).unwrap_or_default();
        let line = line.get(..self.len as usize).unwrap_or_default();
        line.split_at_checked(self.rest as usize)
            .unwrap_or_default()
    }
}

impl HeldLines {
    /// Reads all lines of a file. Those from line `told` on that are at fault go to `faults`, and so
    /// do those of a key that another line before them has.
    ///
    /// # Errors
    /// Reading fails, or it is more than the limits allow.
    pub(super) fn read(at: &Location, told: u64, env: &Env, faults: &mut Faults) -> Result<Self> {
        let mut from = Lines::new(env.open_file(at)?);
        let (mut text, mut lines) = (Vec::new(), Vec::new());
        let mut held = Held::new("a table that is not sorted");
        loop {
            match from.next(env)? {
                Next::End => break,
                Next::Fault(error) if from.number() > told => faults.add(error)?,
                Next::Fault(_) => {}
                Next::Line => {
                    let (key, rest) = (from.key(), from.rest());
                    let size = key.len() + rest.len();
                    held.add(size, from.source(), &env.limits)?;
                    let long = |_| from.place(Error::malformed("the line is too long"));
                    lines.push(HeldLine {
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
        let mut before: Option<HeldLine> = None;
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

    /// The rest of the line of a key, and its number.
    pub(super) fn find(&mut self, key: &[u8]) -> Option<(&[u8], u64)> {
        let text = &self.text;
        let found = self.lines.binary_search_by(|line| line.of(text).0.cmp(key));
        let line = self.lines.get_mut(found.ok()?)?;
        line.used = true;
        Some((line.of(&self.text).1, line.number))
    }

    /// The keys of lines that nobody asked for, with their numbers.
    pub(super) fn unused(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let unused = self.lines.iter().filter(|line| !line.used);
        unused.map(|line| (line.of(&self.text).0, line.number))
    }
}

/// The error for a line whose key another line has.
pub(super) fn twice(key: &[u8], first: u64) -> Error {
    let error = Error::malformed(format!("appears twice, in line {first}, too"));
    error.utterance(&key.into()).continuable()
}
