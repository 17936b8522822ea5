//! Reading line by line.

use spr_core::bytes::Source;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{Limits, Result};

use crate::line;

pub(crate) struct JsonlReader {
    source: Source,
    limits: Limits,
    info: DatasetInfo,
    line: Vec<u8>,
    /// The number of the line in `line`, from 1.
    number: u64,
    ended: bool,
}

impl JsonlReader {
    pub(crate) fn new(source: Source, limits: Limits) -> Self {
        let info = DatasetInfo {
            compression: source.compression(),
            ..DatasetInfo::default()
        };
        Self {
            source,
            limits,
            info,
            line: Vec::new(),
            number: 0,
            ended: false,
        }
    }

    /// Reads the next line that is not blank; `false` at the end.
    fn next_line(&mut self) -> Result<bool> {
        loop {
            let offset = self.source.offset();
            self.info.offset = self.source.is_plain_file().then_some(offset);
            if !self.source.line(&mut self.line, &self.limits)? {
                return Ok(false);
            }
            self.number += 1;
            if !self.line.trim_ascii().is_empty() {
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
        // Until the line is whole nothing can follow it.
        self.ended = true;
        if !self.next_line()? {
            return Ok(false);
        }
        self.ended = false;
        line::read(&self.line, utt, &self.limits)
            .map_err(|e| e.file(self.source.name()).line(self.number).continuable())?;
        Ok(true)
    }
}
