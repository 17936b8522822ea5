//! Lists of files with an utterance each, as one data set.

use std::collections::HashSet;

use spr_core::bytes::{Env, Location, Locator, Source};
use spr_core::format::{OptionSpec, Options, Reader, Request, Share, Wanted};
use spr_core::model::{DatasetInfo, Key, KeySource, Utterance};
use spr_core::{Error, Result};

use crate::frames::Frames;

pub(crate) const KEYS: OptionSpec = OptionSpec {
    name: "keys",
    value: "names|paths",
    help: "for a list of files: utterances go by the names of those, or by their paths (names)",
};

/// How lines give keys.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Naming {
    Names,
    Paths,
}

impl Naming {
    /// # Errors
    /// The option has another value.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let words = [("names", Self::Names), ("paths", Self::Paths)];
        Ok(options.choice(KEYS.name, &words)?.unwrap_or(Self::Names))
    }
}

/// What a line of a list names.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) file: Location,
    /// Those that are meant, if not all are.
    pub(crate) frames: Option<Frames>,
}

/// Tells what a line names; `None` of a blank one.
type Parse = dyn Fn(&[u8]) -> Result<Option<Entry>> + Send;

/// Reads a file, or some frames of it, into an utterance, but for the key.
type Fill = dyn FnMut(&mut Source, Option<Frames>, &mut Utterance, &Env) -> Result<()> + Send;

/// Reads what the lines of a list name. Files are looked for from the working folder, else beside the
/// list. The keys so far are kept in memory.
pub(crate) struct ListReader {
    list: Source,
    parse: Box<Parse>,
    fill: Box<Fill>,
    env: Env,
    info: DatasetInfo,
    wanted: Option<Wanted>,
    run: Option<Share>,
    line: Vec<u8>,
    /// Lines so far.
    number: u64,
    /// Entries so far.
    entries: u64,
    seen: HashSet<Key>,
    /// What to do about two files of one key.
    twice: &'static str,
    done: bool,
}

impl ListReader {
    /// `twice` says what to do about two files of one key.
    pub(crate) fn new(
        list: Source,
        request: &mut Request,
        twice: &'static str,
        parse: impl Fn(&[u8]) -> Result<Option<Entry>> + Send + 'static,
        fill: impl FnMut(&mut Source, Option<Frames>, &mut Utterance, &Env) -> Result<()>
        + Send
        + 'static,
        env: &Env,
    ) -> Self {
        Self {
            info: DatasetInfo::new(KeySource::Stored),
            list,
            parse: Box::new(parse),
            fill: Box::new(fill),
            env: env.clone(),
            run: request.take_run(),
            wanted: request.take_keys(),
            line: Vec::new(),
            number: 0,
            entries: 0,
            seen: HashSet::new(),
            twice,
            done: false,
        }
    }

    /// Goes to the next line; `false` at the end.
    fn next_line(&mut self) -> Result<bool> {
        if self.run.is_some_and(|run| run.is_over(self.entries)) {
            return Ok(false);
        }
        let more = self.list.line(&mut self.line, &self.env.limits)?;
        self.number += u64::from(more);
        Ok(more)
    }

    /// Reads what the line names, if it names something that is wanted.
    fn read_line(&mut self, utt: &mut Utterance) -> Result<bool> {
        let entry = (self.parse)(&self.line);
        if matches!(entry, Ok(None)) {
            return Ok(false);
        }
        let number = self.entries;
        self.entries += 1;
        if self.run.is_some_and(|run| !run.has(number)) {
            return Ok(false);
        }
        let Some(Entry { key, file, frames }) = entry.map_err(|e| self.placed(e))? else {
            return Ok(false);
        };
        let at = Locator::File(file);
        if self.wanted.as_ref().is_some_and(|wanted| !wanted(&key)) {
            self.env.names(self.list.location(), &at);
            return Ok(false);
        }
        if !self.seen.insert(key.clone()) {
            let error = Error::unfit("a second entry of this key").utterance(&key);
            return Err(self.placed(error.hint(self.twice)));
        }
        let read = self.read_file(&at, frames, utt);
        read.map_err(|e| match e.file_name() {
            Some(_) => e.utterance(&key),
            None => self.placed(e).utterance(&key),
        })?;
        utt.key = key;
        Ok(true)
    }

    fn read_file(
        &mut self,
        at: &Locator,
        frames: Option<Frames>,
        utt: &mut Utterance,
    ) -> Result<()> {
        let mut source = self.env.open_from(self.list.location(), at)?;
        utt.start();
        (self.fill)(&mut source, frames, utt, &self.env)?;
        utt.origin.file = Some(source.name().into());
        utt.origin.coding = source.compression().map(Into::into);
        Ok(())
    }

    fn placed(&self, error: Error) -> Error {
        error.file(self.list.name()).line(self.number)
    }
}

impl Reader for ListReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while !self.done {
            if !self.next_line().inspect_err(|_| self.done = true)? {
                break;
            }
            // The next line is another file's.
            if self.read_line(utt).map_err(Error::continuable)? {
                return Ok(true);
            }
        }
        self.done = true;
        Ok(false)
    }
}
