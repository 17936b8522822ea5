//! The reader.

use std::sync::Arc;

use spr_core::bytes::{Env, Source};
use spr_core::format::{KeyPredicate, Reader, Request};
use spr_core::model::{Audio, DatasetInfo, KeySource, Position, Utterance};
use spr_core::{Error, Result};

use crate::line;

/// The number of bytes in which the end of a line is searched at a time.
const WINDOW: usize = 4 << 10;

pub(crate) struct JsonlReader {
    source: Source,
    file: Arc<str>,
    env: Env,
    /// The keys that are requested, or all.
    wanted: Option<KeyPredicate>,
    info: DatasetInfo,
    line: Vec<u8>,
    /// The number of the current line, from 1, and its position. In a part of the file the number is
    /// not known.
    number: Option<u64>,
    start: u64,
    /// The byte from which on lines belong to another part.
    end: u64,
    ended: bool,
}

impl JsonlReader {
    pub(crate) fn new(mut source: Source, request: &mut Request, env: &Env) -> Result<Self> {
        let lines = request.take_within();
        if let Some([first, _]) = lines {
            go_to_line(&mut source, first)?;
        }
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.compression = source.compression();
        Ok(Self {
            file: source.name().into(),
            source,
            env: env.clone(),
            wanted: request.take_keys(),
            info,
            line: Vec::new(),
            number: lines.is_none().then_some(0),
            start: 0,
            end: lines.map_or(u64::MAX, |[_, end]| end),
            ended: false,
        })
    }

    /// Reads the next line that is neither blank nor starts with a key that is not requested.
    /// Returns `false` at the end.
    fn next_line(&mut self) -> Result<bool> {
        loop {
            self.start = self.source.offset();
            if self.start >= self.end || !self.source.line(&mut self.line, &self.env.limits)? {
                return Ok(false);
            }
            self.number = self.number.map(|number| number + 1);
            let key = self.wanted.as_ref().zip(line::leading_key(&self.line));
            let unwanted = key.is_some_and(|(wanted, key)| !wanted(&key));
            if !unwanted && !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }
}

impl JsonlReader {
    /// Returns an error with the number of the current line, or with its position.
    fn place(&self, error: Error) -> Error {
        let error = error.file(&*self.file);
        match self.number {
            Some(number) => error.line(number),
            None => error.byte(self.start),
        }
    }
}

/// Goes to the first line that starts at a byte or after it.
fn go_to_line(source: &mut Source, byte: u64) -> Result<()> {
    let Some(before) = byte.checked_sub(1) else {
        return Ok(());
    };
    source.seek(before)?;
    loop {
        let window = source.peek(WINDOW)?;
        let end = window.iter().position(|b| *b == b'\n');
        let n = end.map_or(window.len(), |end| end + 1) as u64;
        source.skip(n)?;
        if end.is_some() || n == 0 {
            return Ok(());
        }
    }
}

impl Reader for JsonlReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        loop {
            // Nothing can follow an incomplete line.
            self.ended = true;
            if !self.next_line()? {
                return Ok(false);
            }
            self.ended = false;
            line::read(&self.line, utt, &self.env.limits)
                .map_err(|e| self.place(e).continuable())?;
            if self.wanted.as_ref().is_none_or(|wanted| wanted(&utt.key)) {
                if let Some(Audio::Reference(sound)) = &mut utt.audio {
                    sound.at = self.env.moved(sound.at.clone());
                }
                utt.origin.file = Some(self.file.clone());
                let plain = self.source.is_plain_file();
                utt.origin.at = plain.then_some(Position::Byte(self.start));
                return Ok(true);
            }
        }
    }
}
