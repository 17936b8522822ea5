//! The data section: rows read in blocks, deinterleaved and checked.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Dtype, Rank, Utterance};
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::header::{Header, cut_short};
use crate::interleave::{BLOCK, Columns, ordered};
use crate::table;

/// The remaining rows.
pub(crate) struct Rows {
    source: Source,
    header: Header,
    order: ByteOrder,
    /// The position of the rows in the source.
    start: u64,
    /// Rows as stored in the file.
    block: Vec<u32>,
    /// The number of words consumed from `block`, and the number of words in it.
    taken: usize,
    filled: usize,
    /// The number of rows consumed, of those in the header.
    row: u32,
    /// The number of rows consumed of an unfinished sentence.
    frame: u32,
}

impl Rows {
    /// Starts with the rows at the current position, in `order` or in a detected order.
    pub(crate) fn new(
        mut source: Source,
        header: Header,
        order: Option<ByteOrder>,
    ) -> Result<Self> {
        let order = find_order(&mut source, &header, order)?;
        let start = source.offset();
        Ok(Self {
            source,
            header,
            order,
            start,
            block: Vec::new(),
            taken: 0,
            filled: 0,
            row: 0,
            frame: 0,
        })
    }

    pub(crate) fn order(&self) -> ByteOrder {
        self.order
    }

    /// Returns the number of rows consumed.
    pub(crate) fn row(&self) -> u32 {
        self.row
    }

    /// Returns the position of the next row in the file, if a script file could refer to it.
    pub(crate) fn offset(&self) -> Option<u64> {
        let plain = self.source.is_plain_file();
        plain.then(|| self.offset_of(self.row))
    }

    /// Returns the number of rows consumed of an unfinished sentence, otherwise 0.
    pub(crate) fn frame(&self) -> u32 {
        self.frame
    }

    /// Returns the size of the features in a row, in bytes.
    pub(crate) fn feature_bytes(&self) -> u64 {
        self.header.features.len() as u64 * size_of::<u32>() as u64
    }

    /// Returns `true` if all rows were consumed.
    pub(crate) fn at_end(&self) -> bool {
        self.row == self.header.frames
    }

    /// Returns the first rows of sentences `first` to `last`, and the row after them, from the
    /// table behind the rows. The position of the source is undefined afterwards.
    ///
    /// # Errors
    /// The table is invalid, or reading fails.
    pub(crate) fn starts(
        &mut self,
        sentences: u32,
        asked: (u32, u32),
        forced: Option<ByteOrder>,
        limits: &Limits,
    ) -> Result<Vec<u32>> {
        let place = (
            self.offset_of(self.header.frames),
            sentences,
            self.header.frames,
        );
        table::starts(&mut self.source, place, asked, forced, limits)
    }

    /// Seeks to a row.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn go_to(&mut self, row: u32) -> Result<()> {
        self.row = row;
        (self.taken, self.filled) = (0, 0);
        self.source.seek(self.offset_of(row))
    }

    fn offset_of(&self, row: u32) -> u64 {
        let words = u64::from(row) * self.header.columns as u64;
        self.start + words * size_of::<u32>() as u64
    }

    /// Gives `utt` the shape of a sentence with `rows` rows, and skips them. The content of the
    /// matrices is undefined.
    ///
    /// # Errors
    /// It exceeds the limits, or the system refuses.
    pub(crate) fn pass(&mut self, rows: u32, utt: &mut Utterance, limits: &Limits) -> Result<()> {
        start(utt, &self.header);
        for matrix in [&mut utt.features, &mut utt.labels].into_iter().flatten() {
            let grown = matrix.extend_rows(rows as usize, limits);
            grown.map_err(|e| self.place(e, self.row))?;
        }
        self.go_to(self.row + rows)
    }

    /// Returns the source behind the rows, after all were consumed.
    pub(crate) fn source(&mut self) -> &mut Source {
        &mut self.source
    }

    /// Reads the next rows of sentence `number`, at least one and at most `most`, and peeks at the
    /// following row. The sentence is [unfinished](Self::frame) if that belongs to it, too.
    pub(crate) fn sentence(
        &mut self,
        number: u32,
        most: u32,
        utt: &mut Utterance,
        limits: &Limits,
    ) -> Result<()> {
        start(utt, &self.header);
        let mut left = most;
        let mut frame = std::mem::take(&mut self.frame);
        while !self.at_end() {
            if self.taken == self.filled {
                self.fill()?;
            }
            let own = self.count(number, frame);
            if own > 0 && left == 0 {
                self.frame = frame;
                return Ok(());
            }
            let count = own.min(left);
            self.take(count, utt, limits)?;
            frame += count;
            left -= count;
            if count == own && self.taken < self.filled {
                return self.check_next(number, frame);
            }
        }
        Ok(())
    }

    fn rest(&self) -> &[u32] {
        &self.block[self.taken..self.filled]
    }

    /// Counts the rows of the block that continue sentence `number` at `frame`.
    fn count(&self, number: u32, frame: u32) -> u32 {
        let number = ordered(self.order, number);
        let mut next = frame;
        for row in self.rest().chunks_exact(self.header.columns) {
            if !row.starts_with(&[number, ordered(self.order, next)]) {
                break;
            }
            next += 1;
        }
        next - frame
    }

    fn take(&mut self, count: u32, utt: &mut Utterance, limits: &Limits) -> Result<()> {
        let stride = self.header.columns;
        let words = count as usize * stride;
        let rows = &self.rest()[..words];
        let parts = [
            (&mut utt.features, &self.header.features),
            (&mut utt.labels, &self.header.labels),
        ];
        for (matrix, columns) in parts {
            let Some(matrix) = matrix else { continue };
            let cells = self
                .source
                .grow(matrix, count as usize, limits)
                .map_err(|e| self.place(e, self.row))?;
            let columns = Columns {
                at: columns.start,
                width: columns.len(),
                stride,
            };
            columns.gather(rows, bytemuck::cast_slice_mut(cells), self.order);
        }
        self.taken += words;
        self.row += count;
        Ok(())
    }

    /// Checks that the next row starts the sentence after `number`, which has `frames` frames.
    fn check_next(&self, number: u32, frames: u32) -> Result<()> {
        let (Some(&sentence), Some(&frame)) = (self.rest().first(), self.rest().get(1)) else {
            return Ok(());
        };
        let (sentence, frame) = (ordered(self.order, sentence), ordered(self.order, frame));
        if frames > 0 && (sentence, frame) == (number + 1, 0) {
            return Ok(());
        }
        let mut expected = format!("sentence {number}, frame {frames}");
        if frames > 0 {
            expected += &format!(" or sentence {}, frame 0", number + 1);
        }
        let row = self.row;
        let message =
            format!("row {row} says sentence {sentence}, frame {frame}, expected {expected}");
        Err(self.place(Error::malformed(message), row))
    }

    /// Reads the next block.
    fn fill(&mut self) -> Result<()> {
        let columns = self.header.columns;
        let left = (self.header.frames - self.row) as usize;
        let rows = BLOCK.div_ceil(columns).min(left);
        if self.block.is_empty() {
            let bytes = rows
                .saturating_mul(columns)
                .saturating_mul(size_of::<u32>());
            // The limits apply to sentences, and a row was checked against them.
            self.source.hold("a row", bytes as u64, &Limits::NONE)?;
            self.block.resize(rows * columns, 0);
        }
        self.taken = 0;
        self.filled = rows * columns;
        let block = &mut self.block[..self.filled];
        let result = self.source.fill(bytemuck::cast_slice_mut(block));
        result.map_err(|e| match e.kind() {
            // A decoder reports errors in its data better.
            ErrorKind::Truncated if self.source.layers().is_empty() => {
                let message = cut_short(self.header.file_len, self.source.offset());
                self.source.error(ErrorKind::Truncated, message)
            }
            _ => e,
        })
    }

    fn place(&self, error: Error, row: u32) -> Error {
        error.file(self.source.name()).byte(self.offset_of(row))
    }
}

/// Prepares `utt` for the rows of a sentence.
pub(crate) fn start(utt: &mut Utterance, header: &Header) {
    let rank = match header.labels.len() {
        1 => Rank::Vector,
        _ => Rank::Matrix,
    };
    let (features, labels) = (header.features.len(), header.labels.len());
    if features > 0 {
        utt.features_mut().start(Dtype::F32, Rank::Matrix, features);
    }
    if labels > 0 {
        utt.labels_mut().start(Dtype::I32, rank, labels);
    }
}

/// Detects the byte order of the rows: row 0 is sentence 0, frame 0 in either order, but row 1 is
/// (0, 1) or (1, 0). A single row is ambiguous and taken for big-endian.
fn find_order(
    source: &mut Source,
    header: &Header,
    forced: Option<ByteOrder>,
) -> Result<ByteOrder> {
    if header.frames == 0 {
        return Ok(forced.unwrap_or(ByteOrder::Big));
    }
    // Requires a whole row first, so that a wrong width allocates nothing.
    let row = header.columns * size_of::<u32>();
    let wanted = if header.frames > 1 { row + 8 } else { row };
    let head = source.peek(wanted)?;
    if head.len() < wanted {
        let there = header.size + head.len() as u64;
        let message = cut_short(header.file_len, there);
        return Err(Error::truncated(message).file(source.name()).byte(there));
    }
    let little = matches!(
        head.get(row..),
        Some([0, 0, 0, 0, 1, 0, 0, 0] | [1, 0, 0, 0, 0, 0, 0, 0])
    );
    let found = if little {
        ByteOrder::Little
    } else {
        ByteOrder::Big
    };
    Ok(forced.unwrap_or(found))
}
