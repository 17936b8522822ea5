//! The reader.

use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::{Env, Source};
use spr_core::format::{KeyPredicate, Reader, Request};
use spr_core::model::{Audio, DatasetInfo, KeySource, Position, Utterance};

use crate::line;

pub(crate) struct JsonlReader {
    source: Source,
    file: Arc<str>,
    env: Env,
    /// The keys that are requested, or all.
    wanted: Option<KeyPredicate>,
    info: DatasetInfo,
    line: Vec<u8>,
    /// The number of the current line, from 1, and its position.
    number: u64,
    start: u64,
    ended: bool,
}

impl JsonlReader {
    pub(crate) fn new(source: Source, request: &mut Request, env: &Env) -> Self {
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.compression = source.compression();
        Self {
            file: source.name().into(),
            source,
            env: env.clone(),
            wanted: request.take_keys(),
            info,
            line: Vec::new(),
            number: 0,
            start: 0,
            ended: false,
        }
    }

    /// Reads the next line that is neither blank nor starts with a key that is not requested.
    /// Returns `false` at the end.
    fn next_line(&mut self) -> Result<bool> {
        loop {
            self.start = self.source.offset();
            if !self.source.line(&mut self.line, &self.env.limits)? {
                return Ok(false);
            }
            self.number += 1;
            let key = self.wanted.as_ref().zip(line::leading_key(&self.line));
            let unwanted = key.is_some_and(|(wanted, key)| !wanted(&key));
            if !unwanted && !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
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
                .map_err(|e| e.file(&*self.file).line(self.number).continuable())?;
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
