//! A table that is asked for keys: in one pass where it is sorted as they are, else from memory.

use spr_core::bytes::{Env, Location};
use spr_core::model::Key;
use spr_core::{Error, Result};

use super::faults::Faults;
use super::held::{HeldLines, twice};
use super::line::{Lines, Next};

/// A table of a data directory.
pub(super) struct Table {
    at: Location,
    name: String,
    body: Body,
    /// Whether lines that nobody asked for are told of.
    tells: bool,
}

enum Body {
    Stream(Box<Stream>),
    Memory(HeldLines),
}

struct Stream {
    lines: Lines,
    /// The key before, and its line.
    before: Vec<u8>,
    first: u64,
    /// Whether a line is at hand, and whether somebody asked for it.
    there: bool,
    used: bool,
    /// The key asked for last.
    asked: Vec<u8>,
}

impl Table {
    /// Opens a table, of which lines that nobody asks for are told of where it `tells`.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn open(at: Location, tells: bool, env: &Env, faults: &mut Faults) -> Result<Self> {
        let body = match unsorted(&at, env)? {
            None => Body::Stream(Box::new(Stream::open(&at, env)?)),
            Some(warning) => {
                env.warn(&warning);
                Body::Memory(HeldLines::read(&at, 0, env, faults)?)
            }
        };
        Ok(Self {
            name: at.to_string(),
            at,
            body,
            tells,
        })
    }

    pub(super) fn at(&self) -> &Location {
        &self.at
    }

    /// The file's name in messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The rest of the line of a key, and its number.
    ///
    /// # Errors
    /// Reading fails. Lines at fault on the way go to `faults`.
    pub(super) fn find(
        &mut self,
        key: &[u8],
        env: &Env,
        faults: &mut Faults,
    ) -> Result<Option<(&[u8], u64)>> {
        self.reach(key, env, faults)
            .inspect_err(|_| faults.give_up())?;
        Ok(match &mut self.body {
            Body::Stream(stream) => stream.found(key),
            Body::Memory(held) => held.find(key),
        })
    }

    /// Goes to where a key is or would be.
    fn reach(&mut self, key: &[u8], env: &Env, faults: &mut Faults) -> Result<()> {
        let Body::Stream(stream) = &mut self.body else {
            return Ok(());
        };
        if stream.asked.as_slice() > key {
            let told = stream.lines.number();
            self.body = Body::Memory(HeldLines::read(&self.at, told, env, faults)?);
            return Ok(());
        }
        stream.asked.clear();
        stream.asked.extend_from_slice(key);
        stream.reach(key, self.tells, env, faults)
    }

    /// Goes to the end, so that all lines at fault are known, and tells of those that nobody asked
    /// for.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn finish(&mut self, env: &Env, faults: &mut Faults) -> Result<()> {
        match &mut self.body {
            Body::Stream(stream) => while stream.step(self.tells, env, faults)? {},
            Body::Memory(held) if self.tells => {
                for (key, number) in held.unused() {
                    env.warn(&unused(key).file(&self.name).line(number));
                }
            }
            Body::Memory(_) => {}
        }
        Ok(())
    }
}

impl Stream {
    fn open(at: &Location, env: &Env) -> Result<Self> {
        Ok(Self {
            lines: Lines::new(env.open_file(at)?),
            before: Vec::new(),
            first: 0,
            there: false,
            used: true,
            asked: Vec::new(),
        })
    }

    /// Goes to the line of `key`, or to the first behind where it would be.
    fn reach(&mut self, key: &[u8], tells: bool, env: &Env, faults: &mut Faults) -> Result<()> {
        while !self.there || self.lines.key() < key {
            if !self.step(tells, env, faults)? {
                break;
            }
        }
        Ok(())
    }

    /// Goes to the next line with another key; `false` at the end.
    fn step(&mut self, tells: bool, env: &Env, faults: &mut Faults) -> Result<bool> {
        if self.there {
            if !self.used && tells {
                env.warn(&self.lines.place(unused(self.lines.key())));
            }
            self.before.clear();
            self.before.extend_from_slice(self.lines.key());
            (self.first, self.there) = (self.lines.number(), false);
        }
        loop {
            match self.lines.next(env)? {
                Next::End => return Ok(false),
                Next::Fault(error) => faults.add(error)?,
                Next::Line if self.first > 0 && self.lines.key() == self.before => {
                    let error = twice(self.lines.key(), self.first);
                    faults.add(self.lines.place(error))?;
                }
                Next::Line => {
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

/// What is said of the first line whose key comes before that of a line above it, if there is one.
pub(super) fn unsorted(at: &Location, env: &Env) -> Result<Option<Error>> {
    let silent = env.listening(|_| {});
    let mut lines = Lines::new(env.open_file(at)?);
    let mut before = Vec::new();
    loop {
        match lines.next(&silent)? {
            Next::End => return Ok(None),
            Next::Fault(_) => {}
            Next::Line if lines.key() < before.as_slice() => {
                let key = Key::from(before);
                let message = format!("is not sorted by bytes: comes after {key}");
                let error = Error::unfit(message).utterance(&lines.key().into());
                let hint = "LC_ALL=C sort, or fix_data_dir.sh, sorts it";
                return Ok(Some(lines.place(error.hint(hint))));
            }
            Next::Line => {
                before.clear();
                before.extend_from_slice(lines.key());
            }
        }
    }
}

/// What is said of a line that nobody asked for.
fn unused(key: &[u8]) -> Error {
    Error::unfit("belongs to no utterance, and is ignored").utterance(&Key::from(key))
}
