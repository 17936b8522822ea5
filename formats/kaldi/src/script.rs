//! Script files: lines of a key and the place of its object.

use std::path::{Path, PathBuf};

use spr_core::bytes::{Env, Locator, Source};
use spr_core::format::{Options, Reader};
use spr_core::model::{DatasetInfo, Key, Utterance, is_word_byte};
use spr_core::{Error, Result};

use crate::number::is_space;
use crate::object::Objects;
use crate::range::Range;
use crate::select::Select;
use crate::specifier::rxfilename;

/// Archives kept open at a time.
const OPEN: usize = 16;

pub(crate) struct ScriptReader {
    script: Source,
    places: Places,
    select: Select,
    info: DatasetInfo,
    line: Vec<u8>,
    number: u64,
    ended: bool,
}

/// Reads what the lines of a script file name.
pub(crate) struct Places {
    objects: Objects,
    env: Env,
    /// The script file.
    script: Option<PathBuf>,
    /// Archives, the last used one last.
    open: Vec<(PathBuf, Source)>,
    /// The object that a range was cut from or that a command gave, for the next line that names
    /// the same.
    kept: Option<(String, Utterance)>,
    /// Where in its file the object read last starts.
    offset: Option<u64>,
}

/// A line of a script file.
#[derive(Debug, PartialEq)]
struct Line<'a> {
    place: &'a str,
    range: Option<Range>,
}

impl<'a> Line<'a> {
    /// Reads what follows the key.
    fn parse(rest: &'a str) -> Result<Self> {
        let (place, range) = match rest.strip_suffix(']') {
            None => (rest, None),
            Some(rest) => match rest.split_once('[') {
                Some((place, range)) if !place.is_empty() => (place, Some(Range::parse(range)?)),
                _ => return Err(Error::malformed("']' ends no range after a file name")),
            },
        };
        Ok(Self { place, range })
    }
}

/// The key of a line and what follows it, without white space around.
///
/// # Errors
/// Something is missing, the key is no word, or the rest is not UTF-8. The key is named once known.
pub(crate) fn split_line(line: &[u8]) -> Result<(&[u8], &str)> {
    let start = line.iter().position(|b| !is_space(*b));
    let end = line.iter().rposition(|b| !is_space(*b));
    let (Some(start), Some(end)) = (start, end) else {
        return Err(Error::malformed("a blank line"));
    };
    let line = &line[start..=end];
    let blank = line.iter().position(|b| is_space(*b));
    let (name, rest) = line.split_at(blank.unwrap_or(line.len()));
    if let Some(b) = name.iter().find(|b| !is_word_byte(**b)) {
        return Err(Error::malformed(format!("byte 0x{b:02x} in the key")));
    }
    let key = Key::from(name);
    let Ok(rest) = std::str::from_utf8(rest) else {
        return Err(Error::unsupported("the file name is not UTF-8").utterance(&key));
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
    if rest.is_empty() {
        return Err(Error::malformed("no file name follows the key").utterance(&key));
    }
    Ok((name, rest))
}

impl Places {
    pub(crate) fn new(script: &Source, options: &Options, env: &Env) -> Result<Self> {
        Ok(Self {
            objects: Objects::new(options, env)?,
            env: env.clone(),
            script: script.path().map(Path::to_owned),
            open: Vec::new(),
            kept: None,
            offset: None,
        })
    }

    /// Reads the object at the place that `rest` of a line names into `utt`, whose key is set
    /// already. `place` adds the line to warnings.
    pub(crate) fn read(
        &mut self,
        rest: &str,
        utt: &mut Utterance,
        place: impl FnOnce(Error) -> Error,
    ) -> Result<()> {
        let line = Line::parse(rest)?;
        let at = rxfilename(line.place)?;
        self.offset = match &at {
            Locator::FileAt(_, offset) => Some(*offset),
            _ => None,
        };
        if line.range.is_none() && !matches!(at, Locator::Command(_)) {
            self.kept = None;
            return self.load(&at, utt);
        }
        let mut kept = match self.kept.take() {
            Some((place, object)) if place == line.place => object,
            other => {
                let mut object = other.map(|(_, object)| object).unwrap_or_default();
                object.key.set(utt.key.as_bytes());
                self.load(&at, &mut object)?;
                object
            }
        };
        let result = self.take(&mut kept, line.range.as_ref(), utt);
        self.kept = Some((line.place.to_owned(), kept));
        if result? {
            let warning = "the range goes past the last row, to which it is cut";
            self.env.warn(&place(Error::malformed(warning)));
        }
        Ok(())
    }

    /// Copies an object, or a part of it, to `utt`; `true` if the range was cut.
    fn take(
        &self,
        object: &mut Utterance,
        range: Option<&Range>,
        utt: &mut Utterance,
    ) -> Result<bool> {
        let Some(range) = range else {
            let key = std::mem::take(&mut utt.key);
            utt.clone_from(object);
            utt.key = key;
            return Ok(false);
        };
        let Some(whole) = &object.features else {
            let message = "a range, but only matrices and vectors of floats have them";
            return Err(Error::malformed(message));
        };
        utt.meta.clear();
        utt.labels = None;
        utt.clear_others();
        range.cut(whole, utt.features_mut(), &self.env.limits)
    }

    /// Reads the object at a place.
    fn load(&mut self, at: &Locator, utt: &mut Utterance) -> Result<()> {
        let script = self.script.as_deref();
        let Locator::FileAt(path, offset) = at else {
            let mut source = self.env.open_from(script, at)?;
            return self.objects.read(&mut source, utt, true);
        };
        let known = self.open.iter().position(|(name, _)| name == path);
        let mut source = match known {
            Some(i) => self.open.remove(i).1,
            None => self.env.open_from(script, at)?,
        };
        source.seek(*offset)?;
        self.objects.read(&mut source, utt, false)?;
        if self.open.len() == OPEN {
            self.open.remove(0);
        }
        self.open.push((path.clone(), source));
        Ok(())
    }
}

impl ScriptReader {
    pub(crate) fn new(
        mut script: Source,
        options: &Options,
        env: &Env,
        select: Select,
    ) -> Result<Self> {
        if script.peek(2)? == b"\0B" {
            return Err(script.malformed("a script file is text, this is a binary object"));
        }
        Ok(Self {
            places: Places::new(&script, options, env)?,
            select,
            info: DatasetInfo {
                compression: script.compression(),
                ..DatasetInfo::default()
            },
            line: Vec::new(),
            number: 0,
            ended: false,
            script,
        })
    }

    /// Reads what a line names; `false` if its key is not selected.
    fn read_line(&mut self, line: &[u8], utt: &mut Utterance) -> Result<bool> {
        utt.key.set(b"");
        let (key, rest) = split_line(line)?;
        utt.key.set(key);
        if !self.select.wants(&utt.key) {
            return Ok(false);
        }
        let (name, number) = (self.script.name(), self.number);
        let key = Key::from(key);
        self.places
            .read(rest, utt, |e| e.file(name).line(number).utterance(&key))?;
        Ok(true)
    }

    fn place(&self, error: Error, key: &Key) -> Error {
        let known = error.file_name().is_some();
        let error = error.file(self.script.name());
        let error = if known {
            error
        } else {
            error.line(self.number)
        };
        if key.as_bytes().is_empty() {
            return error;
        }
        error.utterance(key)
    }
}

impl Reader for ScriptReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while !self.ended {
            let mut line = std::mem::take(&mut self.line);
            let more = self.script.line(&mut line, &self.places.env.limits);
            if !matches!(more, Ok(true)) {
                self.ended = true;
                return more;
            }
            self.number += 1;
            let result = self.read_line(&line, utt);
            self.line = line;
            self.places.objects.describe(&self.script, &mut self.info);
            self.info.offset = self.places.offset;
            match result {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                // The next line is another object's.
                Err(error) => return Err(self.place(error, &utt.key).continuable()),
            }
        }
        Ok(false)
    }
}
