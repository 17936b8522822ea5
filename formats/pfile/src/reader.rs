//! Reading: header, sentences one after the other, table, end.

use std::sync::Arc;

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{Options, Reader};
use spr_core::model::{DatasetInfo, Dtype, Key, KeySource, Position, Utterance};
use spr_core::side::SideReader;
use spr_core::{Limits, Result};

use crate::header::Header;
use crate::rows::Rows;
use crate::table;

/// Reads a PFile as a stream.
pub(crate) struct PFileReader {
    rows: Rows,
    file: Arc<str>,
    sentences: u32,
    /// Whether a table follows, and the length of the file.
    table: bool,
    file_len: u64,
    forced: Option<ByteOrder>,
    /// The first row of each sentence read.
    starts: Vec<u32>,
    side: Option<SideReader>,
    info: DatasetInfo,
    limits: Limits,
    /// Whether the end, or an error, was met.
    over: bool,
}

impl PFileReader {
    /// Reads the header. `order` is that of rows and table; without it both are found by content.
    pub(crate) fn open(
        mut source: Source,
        options: &Options,
        order: Option<ByteOrder>,
        env: &Env,
    ) -> Result<Self> {
        let side = SideReader::find(&source, options, env)?;
        let header = Header::read(&mut source, env)?;
        let mut info = DatasetInfo::new(match side {
            Some(_) => KeySource::SideFile,
            None => KeySource::Generated,
        });
        info.utterances = Some(header.sentences.into());
        info.frames = Some(header.frames.into());
        info.label_columns = Some(header.labels.len() as u64);
        info.compression = source.compression();
        if !header.features.is_empty() {
            info.dim = Some(header.features.len() as u64);
            info.dtype = Some(Dtype::F32);
        }
        let (sentences, table, file_len) = (header.sentences, header.table, header.file_len);
        let file = source.name().into();
        let rows = Rows::new(source, header, order)?;
        info.byte_order = Some(rows.order());
        Ok(Self {
            rows,
            file,
            sentences,
            table,
            file_len,
            forced: order,
            starts: Vec::new(),
            side,
            info,
            limits: env.limits,
            over: false,
        })
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.rows.at_end() {
            self.end()?;
            return Ok(false);
        }
        let start = self.rows.row();
        // Counted by rows, of which there are fewer than 2^32.
        let number = u32::try_from(self.starts.len()).unwrap_or(u32::MAX);
        let named = self.name(number, &mut utt.key)?;
        utt.start();
        utt.origin.file = Some(self.file.clone());
        utt.origin.at = self.rows.offset().map(Position::Byte);
        self.rows
            .sentence(number, utt, &self.limits)
            .map_err(|e| e.utterance(&utt.key))?;
        self.starts.push(start);
        if let (Some(side), Some(named)) = (&self.side, named)
            && named != utt.frames()
        {
            let message = format!("says {named} frames, the data have {}", utt.frames());
            return Err(side.error(message).utterance(&utt.key));
        }
        Ok(true)
    }

    /// Writes the name of sentence `number` to `key`; the number of frames it should have, if the
    /// side file says so.
    fn name(&mut self, number: u32, key: &mut Key) -> Result<Option<u64>> {
        let Some(side) = &mut self.side else {
            *key = Key::generated(number.into());
            return Ok(None);
        };
        match side.read(key)? {
            None => Err(side.error("has fewer lines than the data have utterances")),
            frames => Ok(frames),
        }
    }

    /// Checks the counts, the table, the side file, and that nothing follows.
    fn end(&mut self) -> Result<()> {
        let sentences = self.starts.len();
        self.starts.push(self.rows.row());
        let source = self.rows.source();
        if sentences != self.sentences as usize {
            return Err(source.malformed(format!(
                "the data have {sentences} sentences, -num_sentences is {}",
                self.sentences
            )));
        }
        if self.table {
            table::check(source, &self.starts, self.forced, self.file_len)?;
        }
        if !source.at_end()? {
            let message = "more data follow the end";
            return Err(source.malformed(message));
        }
        self.side.as_mut().map_or(Ok(()), SideReader::end)
    }
}

impl Reader for PFileReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        let result = self.next(utt);
        self.over = !matches!(result, Ok(true));
        result
    }
}
