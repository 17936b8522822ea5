//! An archive with its script file, behind a queue of pieces of text that threads print.

use spr_core::bytes::Sink;
use spr_core::model::{Dtype, Element, Key, Matrix, Rank};
use spr_core::ordered::Ordered;
use spr_core::{Error, Limits, Result};

use crate::print::Seven;
use crate::put::Style;

/// Bytes that a piece holds before it is printed. Small entries are gathered until there are as
/// many, large ones are cut.
const PIECE: usize = 128 << 10;

/// What entries are written to. Text of numbers is printed by several threads and appended in
/// order: the bytes are the same for any number of them, and a few pieces are in memory whatever
/// the size of an entry.
///
/// A failure to append shows with a later piece or at the end.
pub(crate) struct Archive {
    sink: Sink,
    /// The script file and the archive's name in it.
    script: Option<(Sink, String)>,
    style: Style,
    threads: usize,
    open: Piece,
    /// There once a piece was full.
    pool: Option<Ordered<Piece, Printed>>,
    /// Pieces given to the pool that have not come back.
    waiting: usize,
    line: Vec<u8>,
}

/// Text that is still to be printed.
#[derive(Default)]
struct Piece {
    parts: Vec<Part>,
    bytes: usize,
}

enum Part {
    /// The start of an entry.
    Key(Key),
    /// Text as it is.
    Text(&'static [u8]),
    /// Numbers, each with a space behind it; rows of a matrix begin on lines of their own.
    Numbers(Matrix),
}

struct Printed {
    text: Vec<u8>,
    /// The entries that start here, and where their objects do.
    starts: Vec<(Key, usize)>,
}

impl Archive {
    /// Writes to `sink`, text with up to `threads` threads, and where entries are to `script`.
    pub(crate) fn new(
        sink: Sink,
        script: Option<(Sink, String)>,
        style: Style,
        threads: usize,
    ) -> Self {
        Self {
            sink,
            script,
            style,
            threads,
            open: Piece::default(),
            pool: None,
            waiting: 0,
            line: Vec::new(),
        }
    }

    /// The name used in messages.
    pub(crate) fn name(&self) -> &str {
        self.sink.name()
    }

    /// Starts an entry whose bytes are put directly.
    pub(crate) fn start(&mut self, key: &Key) -> Result<()> {
        let sink = self.direct()?;
        sink.put(key.as_bytes())?;
        sink.put(b" ")?;
        let position = self.sink.position();
        self.point(key, position)
    }

    /// Appends bytes directly.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.direct()?.put(bytes)
    }

    /// The sink itself, after all text.
    pub(crate) fn direct(&mut self) -> Result<&mut Sink> {
        self.flush()?;
        Ok(&mut self.sink)
    }

    /// Starts an entry of text.
    pub(crate) fn start_text(&mut self, key: &Key) -> Result<()> {
        self.push(Part::Key(key.clone()))
    }

    /// Adds text as it is.
    pub(crate) fn text(&mut self, text: &'static [u8]) -> Result<()> {
        self.push(Part::Text(text))
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
                self.text(NEXT_ROW)?;
                self.block(row, dtype)
            });
        }
        for rows in matrix.as_bytes().chunks(row * (PIECE / row)) {
            let rows = copy(rows, dtype, Rank::Matrix, cols)?;
            self.push(Part::Numbers(rows))?;
        }
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
            return self.append(piece.print(style));
        }
        let start = || Ordered::new(self.threads, move |piece: Piece| piece.print(style));
        let printed = self.pool.get_or_insert_with(start).push(piece);
        self.waiting += 1;
        printed.map_or(Ok(()), |printed| self.take(printed))
    }

    /// Appends all text.
    fn flush(&mut self) -> Result<()> {
        if let Some(pool) = self.pool.take() {
            pool.finish().try_for_each(|printed| self.take(printed))?;
            if self.waiting > 0 {
                let error = Error::unsupported("a thread that prints text died");
                return Err(error.file(self.sink.name()));
            }
        }
        if self.open.parts.is_empty() {
            return Ok(());
        }
        let piece = std::mem::take(&mut self.open);
        self.append(piece.print(self.style))
    }

    /// Appends what comes from the pool.
    fn take(&mut self, printed: Printed) -> Result<()> {
        self.waiting -= 1;
        self.append(printed)
    }

    fn append(&mut self, printed: Printed) -> Result<()> {
        let position = self.sink.position();
        self.sink.put(&printed.text)?;
        for (key, start) in printed.starts {
            self.point(&key, position + start as u64)?;
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
        self.line
            .extend_from_slice(format!(" {name}:{at}\n").as_bytes());
        script.put(&self.line)
    }

    /// Goes on in `sink`, and returns the one that is complete.
    pub(crate) fn replace(&mut self, sink: Sink) -> Result<Sink> {
        self.flush()?;
        Ok(std::mem::replace(&mut self.sink, sink))
    }

    /// Completes the archive, then the script file, and returns how many bytes both hold.
    pub(crate) fn finish(mut self) -> Result<u64> {
        self.flush()?;
        let bytes = self.sink.finish()?;
        match self.script {
            Some((script, _)) => Ok(bytes + script.finish()?),
            None => Ok(bytes),
        }
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
    /// Bytes that it takes until it is printed.
    fn size(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Key(key) => key.as_bytes().len(),
                Self::Text(_) => 0,
                Self::Numbers(numbers) => numbers.as_bytes().len(),
            }
    }
}

impl Piece {
    fn print(self, style: Style) -> Printed {
        let mut text = Vec::with_capacity(self.bytes * 3);
        let mut starts = Vec::new();
        for part in self.parts {
            match part {
                Part::Key(key) => {
                    text.extend_from_slice(key.as_bytes());
                    text.push(b' ');
                    starts.push((key, text.len()));
                }
                Part::Text(bytes) => text.extend_from_slice(bytes),
                Part::Numbers(numbers) => print(&numbers, style, &mut text),
            }
        }
        Printed { text, starts }
    }
}

fn print(matrix: &Matrix, style: Style, out: &mut Vec<u8>) {
    match (matrix.dtype(), style) {
        (Dtype::I32, _) => each(matrix, i32::print, out),
        (Dtype::F64, Style::SevenDigits) => each(matrix, f64::print_seven, out),
        (Dtype::F64, _) => each(matrix, f64::print, out),
        (_, Style::SevenDigits) => each(matrix, f32::print_seven, out),
        _ => each(matrix, f32::print, out),
    }
}

fn each<T: Element>(matrix: &Matrix, print: fn(T, &mut Vec<u8>), out: &mut Vec<u8>) {
    let values = matrix.as_slice::<T>().unwrap_or_default();
    let (before, line): (&[u8], _) = match matrix.rank() {
        Rank::Matrix => (NEXT_ROW, matrix.cols()),
        _ => (b"", values.len()),
    };
    for row in values.chunks(line.max(1)) {
        out.extend_from_slice(before);
        for value in row {
            print(*value, out);
            out.push(b' ');
        }
    }
}
