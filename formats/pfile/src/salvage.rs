//! PFiles that are damaged: sentences are found by the numbers in their rows, whatever the header
//! counts and the table says.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{Options, Reader};
use spr_core::model::{DatasetInfo, Key, KeySource, Utterance};
use spr_core::side::SideReader;
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::header::Header;
use crate::interleave::{Columns, ordered};
use crate::rows::start;

const WORD: usize = size_of::<u32>();
/// Entries of a table that are looked at.
const ENTRIES: usize = 64;

pub(crate) struct SalvageReader {
    source: Source,
    header: Header,
    order: ByteOrder,
    /// Where the next sentence is to start, and its number.
    at: u64,
    number: u32,
    side: Option<SideReader>,
    /// Lines of the side file that were read.
    named: u32,
    row: Vec<u32>,
    info: DatasetInfo,
    limits: Limits,
    /// Why the file breaks off, told at its end.
    failure: Option<Error>,
    ended: bool,
}

impl SalvageReader {
    pub(crate) fn open(
        source: Source,
        options: &Options,
        order: Option<ByteOrder>,
        env: &Env,
    ) -> Result<Self> {
        let (mut source, failure) = source.into_salvage()?;
        let side = SideReader::find(&source, options, env)?;
        let header = Header::read_layout(&mut source, env)?;
        let info = DatasetInfo {
            label_columns: Some(header.labels.len() as u64),
            compression: source.compression(),
            keys: match side {
                Some(_) => KeySource::SideFile,
                None => KeySource::Generated,
            },
            ..DatasetInfo::default()
        };
        let mut reader = Self {
            at: source.offset(),
            row: vec![0; header.columns],
            source,
            header,
            order: ByteOrder::Big,
            number: 0,
            side,
            named: 0,
            info,
            limits: env.limits,
            failure,
            ended: false,
        };
        reader.order = match order {
            Some(order) => order,
            None => reader.find_order()?,
        };
        reader.info.byte_order = Some(reader.order);
        Ok(reader)
    }

    /// The order in which a second sentence is found first, or else that which the second row shows.
    fn find_order(&mut self) -> Result<ByteOrder> {
        let row = self.header.columns * WORD;
        let shown = matches!(
            self.source.peek(row + 2 * WORD)?.get(row..),
            Some([0, 0, 0, 0, 1, 0, 0, 0] | [1, 0, 0, 0, 0, 0, 0, 0])
        );
        let mut places = [ByteOrder::Big, ByteOrder::Little].map(|order| (u64::MAX, order));
        for (place, order) in &mut places {
            self.order = *order;
            *place = self.find(self.at)?.0;
        }
        let [(big, _), (little, _)] = places;
        Ok(match little < big || (little == big && shown) {
            true => ByteOrder::Little,
            false => ByteOrder::Big,
        })
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        let (begin, number) = (self.at, self.number);
        self.source.seek(begin)?;
        if self.is_end(number)? {
            self.at = self.source.len().unwrap_or(begin);
            self.ended = true;
            return match self.failure.take() {
                Some(error) => Err(error),
                None => Ok(false),
            };
        }
        let rows = self.rows(utt)?;
        let end = self.source.offset();
        let follows = match self.head()? {
            // One of the two numbers is enough to tell that another sentence starts.
            Some((sentence, frame)) if sentence == number + 1 || (frame == 0 && rows > 1) => true,
            _ => self.is_end(number + 1)? && (!self.source.at_end()? || end >= self.due_end()),
        };
        if rows > 0 && follows {
            (self.at, self.number) = (end, number + 1);
            self.name(number, u64::from(rows), utt)?;
            return Ok(true);
        }
        let (at, next) = self.find(begin + 1)?;
        self.number = next.unwrap_or(number).max(number + 1);
        let message = match next {
            Some(next) => format!(
                "sentence {number} is damaged; sentence {next} is the next whole one, after {} bytes",
                at - begin
            ),
            None => format!("sentence {number} is damaged or cut off; none follows"),
        };
        self.at = at;
        Err(Error::malformed(message).byte(begin).continuable())
    }

    /// Reads the rows of the sentence that starts here, as far as they are numbered.
    fn rows(&mut self, utt: &mut Utterance) -> Result<u32> {
        utt.meta.clear();
        utt.clear_others();
        start(utt, &self.header);
        let stride = self.header.columns;
        let mut frame = 0;
        // The table of one sentence looks like a row of it.
        while self.head()? == Some((self.number, frame)) && !self.is_end(self.number + 1)? {
            let row = bytemuck::cast_slice_mut(&mut self.row);
            match self.source.fill(row) {
                Err(error) if error.kind() == ErrorKind::Truncated => return Ok(0),
                result => result?,
            }
            let parts = [
                (&mut utt.features, &self.header.features),
                (&mut utt.labels, &self.header.labels),
            ];
            for (matrix, columns) in parts {
                let Some(matrix) = matrix else { continue };
                let cells = matrix.extend_rows(1, &self.limits)?;
                let columns = Columns {
                    at: columns.start,
                    width: columns.len(),
                    stride,
                };
                columns.gather(&self.row, bytemuck::cast_slice_mut(cells), self.order);
            }
            frame += 1;
        }
        Ok(frame)
    }

    /// Sentence and frame of the row here.
    fn head(&mut self) -> Result<Option<(u32, u32)>> {
        let head = self.source.peek(2 * WORD)?;
        Ok(words(head, self.order).zip(words(head.get(WORD..).unwrap_or_default(), self.order)))
    }

    /// Where the rows end by the header's counts, if those are not wrong at once.
    fn due_end(&self) -> u64 {
        let rows = u64::from(self.header.frames) * (self.header.columns * WORD) as u64;
        match self.header.file_len {
            0 => u64::MAX,
            _ => self.header.size.saturating_add(rows),
        }
    }

    /// Whether no row stands here, but the end or the table of so many `sentences`.
    fn is_end(&mut self, sentences: u32) -> Result<bool> {
        let left = self.source.remaining().unwrap_or(u64::MAX);
        let whole = left == (u64::from(sentences) + 1) * WORD as u64;
        if left == 0 || !(whole || self.source.offset() == self.due_end()) {
            return Ok(left == 0);
        }
        let order = self.order;
        let entries = self.source.peek(ENTRIES * WORD)?.chunks_exact(WORD);
        let entries: Vec<_> = entries.filter_map(|entry| words(entry, order)).collect();
        let rising = entries.windows(2).all(|pair| pair[0] < pair[1]);
        Ok(entries.first().is_none_or(|first| *first == 0) && rising)
    }

    /// Where the next sentence after the damaged one starts, and its number.
    fn find(&mut self, from: u64) -> Result<(u64, Option<u32>)> {
        let len = self.source.len().unwrap_or(0);
        let row = self.header.columns * WORD;
        let mut at = from;
        while at < len {
            self.source.seek(at)?;
            let head = self.source.peek(2 * row + 2 * WORD)?.to_vec();
            let steps = head.len().saturating_sub(row + 2 * WORD - 1);
            if steps == 0 {
                break;
            }
            for step in 0..steps {
                let row_at = |n: usize| {
                    let head = head.get(step + n * row..)?;
                    let sentence = words(head, self.order)?;
                    Some((sentence, words(head.get(WORD..)?, self.order)?))
                };
                let (Some((sentence, 0)), Some(second)) = (row_at(0), row_at(1)) else {
                    continue;
                };
                let possible = sentence > self.number && u64::from(sentence) * (row as u64) < len;
                if possible && [(sentence, 1), (sentence + 1, 0)].contains(&second) {
                    return Ok((at + step as u64, Some(sentence)));
                }
            }
            at += steps as u64;
        }
        Ok((len, None))
    }

    /// Names sentence `number` by the side file, which must give it as many frames.
    fn name(&mut self, number: u32, rows: u64, utt: &mut Utterance) -> Result<()> {
        utt.key = Key::generated(number.into());
        let Some(side) = &mut self.side else {
            return Ok(());
        };
        let mut frames = None;
        while self.named <= number {
            frames = side.read(&mut utt.key)?;
            self.named += 1;
        }
        let message = match frames {
            Some(n) if n == rows => return Ok(()),
            Some(n) => format!("says {n} frames, the data have {rows}"),
            None => "has fewer lines than the data have utterances".to_owned(),
        };
        Err(side.error(message).utterance(&utt.key).continuable())
    }
}

/// The first word of `bytes`.
fn words(bytes: &[u8], order: ByteOrder) -> Option<u32> {
    bytes
        .first_chunk()
        .map(|word| ordered(order, u32::from_ne_bytes(*word)))
}

impl Reader for SalvageReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let result = self.next(utt);
        self.ended |= match &result {
            Ok(more) => !more,
            Err(error) => !error.can_continue(),
        };
        result.map_err(|e| e.file(self.source.name()))
    }
}
