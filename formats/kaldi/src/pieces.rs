//! An archive with its script file, behind a queue of pieces that threads print or compress.

use spr_core::bytes::Sink;
use spr_core::loss::LossReport;
use spr_core::model::{CastStats, Dtype, Element, Key, Matrix, Rank};
use spr_core::number::print_rows;
use spr_core::ordered::Ordered;
use spr_core::{Limits, Result};

use crate::encode::{Encoder, Planned};
use crate::kind::Precision;
use crate::print::Seven;
use crate::sinks::Sinks;
use crate::write_object::Style;

/// Bytes that a piece holds before it is made. Small entries are gathered until there are as
/// many, large ones are cut.
const PIECE: usize = 128 << 10;
/// A matrix can't be cut to be compressed; larger ones do not wait in a queue.
const LARGEST: usize = 8 << 20;

/// What entries are written to. Text of numbers is made and matrices are compressed by several
/// threads and appended in order: the bytes are the same for any number of them, and a few pieces
/// are in memory whatever the size of an entry.
///
/// A failure to append shows with a later piece or at the end.
pub(crate) struct Archive {
    sink: Sink,
    /// The script file and the archive's name in it.
    script: Option<(Sink, Vec<u8>)>,
    style: Style,
    /// What changes numbers, where something does.
    rounding: &'static str,
    rounded: LossReport,
    /// The last entry, and what became of its numbers so far.
    last: Option<(Key, CastStats)>,
    threads: usize,
    open: Piece,
    /// There once a piece was full.
    pool: Option<Ordered<Piece, Result<Made>>>,
    line: Vec<u8>,
}

/// Entries, or parts of one, that are still to be made.
#[derive(Default)]
struct Piece {
    parts: Vec<Part>,
    bytes: usize,
}

enum Part {
    /// The start of an entry.
    Key(Key),
    /// Bytes as they are.
    Bytes(&'static [u8]),
    /// Numbers, each with a space behind it; rows of a matrix begin on lines of their own.
    Numbers(Matrix),
    /// A matrix to be compressed.
    Compressed(Planned),
    /// What became of numbers before they were added.
    Counted(CastStats),
}

struct Made {
    bytes: Vec<u8>,
    /// What became of numbers of an entry that started before.
    before: CastStats,
    /// The entries that start here, where their objects do, and what became of their numbers.
    starts: Vec<(Key, usize, CastStats)>,
}

impl Archive {
    /// Writes to `sinks`, text with up to `threads` threads. Where numbers change, `rounding` says
    /// why.
    pub(crate) fn new(sinks: Sinks, style: Style, rounding: &'static str, threads: usize) -> Self {
        Self {
            sink: sinks.archive,
            script: sinks.script,
            style,
            rounding,
            rounded: LossReport::default(),
            last: None,
            threads,
            open: Piece::default(),
            pool: None,
            line: Vec::new(),
        }
    }

    /// The name used in messages.
    pub(crate) fn name(&self) -> &str {
        self.sink.name()
    }

    /// Bytes written so far, without what waits.
    pub(crate) fn position(&self) -> u64 {
        self.sink.position()
    }

    /// Starts an entry whose bytes are put directly.
    pub(crate) fn start(&mut self, key: &Key) -> Result<()> {
        let sink = self.direct()?;
        sink.put(key.as_bytes())?;
        sink.put(b" ")?;
        let position = self.sink.position();
        self.point(key, position)
    }

    /// Counts what became of the numbers of an entry that was put directly.
    pub(crate) fn count(&mut self, key: &Key, stats: &CastStats) {
        if stats.changed > 0 {
            self.enter(key.clone(), *stats);
        }
    }

    /// Counts what became of the numbers of the entry whose parts are added.
    pub(crate) fn count_part(&mut self, stats: CastStats) -> Result<()> {
        self.push(Part::Counted(stats))
    }

    /// Adds to what became of the numbers of the last entry.
    fn count_more(&mut self, stats: &CastStats) {
        if let Some((_, all)) = &mut self.last {
            all.add(stats);
        }
    }

    /// Goes on to an entry, and reports what became of the one before.
    fn enter(&mut self, key: Key, stats: CastStats) {
        if let Some((key, stats)) = self.last.replace((key, stats)) {
            self.rounded.add_rounding(&key, &stats, self.rounding);
        }
    }

    /// Appends bytes directly.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.direct()?.put(bytes)
    }

    /// The sink itself, after all that waits.
    pub(crate) fn direct(&mut self) -> Result<&mut Sink> {
        self.flush()?;
        Ok(&mut self.sink)
    }

    /// Starts an entry whose parts are added.
    pub(crate) fn start_parts(&mut self, key: &Key) -> Result<()> {
        self.push(Part::Key(key.clone()))
    }

    /// Adds bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &'static [u8]) -> Result<()> {
        self.push(Part::Bytes(bytes))
    }

    /// Adds all numbers of `matrix`, each with a space behind it.
    pub(crate) fn numbers(&mut self, matrix: &Matrix) -> Result<()> {
        self.block(matrix.as_bytes(), matrix.dtype())
    }

    /// Adds the rows of `matrix` on lines of their own.
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
            self.push(Part::Numbers(rows))?;
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
    pub(crate) fn compressed(&mut self, planned: Planned) -> Result<()> {
        if planned.size() <= LARGEST {
            return self.push(Part::Compressed(planned));
        }
        let mut bytes = Vec::new();
        let stats = Encoder::default().encode(&planned, &mut bytes)?;
        self.put(&bytes)?;
        self.count_more(&stats);
        Ok(())
    }

    /// Adds the numbers whose bytes are given.
    fn block(&mut self, bytes: &[u8], dtype: Dtype) -> Result<()> {
        for numbers in bytes.chunks(PIECE) {
            let numbers = copy(numbers, dtype, Rank::Vector, 1)?;
            self.push(Part::Numbers(numbers))?;
        }
        Ok(())
    }

    fn push(&mut self, part: Part) -> Result<()> {
        self.open.bytes += part.size();
        self.open.parts.push(part);
        if self.open.bytes < PIECE {
            return Ok(());
        }
        let (piece, style) = (std::mem::take(&mut self.open), self.style);
        if self.threads < 2 {
            return self.append(piece.make(style)?);
        }
        let start = || Ordered::new(self.threads, move |piece: Piece| piece.make(style));
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

    /// Appends all that waits.
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

    fn append(&mut self, made: Made) -> Result<()> {
        let position = self.sink.position();
        self.sink.put(&made.bytes)?;
        self.count_more(&made.before);
        for (key, start, stats) in made.starts {
            self.point(&key, position + start as u64)?;
            self.enter(key, stats);
        }
        Ok(())
    }

    /// Writes where an object is.
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

    /// Goes on in `sink`, with an entry whose key is not written if it is for one, and returns
    /// the one that is complete.
    pub(crate) fn replace(&mut self, sink: Sink, entry: Option<&Key>) -> Result<Sink> {
        self.flush()?;
        if let Some(key) = entry {
            self.enter(key.clone(), CastStats::default());
        }
        Ok(std::mem::replace(&mut self.sink, sink))
    }

    /// Completes the archive, then the script file, and returns how many bytes both hold, and what
    /// became of numbers.
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

/// What stands before each row of a matrix.
const NEXT_ROW: &[u8] = b"\n  ";

/// A matrix of the elements whose bytes are given.
fn copy(bytes: &[u8], dtype: Dtype, rank: Rank, cols: usize) -> Result<Matrix> {
    let mut matrix = Matrix::default();
    let rows = bytes.len() / (cols * dtype.size());
    matrix
        .reset(dtype, rank, rows, cols, &Limits::default())?
        .copy_from_slice(bytes);
    Ok(matrix)
}

impl Part {
    /// Bytes that it takes until it is made.
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

impl Piece {
    fn make(self, style: Style) -> Result<Made> {
        let mut out = Vec::with_capacity(self.bytes * if style == Style::Binary { 1 } else { 3 });
        let mut encoder = Encoder::default();
        let (mut before, mut starts) = (CastStats::default(), Vec::new());
        for part in self.parts {
            let stats = match part {
                Part::Key(key) => {
                    out.extend_from_slice(key.as_bytes());
                    out.push(b' ');
                    starts.push((key, out.len(), CastStats::default()));
                    continue;
                }
                Part::Bytes(bytes) => {
                    out.extend_from_slice(bytes);
                    continue;
                }
                Part::Numbers(numbers) => print(&numbers, style, &mut out)?,
                Part::Compressed(planned) => encoder.encode(&planned, &mut out)?,
                Part::Counted(stats) => stats,
            };
            match starts.last_mut() {
                Some((_, _, all)) => all.add(&stats),
                None => before.add(&stats),
            }
        }
        Ok(Made {
            bytes: out,
            before,
            starts,
        })
    }
}

/// Prints all values, and tells what becomes of them where they may change.
///
/// # Errors
/// They are of a type that there is no text for.
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
        // Labels; of another type there are none.
        (None, _) => shortest::<i32>(matrix, out)?,
    }
    Ok(stats)
}

/// What stands before each row, and how many values that has.
fn rows(matrix: &Matrix) -> (&'static [u8], usize) {
    match matrix.rank() {
        Rank::Matrix => (NEXT_ROW, matrix.cols()),
        Rank::Vector | Rank::Scalar => (b"", matrix.len()),
    }
}

/// Prints all values with the shortest digits.
///
/// # Errors
/// They are of another type.
fn shortest<T: Element>(matrix: &Matrix, out: &mut Vec<u8>) -> Result<()> {
    let (start, cols) = rows(matrix);
    print_rows(matrix.values::<T>()?, cols, start, b' ', out);
    Ok(())
}

/// Prints all values with Kaldi's digits.
///
/// # Errors
/// They are of another type.
fn seven<T: Seven>(
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
