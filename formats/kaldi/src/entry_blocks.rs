//! An archive with its script file, behind a queue of blocks that threads format or compress.

use spr_core::bytes::Sink;
use spr_core::loss::LossReport;
use spr_core::model::{CastStats, Dtype, Element, Key, Matrix, Rank};
use spr_core::number::print_rows;
use spr_core::threads::Ordered;
use spr_core::{Limits, Result};

use crate::encode::{CompressionPlan, Encoder};
use crate::kind::Precision;
use crate::print::SevenDigits;
use crate::sinks::Sinks;
use crate::write_object::Style;

/// The size of a block in bytes before formatting. Small entries are collected up to this size,
/// large ones are split.
const PIECE: usize = 128 << 10;
/// The largest matrix that waits in a queue to be compressed; a matrix cannot be split for that.
const LARGEST: usize = 8 << 20;

/// The destination of entries. Several threads format text and compress matrices, and the results
/// are appended in order. The bytes do not depend on the number of threads, and only a few blocks
/// are in memory whatever the size of an entry.
///
/// A write error is returned with a later block or at the end.
pub(crate) struct Archive {
    sink: Sink,
    /// The script file, and the archive's name in it.
    script: Option<(Sink, Vec<u8>)>,
    style: Style,
    /// The reason for changes of numbers, if there is one.
    rounding: &'static str,
    rounded: LossReport,
    /// The last entry, and the loss of its numbers so far.
    last: Option<(Key, CastStats)>,
    threads: usize,
    open: EntryBlock,
    /// The threads, started when the first block is full.
    pool: Option<Ordered<EntryBlock, Result<FormattedBlock>>>,
    line: Vec<u8>,
}

/// Entries, or parts of one, to be formatted.
#[derive(Default)]
struct EntryBlock {
    parts: Vec<BlockPart>,
    bytes: usize,
}

enum BlockPart {
    /// The start of an entry.
    Key(Key),
    /// Literal bytes.
    Bytes(&'static [u8]),
    /// Numbers, each followed by a space; rows of a matrix start on separate lines.
    Numbers(Matrix),
    /// A matrix to be compressed.
    Compressed(CompressionPlan),
    /// The loss of numbers before they were added.
    Counted(CastStats),
}

struct FormattedBlock {
    bytes: Vec<u8>,
    /// The loss of an entry that started before.
    before: CastStats,
    /// The entries that start here, the offsets of their objects, and their loss.
    starts: Vec<(Key, usize, CastStats)>,
}

impl Archive {
    /// Creates a writer to `sinks` with up to `threads` threads for text. `rounding` is the reason
    /// for changes of numbers, if there is one.
    pub(crate) fn new(sinks: Sinks, style: Style, rounding: &'static str, threads: usize) -> Self {
        Self {
            sink: sinks.archive,
            script: sinks.script,
            style,
            rounding,
            rounded: LossReport::default(),
            last: None,
            threads,
            open: EntryBlock::default(),
            pool: None,
            line: Vec::new(),
        }
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> &str {
        self.sink.name()
    }

    /// Returns the number of bytes written, without pending blocks.
    pub(crate) fn position(&self) -> u64 {
        self.sink.position()
    }

    /// Starts an entry whose bytes are written directly.
    pub(crate) fn start(&mut self, key: &Key) -> Result<()> {
        let sink = self.direct()?;
        sink.put(key.as_bytes())?;
        sink.put(b" ")?;
        let position = self.sink.position();
        self.point(key, position)
    }

    /// Counts the loss of an entry that was written directly.
    pub(crate) fn count(&mut self, key: &Key, stats: &CastStats) {
        if stats.changed > 0 {
            self.enter(key.clone(), *stats);
        }
    }

    /// Counts the loss of the entry whose parts are added.
    pub(crate) fn count_part(&mut self, stats: CastStats) -> Result<()> {
        self.push(BlockPart::Counted(stats))
    }

    /// Adds to the loss of the last entry.
    fn count_more(&mut self, stats: &CastStats) {
        if let Some((_, all)) = &mut self.last {
            all.add(stats);
        }
    }

    /// Starts an entry, and reports the loss of the one before.
    fn enter(&mut self, key: Key, stats: CastStats) {
        if let Some((key, stats)) = self.last.replace((key, stats)) {
            self.rounded.add_rounding(&key, &stats, self.rounding);
        }
    }

    /// Appends bytes directly.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.direct()?.put(bytes)
    }

    /// Returns the sink itself, after writing all pending blocks.
    pub(crate) fn direct(&mut self) -> Result<&mut Sink> {
        self.flush()?;
        Ok(&mut self.sink)
    }

    /// Starts an entry whose parts are added.
    pub(crate) fn start_parts(&mut self, key: &Key) -> Result<()> {
        self.push(BlockPart::Key(key.clone()))
    }

    /// Adds literal bytes.
    pub(crate) fn bytes(&mut self, bytes: &'static [u8]) -> Result<()> {
        self.push(BlockPart::Bytes(bytes))
    }

    /// Adds all numbers of `matrix`, each followed by a space.
    pub(crate) fn numbers(&mut self, matrix: &Matrix) -> Result<()> {
        self.block(matrix.as_bytes(), matrix.dtype())
    }

    /// Adds the rows of `matrix` on separate lines.
    pub(crate) fn rows(&mut self, matrix: &Matrix) -> Result<()> {
        let (dtype, cols) = (matrix.dtype(), matrix.cols());
        let row = (cols * dtype.size()).max(1);
        if row > PIECE {
            return matrix.as_bytes().chunks(row).try_for_each(|row| {
                self.bytes(NEXT_ROW)?;
                self.block(row, dtype)
            });
        }
        for rows in matrix.as_bytes().chunks(row * (PIECE / row)) {
            let rows = copy(rows, dtype, Rank::Matrix, cols)?;
            self.push(BlockPart::Numbers(rows))?;
        }
        Ok(())
    }

    /// Adds the rows of a triangle in brackets.
    pub(crate) fn triangle(&mut self, rows: &[&[u8]], dtype: Dtype) -> Result<()> {
        self.bytes(if rows.is_empty() { b"[ " } else { b"[" })?;
        for row in rows {
            self.bytes(b"\n")?;
            self.block(row, dtype)?;
        }
        self.bytes(b"]\n")
    }

    /// Adds a matrix in its compressed form, from its token on.
    pub(crate) fn compressed(&mut self, planned: CompressionPlan) -> Result<()> {
        if planned.size() <= LARGEST {
            return self.push(BlockPart::Compressed(planned));
        }
        let mut bytes = Vec::new();
        let stats = Encoder::default().encode(&planned, &mut bytes)?;
        self.put(&bytes)?;
        self.count_more(&stats);
        Ok(())
    }

    /// Adds the numbers with these bytes.
    fn block(&mut self, bytes: &[u8], dtype: Dtype) -> Result<()> {
        for numbers in bytes.chunks(PIECE) {
            let numbers = copy(numbers, dtype, Rank::Vector, 1)?;
            self.push(BlockPart::Numbers(numbers))?;
        }
        Ok(())
    }

    fn push(&mut self, part: BlockPart) -> Result<()> {
        self.open.bytes += part.size();
        self.open.parts.push(part);
        if self.open.bytes < PIECE {
            return Ok(());
        }
        let (piece, style) = (std::mem::take(&mut self.open), self.style);
        if self.threads < 2 {
            return self.append(piece.make(style)?);
        }
        let start = || Ordered::new(self.threads, move |piece: EntryBlock| piece.make(style));
        let made = self.pool.get_or_insert_with(start).push(piece);
        match made.map_err(|e| e.file(self.sink.name()))? {
            Some(made) => self.append(made?),
            None => Ok(()),
        }
    }

    /// Passes on all entries so far.
    pub(crate) fn pass_on(&mut self) -> Result<()> {
        self.direct()?.flush()?;
        match &mut self.script {
            Some((script, _)) => script.flush(),
            None => Ok(()),
        }
    }

    /// Appends all pending blocks.
    fn flush(&mut self) -> Result<()> {
        if let Some(mut pool) = self.pool.take() {
            while let Some(made) = pool.pop().map_err(|e| e.file(self.sink.name()))? {
                self.append(made?)?;
            }
        }
        if self.open.parts.is_empty() {
            return Ok(());
        }
        let piece = std::mem::take(&mut self.open);
        self.append(piece.make(self.style)?)
    }

    fn append(&mut self, made: FormattedBlock) -> Result<()> {
        let position = self.sink.position();
        self.sink.put(&made.bytes)?;
        self.count_more(&made.before);
        for (key, start, stats) in made.starts {
            self.point(&key, position + start as u64)?;
            self.enter(key, stats);
        }
        Ok(())
    }

    /// Writes the position of an object to the script file.
    fn point(&mut self, key: &Key, at: u64) -> Result<()> {
        let Some((script, name)) = &mut self.script else {
            return Ok(());
        };
        self.line.clear();
        self.line.extend_from_slice(key.as_bytes());
        self.line.push(b' ');
        self.line.extend_from_slice(name);
        self.line.extend_from_slice(format!(":{at}\n").as_bytes());
        script.put(&self.line)
    }

    /// Continues in `sink`, which is for one `entry` if given and then gets no key. Returns the
    /// sink that is complete.
    pub(crate) fn replace(&mut self, sink: Sink, entry: Option<&Key>) -> Result<Sink> {
        self.flush()?;
        if let Some(key) = entry {
            self.enter(key.clone(), CastStats::default());
        }
        Ok(std::mem::replace(&mut self.sink, sink))
    }

    /// Completes the archive, then the script file. Returns their total size and the loss.
    pub(crate) fn finish(mut self) -> Result<(u64, LossReport)> {
        self.flush()?;
        if let Some((key, stats)) = &self.last {
            self.rounded.add_rounding(key, stats, self.rounding);
        }
        let bytes = self.sink.finish()?;
        let bytes = match self.script {
            Some((script, _)) => bytes + script.finish()?,
            None => bytes,
        };
        Ok((bytes, self.rounded))
    }
}

/// The separator before each row of a matrix.
const NEXT_ROW: &[u8] = b"\n  ";

/// Creates a matrix of the elements with these bytes.
fn copy(bytes: &[u8], dtype: Dtype, rank: Rank, cols: usize) -> Result<Matrix> {
    let mut matrix = Matrix::default();
    let rows = bytes.len() / (cols * dtype.size());
    matrix
        .reset(dtype, rank, rows, cols, &Limits::default())?
        .copy_from_slice(bytes);
    Ok(matrix)
}

impl BlockPart {
    /// Returns the memory that it takes before formatting, in bytes.
    fn size(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Key(key) => key.as_bytes().len(),
                Self::Bytes(_) | Self::Counted(_) => 0,
                Self::Numbers(numbers) => numbers.as_bytes().len(),
                Self::Compressed(planned) => planned.size(),
            }
    }
}

impl EntryBlock {
    fn make(self, style: Style) -> Result<FormattedBlock> {
        let mut out = Vec::with_capacity(self.bytes * if style == Style::Binary { 1 } else { 3 });
        let mut encoder = Encoder::default();
        let (mut before, mut starts) = (CastStats::default(), Vec::new());
        for part in self.parts {
            let stats = match part {
                BlockPart::Key(key) => {
                    out.extend_from_slice(key.as_bytes());
                    out.push(b' ');
                    starts.push((key, out.len(), CastStats::default()));
                    continue;
                }
                BlockPart::Bytes(bytes) => {
                    out.extend_from_slice(bytes);
                    continue;
                }
                BlockPart::Numbers(numbers) => print(&numbers, style, &mut out)?,
                BlockPart::Compressed(planned) => encoder.encode(&planned, &mut out)?,
                BlockPart::Counted(stats) => stats,
            };
            match starts.last_mut() {
                Some((_, _, all)) => all.add(&stats),
                None => before.add(&stats),
            }
        }
        Ok(FormattedBlock {
            bytes: out,
            before,
            starts,
        })
    }
}

/// Formats all values, and returns the loss if they may change.
///
/// # Errors
/// They are of a type without a text form.
fn print(matrix: &Matrix, style: Style, out: &mut Vec<u8>) -> Result<CastStats> {
    let mut stats = CastStats::default();
    match (Precision::of(matrix.dtype()), style) {
        (Some(Precision::Single), Style::SevenDigits(back)) => {
            seven::<f32>(matrix, back, out, &mut stats)?;
        }
        (Some(Precision::Double), Style::SevenDigits(back)) => {
            seven::<f64>(matrix, back, out, &mut stats)?;
        }
        (Some(Precision::Double), Style::Text(back)) => {
            shortest::<f64>(matrix, out)?;
            let values = matrix.values::<f64>()?;
            values.iter().for_each(|v| v.read_back(back, &mut stats));
        }
        (Some(Precision::Single), _) => shortest::<f32>(matrix, out)?,
        (Some(Precision::Double), Style::Binary) => shortest::<f64>(matrix, out)?,
        // Labels, which have no other type.
        (None, _) => shortest::<i32>(matrix, out)?,
    }
    Ok(stats)
}

/// Returns the separator before each row, and the number of values in a row.
fn rows(matrix: &Matrix) -> (&'static [u8], usize) {
    match matrix.rank() {
        Rank::Matrix => (NEXT_ROW, matrix.cols()),
        Rank::Vector | Rank::Scalar => (b"", matrix.len()),
    }
}

/// Formats all values with the shortest digits.
///
/// # Errors
/// They are of another type.
fn shortest<T: Element>(matrix: &Matrix, out: &mut Vec<u8>) -> Result<()> {
    let (start, cols) = rows(matrix);
    print_rows(matrix.values::<T>()?, cols, start, b' ', out);
    Ok(())
}

/// Formats all values with Kaldi's digits.
///
/// # Errors
/// They are of another type.
fn seven<T: SevenDigits>(
    matrix: &Matrix,
    back: Precision,
    out: &mut Vec<u8>,
    stats: &mut CastStats,
) -> Result<()> {
    let (start, cols) = rows(matrix);
    for row in matrix.values::<T>()?.chunks(cols.max(1)) {
        out.extend_from_slice(start);
        for value in row {
            value.print_seven(back, out, stats);
            out.push(b' ');
        }
    }
    Ok(())
}
