//! The reader: header, sentences in sequence, table, end.

use std::ops::Range;
use std::sync::Arc;

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{ChunkSupport, Options, Reader, Request, Subset};
use spr_core::model::{Chunk, Chunks, DatasetInfo, Dtype, Key, KeySource, Position, Utterance};
use spr_core::tables::side::SideReader;
use spr_core::{Limits, Result};

use crate::header::Header;
use crate::rows::Rows;
use crate::table;

/// The state of a sentence being read.
#[derive(Default)]
struct Sentence {
    key: Key,
    /// The index of its first row.
    start: u32,
    /// The number of frames according to the side file.
    named: Option<u64>,
}

/// A sequential reader of a PFile.
pub(crate) struct PFileReader {
    rows: Rows,
    file: Arc<str>,
    sentences: u32,
    /// The current sentence.
    open: Sentence,
    chunks: ChunkSupport,
    /// The requested sentences, unless all are.
    run: Option<Range<u32>>,
    /// The lengths of sentences whose values are not read, from the table.
    lengths: Option<std::vec::IntoIter<u32>>,
    /// Whether a table follows, and the length of the file.
    table: bool,
    file_len: u64,
    forced: Option<ByteOrder>,
    /// The first row of each sentence that was read.
    starts: Vec<u32>,
    side: Option<SideReader>,
    info: DatasetInfo,
    limits: Limits,
    /// Whether the end or an error was reached.
    over: bool,
}

impl PFileReader {
    /// Reads the header. `order` is the byte order of rows and table; without it both are detected.
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
            open: Sentence::default(),
            chunks: ChunkSupport::No,
            run: None,
            lengths: None,
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

    /// Takes over the parts of the request that it supports: chunks of long sentences, and a range
    /// of sentences located by the table.
    ///
    /// # Errors
    /// The table is invalid.
    pub(crate) fn requested(mut self, request: &mut Request) -> Result<Self> {
        self.chunks = request.chunks;
        if !self.table || !self.rows.source().can_seek() {
            return Ok(self);
        }
        let (sentences, limits) = (self.sentences, self.limits);
        let shapes = !request.values && !request.label_values;
        let (first, end) = match request.take_run() {
            Some(Subset::Run { first, end }) => (first, end),
            _ if shapes => (0, u64::MAX),
            _ => return Ok(self),
        };
        let number = |n: u64| u32::try_from(n).map_or(sentences, |n| n.min(sentences));
        let run = number(first)..number(end).max(number(first));
        let last = if shapes { run.end } else { run.start };
        let starts = self
            .rows
            .starts(sentences, (run.start, last), self.forced, &limits)?;
        if shapes {
            let lengths: Vec<_> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
            self.lengths = Some(lengths.into_iter());
        }
        self.rows
            .go_to(starts.first().copied().unwrap_or_default())?;
        if let Some(side) = &mut self.side {
            let mut passed = (0..run.start).map(|_| side.read(&mut self.open.key));
            passed.try_for_each(|read| read.map(drop))?;
        }
        self.info = self.info.without_totals();
        self.run = Some(run);
        Ok(self)
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        // Counted by rows, of which there are fewer than 2^32.
        let read = u32::try_from(self.starts.len()).unwrap_or(u32::MAX);
        let number = read + self.run.as_ref().map_or(0, |run| run.start);
        if self.run.as_ref().is_some_and(|run| number >= run.end) {
            return Ok(false);
        }
        if self.rows.at_end() {
            self.end()?;
            return Ok(false);
        }
        let first = self.rows.frame();
        if first == 0 {
            self.begin(number)?;
        }
        utt.start();
        utt.key.set(self.open.key.as_bytes());
        utt.origin.file = Some(self.file.clone());
        if first == 0 {
            utt.origin.at = self.rows.offset().map(Position::Byte);
        }
        let rows = self.known_frames();
        let read = match &mut self.lengths {
            Some(lengths) => {
                let rows = lengths.next().unwrap_or_default();
                self.rows.pass(rows, utt, &self.limits)
            }
            None => {
                let most = self.most_rows(rows);
                self.rows.sentence(number, most, utt, &self.limits)
            }
        };
        read.map_err(|e| e.utterance(&utt.key))?;
        let is_last = self.rows.frame() == 0;
        utt.chunk = (first > 0 || !is_last).then_some(Chunk {
            first: first.into(),
            rows,
            is_last,
        });
        if is_last {
            self.starts.push(self.open.start);
            let frames = u64::from(self.rows.row() - self.open.start);
            if let (Some(side), Some(named)) = (&self.side, self.open.named)
                && named != frames
            {
                let message = format!("says {named} frames, the data have {frames}");
                return Err(side.error(message).utterance(&utt.key));
            }
        }
        Ok(true)
    }

    /// Starts sentence `number`, with name and length from the side file, if there is one.
    fn begin(&mut self, number: u32) -> Result<()> {
        self.open.start = self.rows.row();
        let Some(side) = &mut self.side else {
            self.open.key = Key::generated(number.into());
            return Ok(());
        };
        self.open.named = side.read(&mut self.open.key)?;
        match self.open.named {
            None => Err(side.error("has fewer lines than the data have utterances")),
            Some(_) => Ok(()),
        }
    }

    /// Returns the length of the sentence if it is known in advance.
    fn known_frames(&self) -> Option<u64> {
        let all = || (self.sentences == 1).then_some(self.info.frames);
        self.open.named.or_else(|| all().flatten())
    }

    /// Returns the largest number of rows to read at once.
    fn most_rows(&self, known: Option<u64>) -> u32 {
        let row = self.rows.feature_bytes().max(1);
        match (self.chunks, known) {
            (ChunkSupport::No, _) | (ChunkSupport::Counted, None) => u32::MAX,
            _ => u32::try_from((Chunks::BYTES / row).max(1)).unwrap_or(u32::MAX),
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
