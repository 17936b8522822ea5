//! Rows of an array, one piece after the other.

use spr_core::bytes::{ByteOrder, Source, swap_in_place};
use spr_core::model::{Matrix, Rank};
use spr_core::{Limits, Result};

use crate::array::{Array, Stored, widen_half};
use crate::payload::Cursor;

/// Reads an array from its first row to its last.
pub(crate) struct Rows {
    stored: Stored,
    order: ByteOrder,
    rows: u64,
    cols: u64,
    cursor: Cursor,
    /// All bytes of an array that stands column after column, once they are read, and the next
    /// row.
    columns: Option<(Vec<u8>, usize)>,
    by_columns: bool,
    /// Rows of halves, before they are widened.
    halves: Vec<u8>,
}

impl Rows {
    pub(crate) fn new(array: Array) -> Self {
        Self {
            stored: array.stored,
            order: array.order,
            rows: array.rows,
            cols: array.width(),
            cursor: Cursor::new(array.data),
            columns: None,
            by_columns: array.by_columns,
            halves: Vec::new(),
        }
    }

    /// One label a frame is a vector, whether the array had one dimension or two.
    pub(crate) fn label_rank(&self) -> Rank {
        if self.cols == 1 {
            Rank::Vector
        } else {
            Rank::Matrix
        }
    }

    /// Reads the next `n` rows, of which there must be as many.
    ///
    /// # Errors
    /// The data are broken, or exceed the limits.
    pub(crate) fn read(
        &mut self,
        source: &mut Source,
        n: u64,
        rank: Rank,
        into: &mut Matrix,
        limits: &Limits,
    ) -> Result<()> {
        let dtype = self.stored.dtype();
        limits.matrix_bytes(dtype, n, self.cols)?;
        let rows = usize::try_from(n).unwrap_or(usize::MAX);
        let cols = usize::try_from(self.cols).unwrap_or(usize::MAX);
        let out = into.reset(dtype, rank, rows, cols, limits)?;
        match self.stored {
            Stored::Plain(dtype) => {
                self.fill(source, rows, cols, dtype.size(), out, limits)?;
                if self.order != ByteOrder::NATIVE {
                    swap_in_place(out, dtype.size());
                }
            }
            Stored::Half => {
                let mut halves = std::mem::take(&mut self.halves);
                halves.resize(out.len() / 2, 0);
                self.fill(source, rows, cols, 2, &mut halves, limits)?;
                let pairs = halves.as_chunks::<2>().0.iter();
                for (half, float) in pairs.zip(out.as_chunks_mut::<4>().0) {
                    let half = match self.order {
                        ByteOrder::Little => u16::from_le_bytes(*half),
                        ByteOrder::Big => u16::from_be_bytes(*half),
                    };
                    *float = widen_half(half).to_ne_bytes();
                }
                self.halves = halves;
            }
        }
        Ok(())
    }

    /// Checks that the data end with the last row.
    ///
    /// # Errors
    /// There are more.
    pub(crate) fn end(&mut self, source: &mut Source) -> Result<()> {
        self.cursor.end(source)
    }

    /// The next rows as they are stored.
    fn fill(
        &mut self,
        source: &mut Source,
        rows: usize,
        cols: usize,
        size: usize,
        out: &mut [u8],
        limits: &Limits,
    ) -> Result<()> {
        if !self.by_columns {
            return self.cursor.fill(source, out);
        }
        let (whole, next) = match &mut self.columns {
            Some(columns) => columns,
            None => {
                let bytes = self
                    .rows
                    .saturating_mul(self.cols)
                    .saturating_mul(size as u64);
                let mut whole = vec![0; limits.bytes("an array stored by columns", bytes)?];
                self.cursor.fill(source, &mut whole)?;
                self.columns.insert((whole, 0))
            }
        };
        if rows == 0 {
            return Ok(());
        }
        let column = whole.len() / cols;
        for (c, column) in whole.chunks_exact(column).enumerate() {
            let piece = &column[*next * size..(*next + rows) * size];
            match size {
                1 => scatter::<1>(piece, out, c, cols),
                2 => scatter::<2>(piece, out, c, cols),
                4 => scatter::<4>(piece, out, c, cols),
                _ => scatter::<8>(piece, out, c, cols),
            }
        }
        *next += rows;
        Ok(())
    }
}

/// Makes `values` column `c` of the rows in `out`.
fn scatter<const N: usize>(values: &[u8], out: &mut [u8], c: usize, cols: usize) {
    let slots = out.as_chunks_mut::<N>().0.iter_mut().skip(c).step_by(cols);
    for (slot, value) in slots.zip(values.as_chunks::<N>().0) {
        *slot = *value;
    }
}
