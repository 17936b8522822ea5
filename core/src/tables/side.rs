//! The side file with utterance names, for formats without them.
//!
//! `OUT.utt2num_frames` has a line `key frames` for each utterance, like Kaldi's file of that name.

use crate::bytes::{Env, Location, Locator, Output, Part, Sink, Source};
use crate::error::{Error, Result};
use crate::format::{OptionSpec, Options};
use crate::model::{Key, Limits};
use crate::number;

/// The suffix appended to the name of the data.
pub const SUFFIX: &str = ".utt2num_frames";

/// The option that omits the side file or sets its location.
pub const OPTION: OptionSpec = OptionSpec {
    name: "keys",
    value: "none|PATH",
    help: "the side file with the names of the utterances (default: beside the data)",
};

/// Reads names and lengths.
pub struct SideReader {
    source: Source,
    line: Vec<u8>,
    number: u64,
    limits: Limits,
}

impl SideReader {
    /// Finds the side file of `data`: the one named by the option `keys`, or the one beside the
    /// data if it exists. Returns `None` with `keys=none`.
    ///
    /// # Errors
    /// A file named by the option cannot be opened.
    pub fn find(data: &Source, options: &Options, env: &Env) -> Result<Option<Self>> {
        let beside = || data.location().map(|at| at.with_suffix(SUFFIX));
        let file = match options.get(OPTION.name) {
            Some("none") => return Ok(None),
            Some(file) => Location::from(file),
            None => match beside().filter(|file| env.exists(file)) {
                Some(file) => file,
                None => return Ok(None),
            },
        };
        let source = env.open_file(&file)?;
        Ok(Some(Self {
            source,
            line: Vec::new(),
            number: 0,
            limits: env.limits,
        }))
    }

    /// Returns the name of the side file.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// Reads the next name into `key`, and returns its number of frames, or `None` at the end.
    ///
    /// # Errors
    /// A line is not `key frames`.
    pub fn read(&mut self, key: &mut Key) -> Result<Option<u64>> {
        if !self.source.line(&mut self.line, &self.limits)? {
            return Ok(None);
        }
        self.number += 1;
        let mut words = self
            .line
            .split(u8::is_ascii_whitespace)
            .filter(|w| !w.is_empty());
        match (
            words.next(),
            words.next().and_then(number::parse_integer),
            words.next(),
        ) {
            (Some(name), Some(frames), None) => {
                key.set(name);
                Ok(Some(frames))
            }
            _ => Err(self.error("a line is not 'key frames'")),
        }
    }

    /// Reads the name of the next utterance, which has `frames` frames, into `key`.
    ///
    /// # Errors
    /// The side file ends early, or has another number of frames.
    pub fn name_next(&mut self, key: &mut Key, frames: u64) -> Result<()> {
        match self.read(key)? {
            Some(n) if n == frames => Ok(()),
            Some(n) => Err(self
                .error(format!("says {n} frames, the data have {frames}"))
                .utterance(key)),
            None => Err(self.error("has fewer lines than the data have utterances")),
        }
    }

    /// Checks that every name was used.
    ///
    /// # Errors
    /// There are more lines.
    pub fn end(&mut self) -> Result<()> {
        match self.read(&mut Key::default())? {
            None => Ok(()),
            Some(_) => Err(self.error("has more lines than the data have utterances")),
        }
    }

    /// Returns an error at the current line with a remedy.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::malformed(message)
            .file(self.source.name())
            .line(self.number)
            .hint("if the side file is of other data, read without it: keys=none")
    }
}

/// Writes names and lengths.
pub struct SideWriter {
    sink: Sink,
}

impl SideWriter {
    /// Creates the side file of `output`: beside the data, or at the location set by the option
    /// `keys`. Returns `None` with `keys=none`, or if no file can be beside the data. If an
    /// existing side file is not written anew, it is removed with the data that are replaced.
    ///
    /// # Errors
    /// It exists and may not be replaced, or the system refuses.
    pub fn create(output: &Output, options: &Options) -> Result<Option<Self>> {
        let given;
        let part = match options.get(OPTION.name) {
            Some("none") => {
                output.discard(Part::Suffix(SUFFIX));
                return Ok(None);
            }
            Some(file) => {
                output.discard(Part::Suffix(SUFFIX));
                given = Locator::file(file);
                Part::At(&given)
            }
            None if output.has_siblings() => Part::Suffix(SUFFIX),
            None => return Ok(None),
        };
        Ok(Some(Self {
            sink: output.create(part, false)?,
        }))
    }

    /// Adds one utterance.
    ///
    /// # Errors
    /// The system refuses, or the key is not a word; the latter [can continue](Error::can_continue).
    pub fn write(&mut self, key: &Key, frames: u64) -> Result<()> {
        key.check_word()
            .map_err(|e| e.utterance(key).continuable())?;
        self.sink.put(key.as_bytes())?;
        self.sink.put(format!(" {frames}\n").as_bytes())
    }

    /// Completes the file. Must be called before the data are finished, so that it appears first.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish(self) -> Result<u64> {
        self.sink.finish()
    }
}
