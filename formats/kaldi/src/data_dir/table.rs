//! Tables with lookup by key: in one pass if they are sorted like the lookups, otherwise from
//! memory.

use spr_core::bytes::{Env, Location, MemoryCounter};
use spr_core::model::Key;
use spr_core::{Error, Result};

use super::faults::Faults;
use super::indexed_lines::{IndexedLines, twice};
use super::layout::TableSubject;
use super::line::{Lines, NextLine};
use super::rules::Rule;

/// A table of a data directory.
pub(super) struct Table {
    at: Location,
    name: String,
    /// The rule for values, if lines that break it are faulty.
    rule: Option<Rule>,
    body: Body,
    subject: TableSubject,
    /// Whether unused lines are reported.
    tells: bool,
    /// Whether lines that are missing are reported.
    complete: bool,
    /// The first key without a line, and the number of them.
    missing: Option<(Key, u64)>,
}

enum Body {
    Stream(Box<Stream>),
    Memory(IndexedLines),
}

struct Stream {
    lines: Lines,
    /// The previous key and its line.
    before: Vec<u8>,
    first: u64,
    /// Whether there is a current line, and whether it was looked up.
    there: bool,
    used: bool,
    /// The last key looked up.
    asked: Vec<u8>,
    /// Lines that were not looked up, if they are to be reported.
    unused: Vec<(Key, u64)>,
    held: MemoryCounter,
}

impl Table {
    /// Opens a table. Lines that are never looked up are reported if `tells` is set.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn open(at: Location, tells: bool, env: &Env, faults: &mut Faults) -> Result<Self> {
        Self::open_checked(at, None, tells, env, faults)
    }

    /// Opens a table like [`open`](Self::open), in which lines whose values break the rule are
    /// faulty.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub(super) fn open_checked(
        at: Location,
        rule: Option<Rule>,
        tells: bool,
        env: &Env,
        faults: &mut Faults,
    ) -> Result<Self> {
        let body = match unsorted(&at, env)? {
            None => Body::Stream(Box::new(Stream::open(&at, rule, env)?)),
            Some(warning) => {
                env.warn(&warning);
                Body::Memory(IndexedLines::read(&at, rule, 0, env, faults)?)
            }
        };
        Ok(Self {
            name: at.to_string(),
            rule,
            at,
            body,
            subject: TableSubject::Utterance,
            tells,
            complete: false,
            missing: None,
        })
    }

    /// Sets the subject of the lines, which are those of utterances otherwise.
    pub(super) fn of(self, subject: TableSubject) -> Self {
        Self { subject, ..self }
    }

    /// Reports keys without a line at the end if `complete` is set.
    pub(super) fn complete(self, complete: bool) -> Self {
        Self { complete, ..self }
    }

    pub(super) fn at(&self) -> &Location {
        &self.at
    }

    /// Returns the file name for messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the rest of the line of a key, and its number.
    ///
    /// # Errors
    /// Reading fails. Errors of lines are added to `faults`.
    pub(super) fn find(
        &mut self,
        key: &[u8],
        env: &Env,
        faults: &mut Faults,
    ) -> Result<Option<(&[u8], u64)>> {
        self.reach(key, env, faults)
            .inspect_err(|_| faults.give_up())?;
        let found = match &mut self.body {
            Body::Stream(stream) => stream.found(key),
            Body::Memory(held) => held.find(key),
        };
        if found.is_none() && self.complete && !faults.are_skipped() {
            self.missing.get_or_insert_with(|| (key.into(), 0)).1 += 1;
        }
        Ok(found)
    }

    /// Moves to the position of a key.
    fn reach(&mut self, key: &[u8], env: &Env, faults: &mut Faults) -> Result<()> {
        let Body::Stream(stream) = &mut self.body else {
            return Ok(());
        };
        if stream.asked.as_slice() > key {
            let told = stream.lines.number();
            let current = (stream.there && !stream.used).then_some(told);
            let mut held = IndexedLines::read(&self.at, self.rule, told, env, faults)?;
            let unused = std::mem::take(&mut stream.unused);
            let is_unused = |number| unused.binary_search_by_key(&number, |(_, n)| *n).is_ok();
            let used = |number| Some(number) != current && !is_unused(number);
            held.mark(|number| number <= told && used(number));
            self.body = Body::Memory(held);
            return Ok(());
        }
        stream.asked.clear();
        stream.asked.extend_from_slice(key);
        stream.reach(key, self.tells, env, faults)
    }

    /// Reads to the end to find all faulty lines, and reports unused ones.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn finish(&mut self, env: &Env, faults: &mut Faults) -> Result<()> {
        let tells =
            self.tells && (self.subject == TableSubject::Utterance || !faults.are_doubtful());
        let warn = |key: &[u8], number| {
            if tells {
                env.warn_left_out(&unused(self.subject, key).file(&self.name).line(number));
            }
        };
        match &mut self.body {
            Body::Stream(stream) => {
                while stream.step(self.tells, env, faults)? {}
                let unused = stream.unused.drain(..);
                unused.for_each(|(key, number)| warn(key.as_bytes(), number));
            }
            Body::Memory(held) => held.unused().for_each(|(key, number)| warn(key, number)),
        }
        if let Some((key, count)) = self.missing.take().filter(|_| self.tells) {
            env.warn(&missing(self.subject, &key, count).file(&self.name));
        }
        Ok(())
    }
}

impl Stream {
    fn open(at: &Location, rule: Option<Rule>, env: &Env) -> Result<Self> {
        Ok(Self {
            lines: Lines::new(env.open_file(at)?).checked(rule),
            before: Vec::new(),
            first: 0,
            there: false,
            used: true,
            asked: Vec::new(),
            unused: Vec::new(),
            held: MemoryCounter::new("lines of no utterance"),
        })
    }

    /// Moves to the line of `key`, or to the first one after its position.
    fn reach(&mut self, key: &[u8], tells: bool, env: &Env, faults: &mut Faults) -> Result<()> {
        while !self.there || self.lines.key() < key {
            if !self.step(tells, env, faults)? {
                break;
            }
        }
        Ok(())
    }

    /// Moves to the next line with another key, and returns `false` at the end.
    fn step(&mut self, tells: bool, env: &Env, faults: &mut Faults) -> Result<bool> {
        if self.there {
            if !self.used && tells {
                let key = Key::from(self.lines.key());
                self.held.keep(key.as_bytes().len(), &env.limits)?;
                self.unused.push((key, self.lines.number()));
            }
            self.before.clear();
            self.before.extend_from_slice(self.lines.key());
            (self.first, self.there) = (self.lines.number(), false);
        }
        loop {
            match self.lines.next(env)? {
                NextLine::End => return Ok(false),
                NextLine::Fault(error) => faults.add(error)?,
                NextLine::Line if self.first > 0 && self.lines.key() == self.before => {
                    let error = twice(self.lines.key(), self.first);
                    faults.add(self.lines.place(error))?;
                }
                NextLine::Line => {
                    (self.there, self.used) = (true, false);
                    return Ok(true);
                }
            }
        }
    }

    fn found(&mut self, key: &[u8]) -> Option<(&[u8], u64)> {
        if !self.there || self.lines.key() != key {
            return None;
        }
        self.used = true;
        Some((self.lines.rest(), self.lines.number()))
    }
}

/// Returns the error for the first line whose key is out of order, if there is one.
pub(super) fn unsorted(at: &Location, env: &Env) -> Result<Option<Error>> {
    let silent = env.listening(|_| {});
    let mut lines = Lines::new(env.open_file(at)?);
    let mut before = Vec::new();
    loop {
        match lines.next(&silent)? {
            NextLine::End => return Ok(None),
            NextLine::Fault(_) => {}
            NextLine::Line if lines.key() < before.as_slice() => {
                let key = Key::from(before);
                let message = format!("is not sorted by bytes: comes after {key}");
                let error = Error::unfit(message).utterance(&lines.key().into());
                let hint = "LC_ALL=C sort, or fix_data_dir.sh, sorts it";
                return Ok(Some(lines.place(error.hint(hint))));
            }
            NextLine::Line => {
                before.clear();
                before.extend_from_slice(lines.key());
            }
        }
    }
}

/// Returns the error for an unused line.
fn unused(subject: TableSubject, key: &[u8]) -> Error {
    let (key, message) = (Key::from(key), "belongs to no utterance, and is ignored");
    match subject {
        TableSubject::Utterance => Error::unfit(message).utterance(&key),
        _ => Error::unfit(format!("the {} {key} {message}", subject.name())),
    }
}

/// Returns the error for a key without a line, which `count` utterances lack.
fn missing(subject: TableSubject, key: &Key, count: u64) -> Error {
    let name = subject.name();
    let message = match (subject, count) {
        (TableSubject::Utterance, 1) => "has no line".to_owned(),
        (TableSubject::Utterance, _) => {
            format!("has no line, the first of {count} utterances without one")
        }
        (_, 1) => format!("has no line for the {name} {key}"),
        _ => format!("has no line for the {name} {key}; {count} utterances lack one"),
    };
    match subject {
        TableSubject::Utterance => Error::unfit(message).utterance(key),
        _ => Error::unfit(message),
    }
}
