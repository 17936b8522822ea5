//! Script files: lines of a key and the file name of its object.

use std::sync::Arc;

use spr_core::bytes::{Env, Finders, Location, Locator, Source};
use spr_core::format::{Options, Reader, Request};
use spr_core::model::{DatasetInfo, Key, KeySource, Object, Position, Utterance};
use spr_core::{Error, Result};

use crate::choice::{Choice, Content};
use crate::object::ObjectReader;
use crate::range::{CLIPPED, Range};
use crate::sample::{Entries, EntriesAhead, TRIED, Votes, sample};
use crate::script_line::{self, Target};

/// The largest number of open archives.
const OPEN: usize = 16;
/// The format of files whose entries have names.
const HDF5: &str = "hdf5";

pub(crate) struct ScriptReader {
    script: Source,
    targets: Targets,
    choice: Choice,
    info: DatasetInfo,
    /// The first entries, if they were read on opening.
    waiting: EntriesAhead,
    line: Vec<u8>,
    number: u64,
    ended: bool,
}

/// A reader of the objects named by lines of a script file.
pub(crate) struct Targets {
    objects: ObjectReader,
    env: Env,
    /// The script file.
    script: Option<Location>,
    /// Open archives, the most recently used one last.
    open: Vec<OpenArchive>,
    /// Open HDF5 files.
    entries: Finders,
    /// The object from which a range was cut, or which a command returned, for the next line with
    /// the same name.
    kept: Option<(String, Utterance)>,
}

/// An archive that lines refer to.
struct OpenArchive {
    at: Location,
    source: Source,
    /// The name of the source for the origin of utterances.
    name: Arc<str>,
}

/// Returns `true` if a line is the start of an object in an archive.
fn is_of_archive(line: &[u8]) -> bool {
    let object = line.splitn(2, |b| *b == b' ').nth(1);
    let object = object.map(<[u8]>::trim_ascii_start);
    object.is_some_and(|object| object.starts_with(b"\0B") || object.trim_ascii_end() == b"[")
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
            entries: Finders::new(env),
            kept: None,
        })
    }

    /// Returns the information from the objects read so far.
    pub(crate) fn known(&self, script: &Source) -> DatasetInfo {
        self.objects.known(script, KeySource::Stored)
    }

    /// Gives the warnings about all objects.
    pub(crate) fn end(&mut self) {
        self.objects.end();
    }

    /// Protects the file that `rest` of a line names from being replaced, without reading it.
    pub(crate) fn keep(&self, rest: &str) {
        if let Ok(at) = script_line::locator(rest) {
            self.env.names(self.script.as_ref(), &self.env.moved(at));
        }
    }

    /// Reads the object that `rest` of a line names into `utt`, whose key is already set. `place`
    /// adds the line to warnings.
    pub(crate) fn read(
        &mut self,
        rest: &str,
        utt: &mut Utterance,
        place: impl FnOnce(Error) -> Error,
    ) -> Result<()> {
        let line = Target::parse(rest)?;
        let at = self.env.moved(line.locator()?);
        if line.range.is_none() && !matches!(at, Locator::Command(_)) {
            self.kept = None;
            return self.load(&at, line.entry, utt);
        }
        let kept = match self.kept.take() {
            Some((place, object)) if place == line.place => object,
            other => {
                let mut object = other.map(|(_, object)| object).unwrap_or_default();
                object.key.set(utt.key.as_bytes());
                self.load(&at, line.entry, &mut object)?;
                object
            }
        };
        let result = self.take(&kept, line.range.as_ref(), utt);
        self.kept = Some((line.place.to_owned(), kept));
        if result? {
            self.env.warn(&place(Error::malformed(CLIPPED)));
        }
        Ok(())
    }

    /// Inspects the objects of the first lines, to expect the kind of most of them. Commands and
    /// sources that can be read only once are skipped.
    pub(crate) fn sample<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        if !self.objects.is_open() {
            return;
        }
        let mut objects = self.objects.without_values();
        std::mem::swap(&mut self.objects, &mut objects);
        self.objects.sample();
        let (mut utt, mut votes) = (Utterance::default(), Votes::default());
        let places = lines.filter_map(|rest| {
            let line = Target::parse(rest).ok()?;
            Some((line.locator().ok()?, line.entry))
        });
        for (at, entry) in places.take(TRIED) {
            let at = self.env.moved(at);
            if votes.are_enough() {
                break;
            }
            let script = self.script.as_ref();
            if self.env.is_file_from(script, &at) && self.load(&at, entry, &mut utt).is_ok() {
                votes.add(self.objects.found());
            }
        }
        self.objects = objects;
        self.objects.expect(votes.winner());
    }

    /// Checks that words come from no file of another format by its name: any text is words.
    fn check_words(&self, file: &Location, utt: &Utterance) -> Result<()> {
        let is_guess = matches!(utt.object, Some(Object::Token(_) | Object::Tokens(_)))
            && self.objects.is_open();
        let plain = file.plain();
        let extension = plain.extension().unwrap_or_default().to_ascii_lowercase();
        match self.env.sound_by_extension(&extension).filter(|_| is_guess) {
            None => Ok(()),
            Some(format) => {
                let message = format!("holds text, but .{extension} is the extension of {format}");
                Err(Error::malformed(message).file(file.told()).continuable())
            }
        }
    }

    /// Copies an object, or a range of it, to `utt`. Returns `true` if the range was cut.
    fn take(&self, object: &Utterance, range: Option<&Range>, utt: &mut Utterance) -> Result<bool> {
        let Some(range) = range else {
            let key = std::mem::take(&mut utt.key);
            utt.clone_from(object);
            utt.key = key;
            return Ok(false);
        };
        range.take(object, utt, &self.env.limits)
    }

    /// Reads the object at a location, which is an entry of a file there if there is a key of it.
    fn load(&mut self, at: &Locator, entry: Option<&str>, utt: &mut Utterance) -> Result<()> {
        if let (Locator::File(file), Some(entry)) = (at, entry) {
            return self.find(file, entry, utt);
        }
        let script = self.script.as_ref();
        let Locator::FileAt(file, offset) = at else {
            let mut source = self.env.open_from(script, at)?;
            self.objects.turn();
            self.objects.read(&mut source, utt, true)?;
            utt.origin.file = Some(source.name().into());
            return match at {
                Locator::File(file) => self.check_words(file, utt),
                _ => Ok(()),
            };
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

    /// Reads an entry of an HDF5 file.
    fn find(&mut self, file: &Location, entry: &str, utt: &mut Utterance) -> Result<()> {
        let place = (self.script.as_ref(), file);
        self.objects.turn();
        let key = std::mem::take(&mut utt.key);
        let found = self.entries.find(HDF5, place, &Key::from(entry), utt);
        utt.key = key;
        if !found? {
            let error = Error::malformed(format!("there is no '{}'", entry.escape_debug()));
            return Err(error.file(file.told()).continuable());
        }
        let taken = self.objects.take(utt, HDF5);
        taken.map(drop).map_err(|e| e.file(file.told()))
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
            waiting: EntriesAhead::new(),
            line: Vec::new(),
            number: 0,
            ended: false,
            script,
        };
        // Only the objects determine the kind of the data set.
        if (request.on_error.skips() || request.damaged) && reader.targets.objects.is_open() {
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

    /// Reads the object of a line, and returns `false` if it is not requested.
    fn read_line(&mut self, line: &[u8], utt: &mut Utterance) -> Result<bool> {
        utt.key.set(b"");
        let (key, rest) = match script_line::split(line) {
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
                // The next line names another object.
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
