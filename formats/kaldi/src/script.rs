//! Script files: lines of a key and the place of its object.

use std::borrow::Cow;
use std::sync::Arc;

use spr_core::bytes::{Env, Location, Locator, Source};
use spr_core::format::{Options, Reader, Request};
use spr_core::model::{DatasetInfo, Key, KeySource, Position, Utterance, is_word_byte};
use spr_core::{Error, Result};

use crate::choice::{Choice, Content};

use crate::number::is_space;
use crate::object::ObjectReader;
use crate::range::Range;
use crate::sample::{Entries, TRIED, Votes, Waiting, sample};
use crate::specifier::rxfilename;

/// Archives kept open at a time.
const OPEN: usize = 16;

pub(crate) struct ScriptReader {
    script: Source,
    targets: Targets,
    choice: Choice,
    info: DatasetInfo,
    /// The first entries, read at opening.
    waiting: Waiting,
    line: Vec<u8>,
    number: u64,
    ended: bool,
}

/// Reads what the lines of a script file name.
pub(crate) struct Targets {
    objects: ObjectReader,
    env: Env,
    /// The script file.
    script: Option<Location>,
    /// Archives, the last used one last.
    open: Vec<OpenArchive>,
    /// The object that a range was cut from or that a command gave, for the next line that names
    /// the same.
    kept: Option<(String, Utterance)>,
}

/// An archive that lines point into.
struct OpenArchive {
    at: Location,
    source: Source,
    /// The name of the source, for the origin of utterances.
    name: Arc<str>,
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
                _ => {
                    return Err(Error::malformed(
                        "']' after a file name, but no range before it",
                    ));
                }
            },
        };
        Ok(Self { place, range })
    }
}

/// The key of a line and what follows it, without white space around.
///
/// # Errors
/// Something is missing, or the key is not a word. The key is named once known.
pub(crate) fn split_line(line: &[u8]) -> Result<(&[u8], Cow<'_, str>)> {
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
    let blanks = rest.iter().take_while(|b| is_space(**b)).count();
    let rest = rest.get(blanks..).unwrap_or_default();
    if rest.is_empty() {
        return Err(Error::malformed("no file name follows the key").utterance(&key));
    }
    Ok((name, text_of(rest)))
}

/// Whether a line is the start of an object in an archive.
fn is_of_archive(line: &[u8]) -> bool {
    let object = line.splitn(2, |b| *b == b' ').nth(1);
    let object = object.map(<[u8]>::trim_ascii_start);
    object.is_some_and(|object| object.starts_with(b"\0B") || object.trim_ascii_end() == b"[")
}

/// Text that means the same name, whether that is UTF-8 or not.
pub(crate) fn text_of(name: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(name) {
        Ok(text) => text.into(),
        Err(_) => match Location::of_bytes(name) {
            Some(name) => name.to_string().into(),
            None => String::from_utf8_lossy(name),
        },
    }
}

impl Targets {
    pub(crate) fn new(
        script: &Source,
        options: &Options,
        content: Content,
        env: &Env,
    ) -> Result<Self> {
        Ok(Self {
            objects: ObjectReader::new(options, content, env)?,
            env: env.clone(),
            script: script.location().cloned(),
            open: Vec::new(),
            kept: None,
        })
    }

    /// What is known of the objects by now.
    pub(crate) fn known(&self, script: &Source) -> DatasetInfo {
        self.objects.known(script, KeySource::Stored)
    }

    /// Says at the end what there is to be said of all objects.
    pub(crate) fn end(&mut self) {
        self.objects.end();
    }

    /// Keeps what `rest` of a line names from being replaced, though nobody wants to read it.
    pub(crate) fn keep(&self, rest: &str) {
        if let Ok(at) = Line::parse(rest).and_then(|line| rxfilename(line.place)) {
            self.env.names(self.script.as_ref(), &at);
        }
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
        if line.range.is_none() && !matches!(at, Locator::Command(_)) {
            self.kept = None;
            return self.load(&at, utt);
        }
        let kept = match self.kept.take() {
            Some((place, object)) if place == line.place => object,
            other => {
                let mut object = other.map(|(_, object)| object).unwrap_or_default();
                object.key.set(utt.key.as_bytes());
                self.load(&at, &mut object)?;
                object
            }
        };
        let result = self.take(&kept, line.range.as_ref(), utt);
        self.kept = Some((line.place.to_owned(), kept));
        if result? {
            let warning = "the range goes past the last row, to which it is cut";
            self.env.warn(&place(Error::malformed(warning)));
        }
        Ok(())
    }

    /// Looks at the objects of the first of these lines, to expect such as most are. Commands, and
    /// what can be read but once, are passed over.
    pub(crate) fn sample<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        if !self.objects.is_open() {
            return;
        }
        let mut objects = self.objects.without_values();
        std::mem::swap(&mut self.objects, &mut objects);
        self.objects.sample();
        let (mut utt, mut votes) = (Utterance::default(), Votes::default());
        let places = lines.filter_map(|rest| rxfilename(Line::parse(rest).ok()?.place).ok());
        for at in places.take(TRIED) {
            if votes.are_enough() {
                break;
            }
            let script = self.script.as_ref();
            if self.env.is_file_from(script, &at) && self.load(&at, &mut utt).is_ok() {
                votes.add(self.objects.found());
            }
        }
        self.objects = objects;
        self.objects.expect(votes.winner());
    }

    /// Copies an object, or a part of it, to `utt`; `true` if the range was cut.
    fn take(&self, object: &Utterance, range: Option<&Range>, utt: &mut Utterance) -> Result<bool> {
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
        utt.start();
        utt.labels = None;
        utt.origin = object.origin.clone();
        range.cut(whole, utt.features_mut(), &self.env.limits)
    }

    /// Reads the object at a place.
    fn load(&mut self, at: &Locator, utt: &mut Utterance) -> Result<()> {
        let script = self.script.as_ref();
        let Locator::FileAt(file, offset) = at else {
            let mut source = self.env.open_from(script, at)?;
            self.objects.turn();
            self.objects.read(&mut source, utt, true)?;
            utt.origin.file = Some(source.name().into());
            return Ok(());
        };
        let known = self.open.iter().position(|archive| archive.at == *file);
        let mut archive = match known {
            Some(i) => self.open.remove(i),
            None => {
                let source = self.env.open_from(script, at)?;
                self.objects.turn();
                OpenArchive {
                    at: file.clone(),
                    name: source.name().into(),
                    source,
                }
            }
        };
        archive.source.seek(*offset)?;
        self.objects.read(&mut archive.source, utt, false)?;
        utt.origin.file = Some(archive.name.clone());
        utt.origin.at = Some(Position::Byte(*offset));
        if self.open.len() == OPEN {
            self.open.remove(0);
        }
        self.open.push(archive);
        Ok(())
    }
}

impl ScriptReader {
    pub(crate) fn new(
        mut script: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Self> {
        if script.peek(2)? == b"\0B" {
            return Err(script.malformed("a script file is text, this is a binary object"));
        }
        let mut reader = Self {
            targets: Targets::new(&script, options, Content::of(request), env)?,
            choice: Choice::take(request)?,
            info: DatasetInfo::default(),
            waiting: Waiting::new(),
            line: Vec::new(),
            number: 0,
            ended: false,
            script,
        };
        // What the data set is, only its objects tell.
        if (request.lenient || request.damaged) && reader.targets.objects.is_open() {
            reader.waiting = sample(&mut reader);
        } else {
            let mut first = Utterance::default();
            let read = reader.next(&mut first);
            reader.waiting.push_back((first, read));
        }
        let objects = &reader.targets.objects;
        reader.info = objects.known(&reader.script, KeySource::Stored);
        Ok(reader)
    }

    /// Reads what a line names; `false` if that is not wanted.
    fn read_line(&mut self, line: &[u8], utt: &mut Utterance) -> Result<bool> {
        utt.key.set(b"");
        let (key, rest) = match split_line(line) {
            Ok(parts) => parts,
            Err(_) if !self.choice.wants_fault() => return Ok(false),
            Err(error) => return Err(error),
        };
        utt.key.set(key);
        if !self.choice.wants(&utt.key) {
            self.targets.keep(&rest);
            return Ok(false);
        }
        let (name, number) = (self.script.name(), self.number);
        let key = Key::from(key);
        self.targets
            .read(&rest, utt, |e| e.file(name).line(number).utterance(&key))?;
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

impl Entries for ScriptReader {
    fn objects(&mut self) -> &mut ObjectReader {
        &mut self.targets.objects
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        while !self.ended {
            if self.choice.is_over() {
                self.ended = true;
                self.targets.objects.end();
                return Ok(false);
            }
            let mut line = std::mem::take(&mut self.line);
            let more = self.script.line(&mut line, &self.targets.env.limits);
            if !matches!(more, Ok(true)) {
                self.ended = true;
                self.targets.objects.end();
                return more;
            }
            self.number += 1;
            let result = self.read_line(&line, utt);
            self.line = line;
            match result {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                // The next line is another object's.
                Err(error) => {
                    let error = self.place(error, &utt.key).continuable();
                    return Err(match is_of_archive(&self.line) {
                        true => error.hint(format!("it is an archive: ark:{}", self.script.name())),
                        false => error,
                    });
                }
            }
        }
        Ok(false)
    }
}

impl Reader for ScriptReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        match self.waiting.pop_front() {
            Some((first, read)) => {
                *utt = first;
                read
            }
            None => self.next(utt),
        }
    }
}
