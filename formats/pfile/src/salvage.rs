//! Damaged PFiles: sentences are found by the numbers in their rows, without trust in the header
//! and the table.

use std::sync::Arc;

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{Options, Reader};
use spr_core::model::{DatasetInfo, Key, KeySource, Utterance};
use spr_core::tables::side::SideReader;
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::header::Header;
use crate::interleave::{Columns, ordered};
use crate::rows::start;

const WORD: usize = size_of::<u32>();
/// The number of table entries that are inspected.
const ENTRIES: usize = 64;
/// The number of rows used to detect the order.
const ROWS: u64 = 256;
/// The number of bytes searched at once.
const WINDOW: usize = 64 << 10;
/// The largest number of consecutive one-frame sentences that is plausible.
const SHORT: u32 = 128;

pub(crate) struct SalvageReader {
    file: Arc<str>,
    source: Source,
    header: Header,
    order: ByteOrder,
    /// The expected position of the next sentence, and its number.
    at: u64,
    number: u32,
    side: Option<SideReader>,
    /// The number of lines read from the side file.
    named: u32,
    row: Vec<u32>,
    info: DatasetInfo,
    limits: Limits,
    /// The reason for the end of the file, reported at its end.
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
        let mut info = DatasetInfo::new(match side {
            Some(_) => KeySource::SideFile,
            None => KeySource::Generated,
        });
        info.label_columns = Some(header.labels.len() as u64);
        info.compression = source.compression();
        let mut reader = Self {
            file: source.name().into(),
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

    /// Detects the order in which most of the first rows are numbered consecutively; otherwise the
    /// one in which a second sentence is found first, or the second row is numbered.
    fn find_order(&mut self) -> Result<ByteOrder> {
        let mut places = [ByteOrder::Big, ByteOrder::Little].map(|order| (u64::MAX, 0, order));
        for (place, numbered, order) in &mut places {
            self.order = *order;
            let (pairs, all) = self.numbered()?;
            if pairs > all / 2 {
                return Ok(*order);
            }
            *numbered = pairs;
            *place = self.find(self.at)?.0;
        }
        let [(big, in_big, _), (little, in_little, _)] = places;
        Ok(
            match little < big || (little == big && in_little > in_big) {
                true => ByteOrder::Little,
                false => ByteOrder::Big,
            },
        )
    }

    /// Counts the pairs of first rows that are numbered consecutively, in both orders.
    fn numbered(&mut self) -> Result<(u64, u64)> {
        let row = (self.header.columns * WORD) as u64;
        let (mut last, mut count) = (None::<(u32, u32)>, 0);
        for n in 0..ROWS {
            let at = self.at + row * n;
            if self.source.len().is_none_or(|len| at + row > len) {
                return Ok((count, n.saturating_sub(1)));
            }
            self.source.seek(at)?;
            let head = self.head()?;
            count += u64::from(
                last.zip(head)
                    .is_some_and(|(last, head)| follows(last, head)),
            );
            last = head;
        }
        Ok((count, ROWS - 1))
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
            // One of the two numbers is enough to recognise the start of another sentence.
            Some((sentence, frame)) if sentence == number + 1 || (frame == 0 && rows > 1) => true,
            _ => self.is_end(number + 1)? && (!self.source.at_end()? || end >= self.expected_end()),
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
                "sentence {number} is damaged; sentence {next} is the next intact one, after {} bytes",
                at - begin
            ),
            None => format!("sentence {number} is damaged or cut off; none follows"),
        };
        self.at = at;
        Err(Error::malformed(message).byte(begin).continuable())
    }

    /// Reads the rows of the sentence that starts here, as long as their numbers match.
    fn rows(&mut self, utt: &mut Utterance) -> Result<u32> {
        utt.start();
        utt.origin.file = Some(self.file.clone());
        start(utt, &self.header);
        let stride = self.header.columns;
        let mut frame = 0;
        // The table of a single sentence resembles a row of it.
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

    /// Returns sentence and frame of the current row.
    fn head(&mut self) -> Result<Option<(u32, u32)>> {
        let head = self.source.peek(2 * WORD)?;
        Ok(words(head, self.order).zip(words(head.get(WORD..).unwrap_or_default(), self.order)))
    }

    /// Returns the position of the end of the rows according to the header, if that is plausible.
    fn expected_end(&self) -> u64 {
        let rows = u64::from(self.header.frames) * (self.header.columns * WORD) as u64;
        match self.header.file_len {
            0 => u64::MAX,
            _ => self.header.size.saturating_add(rows),
        }
    }

    /// Returns `true` if this is not a row, but the end, or the table of `sentences` sentences.
    fn is_end(&mut self, sentences: u32) -> Result<bool> {
        let left = self.source.remaining().unwrap_or(u64::MAX);
        let whole = left == (u64::from(sentences) + 1) * WORD as u64;
        if left == 0 || !(whole || self.source.offset() == self.expected_end()) {
            return Ok(left == 0);
        }
        let order = self.order;
        let entries = self.source.peek(ENTRIES * WORD)?.chunks_exact(WORD);
        let entries: Vec<_> = entries.filter_map(|entry| words(entry, order)).collect();
        let rising = entries.windows(2).all(|pair| pair[0] < pair[1]);
        Ok(entries.first().is_none_or(|first| *first == 0) && rising)
    }

    /// Returns the position of the next sentence after the damaged one, and its number.
    fn find(&mut self, from: u64) -> Result<(u64, Option<u32>)> {
        let len = self.source.len().unwrap_or(0);
        let row = (self.header.columns * WORD) as u64;
        let mut at = from;
        while at < len {
            self.source.seek(at)?;
            let window = self.source.peek(WINDOW)?.to_vec();
            let steps = window.len().saturating_sub(2 * WORD - 1);
            if steps == 0 {
                break;
            }
            for step in 0..steps {
                let head = &window[step..];
                let sentence = words(head, self.order).unwrap_or_default();
                let first = words(&head[WORD..], self.order) == Some(0);
                let possible = sentence > self.number && u64::from(sentence) * row < len;
                if first && possible && self.starts(at + step as u64, sentence)? {
                    return Ok((at + step as u64, Some(sentence)));
                }
            }
            at += steps as u64;
        }
        Ok((len, None))
    }

    /// Returns `true` if a sentence with that number starts at `at`: its rows are numbered up to
    /// the next sentence or the end. Labels that count up temporarily resemble one-frame sentences.
    fn starts(&mut self, at: u64, sentence: u32) -> Result<bool> {
        let row = (self.header.columns * WORD) as u64;
        let (mut at, mut last) = (at, (sentence, 0));
        loop {
            at += row;
            if self.source.len().is_none_or(|len| at > len) {
                return Ok(false);
            }
            self.source.seek(at)?;
            let several = last != (sentence, 0);
            if several && self.is_end(last.0.saturating_add(1))? {
                return Ok(true);
            }
            match self.head()? {
                Some(head) if follows(last, head) => {
                    if head.1 == 0 && (last.1 > 0 || head.0 - sentence > SHORT) {
                        return Ok(true);
                    }
                    last = head;
                }
                _ => return Ok(false),
            }
        }
    }

    /// Names sentence `number` from the side file, if that has the same number of frames.
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

/// Returns `true` if a row with the numbers `head` can follow one with the numbers `last`.
fn follows(last: (u32, u32), head: (u32, u32)) -> bool {
    let frame = last.1.checked_add(1).map(|frame| (last.0, frame));
    let sentence = last.0.checked_add(1).map(|sentence| (sentence, 0));
    [frame, sentence].contains(&Some(head))
}

/// Returns the first word of `bytes`.
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
