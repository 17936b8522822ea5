//! Lists of files, each with one utterance.

use spr_core::bytes::{Env, Location, Locator, Source};
use spr_core::format::{KeyPredicate, OptionSpec, Options, Reader, Request, Subset};
use spr_core::model::{DatasetInfo, Key, KeySet, KeySource, Utterance};
use spr_core::{Error, Result};

use crate::frames::Frames;

pub(crate) const KEYS: OptionSpec = OptionSpec {
    name: "keys",
    value: "names|paths",
    help: "for a list of files: utterances go by the names of those, or by their paths (names)",
};

/// The source of the keys.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Naming {
    Names,
    Paths,
}

impl Naming {
    /// Parses the option `keys`.
    ///
    /// # Errors
    /// The option has another value.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let words = [("names", Self::Names), ("paths", Self::Paths)];
        Ok(options.choice(KEYS.name, &words)?.unwrap_or(Self::Names))
    }
}

/// A line of a list.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) file: Location,
    /// The range of frames, unless all are meant.
    pub(crate) frames: Option<Frames>,
}

/// Parses a line, and returns `None` if it is blank.
type Parse = dyn Fn(&[u8]) -> Result<Option<Entry>> + Send;

/// Reads a file, or a range of its frames, into an utterance without its key.
type Fill = dyn FnMut(&mut Source, Option<Frames>, &mut Utterance, &Env) -> Result<()> + Send;

/// A reader of the files in a list. Files are relative to the working folder, otherwise to the
/// list. All keys so far are kept in memory.
pub(crate) struct ListReader {
    list: Source,
    parse: Box<Parse>,
    fill: Box<Fill>,
    env: Env,
    info: DatasetInfo,
    wanted: Option<KeyPredicate>,
    run: Option<Subset>,
    line: Vec<u8>,
    /// The number of lines so far.
    number: u64,
    /// The number of entries so far.
    entries: u64,
    seen: KeySet,
    /// The remedy for two files with the same key.
    twice: &'static str,
    done: bool,
}

impl ListReader {
    /// Creates a reader, where `twice` is the remedy for two files with the same key.
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
            seen: KeySet::default(),
            twice,
            done: false,
        }
    }

    /// Reads the next line, and returns `false` at the end.
    fn next_line(&mut self) -> Result<bool> {
        if self.run.is_some_and(|run| run.is_over(self.entries)) {
            return Ok(false);
        }
        let more = self.list.line(&mut self.line, &self.env.limits)?;
        self.number += u64::from(more);
        Ok(more)
    }

    /// Reads the file of the line, if it is requested.
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
        let at = self.env.moved(Locator::File(file));
        if self.wanted.as_ref().is_some_and(|wanted| !wanted(&key)) {
            self.env.names(self.list.location(), &at);
            return Ok(false);
        }
        if !self.seen.insert(&key) {
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
            // The next line names another file.
            if self.read_line(utt).map_err(Error::continuable)? {
                return Ok(true);
            }
        }
        self.done = true;
        Ok(false)
    }
}
