//! Rows of an array, in chunks.

use spr_core::bytes::{ByteOrder, Source, swap_in_place};
use spr_core::model::{Chunks, Dtype, Matrix, Rank};
use spr_core::{Limits, Result};

use crate::array::Array;
use crate::payload::Cursor;

/// A sequential reader of an array's rows.
pub(crate) struct Rows {
    dtype: Dtype,
    order: ByteOrder,
    rows: u64,
    cols: u64,
    cursor: Cursor,
    by_columns: bool,
    /// All bytes of an array stored column by column, once they are read.
    columns: Option<Vec<u8>>,
    /// The number of rows read or skipped.
    next: u64,
}

impl Rows {
    pub(crate) fn new(array: Array) -> Self {
        Self {
            dtype: array.dtype,
            order: array.order,
            rows: array.rows,
            cols: array.width(),
            cursor: Cursor::new(array.data),
            by_columns: array.by_columns,
            columns: None,
            next: 0,
        }
    }

    /// Returns the chunks of the next `n` rows, if there are several.
    pub(crate) fn chunks(&self, n: u64) -> Option<Chunks> {
        Chunks::of(n, self.cols.saturating_mul(self.dtype.size() as u64))
    }

    /// Sets the number of decoding threads.
    pub(crate) fn share(&mut self, threads: usize) {
        self.cursor.share(threads);
    }

    /// Returns the rank of labels: one per frame is a vector, whether the array had one dimension
    /// or two.
    pub(crate) fn label_rank(&self) -> Rank {
        if self.cols == 1 {
            Rank::Vector
        } else {
            Rank::Matrix
        }
    }

    /// Reads the next `n` rows, which must exist.
    ///
    /// # Errors
    /// The data are invalid, or exceed the limits.
    pub(crate) fn read(
        &mut self,
        source: &mut Source,
        n: u64,
        rank: Rank,
        into: &mut Matrix,
        limits: &Limits,
    ) -> Result<()> {
        let out = self.shape(n, rank, into, limits)?;
        match self.by_columns {
            true => self.gather(source, n, out, limits)?,
            false => self.cursor.fill(source, out)?,
        }
        self.next += n;
        if self.order != ByteOrder::NATIVE {
            swap_in_place(out, self.dtype.size());
        }
        if self.dtype == Dtype::Bool {
            into.values::<bool>()?;
        }
        Ok(())
    }

    /// Gives `into` the shape of the next `n` rows, which must exist, and skips them.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub(crate) fn shape_only(
        &mut self,
        source: &mut Source,
        n: u64,
        rank: Rank,
        into: &mut Matrix,
        limits: &Limits,
    ) -> Result<()> {
        self.shape(n, rank, into, limits)?.fill(0);
        self.pass(source, n)
    }

    /// Gives `into` the shape of the next `n` rows, which must exist, without skipping them.
    ///
    /// # Errors
    /// The limits are exceeded.
    pub(crate) fn pretend(
        &self,
        n: u64,
        rank: Rank,
        into: &mut Matrix,
        limits: &Limits,
    ) -> Result<()> {
        self.shape(n, rank, into, limits).map(drop)
    }

    /// Skips the next `n` rows, which must exist.
    ///
    /// # Errors
    /// The data are invalid.
    pub(crate) fn pass(&mut self, source: &mut Source, n: u64) -> Result<()> {
        self.next += n;
        match self.by_columns {
            true => Ok(()),
            false => {
                let row = self.cols.saturating_mul(self.dtype.size() as u64);
                self.cursor.pass(source, n.saturating_mul(row))
            }
        }
    }

    /// Checks that the data end with the last row.
    ///
    /// # Errors
    /// There are more.
    pub(crate) fn end(&mut self, source: &mut Source) -> Result<()> {
        match self.by_columns && self.columns.is_none() {
            true => Ok(()),
            false => self.cursor.end(source),
        }
    }

    /// Allocates the next `n` rows.
    fn shape<'a>(
        &self,
        n: u64,
        rank: Rank,
        into: &'a mut Matrix,
        limits: &Limits,
    ) -> Result<&'a mut [u8]> {
        limits.matrix_bytes(self.dtype, n, self.cols)?;
        let rows = usize::try_from(n).unwrap_or(usize::MAX);
        let cols = usize::try_from(self.cols).unwrap_or(usize::MAX);
        into.reset(self.dtype, rank, rows, cols, limits)
    }

    /// Reads the next `n` rows of an array stored column by column.
    fn gather(
        &mut self,
        source: &mut Source,
        n: u64,
        out: &mut [u8],
        limits: &Limits,
    ) -> Result<()> {
        let size = self.dtype.size();
        let whole = match &mut self.columns {
            Some(whole) => whole,
            None => {
                let bytes = self
                    .rows
                    .saturating_mul(self.cols)
                    .saturating_mul(size as u64);
                let mut whole = vec![0; limits.bytes("an array stored by columns", bytes)?];
                self.cursor.fill(source, &mut whole)?;
                self.columns.insert(whole)
            }
        };
        // All of it is in memory, so that its sizes fit `usize`.
        let sizes =
            [self.next, n, self.cols].map(|size| usize::try_from(size).unwrap_or(usize::MAX));
        let [next, rows, cols] = sizes;
        if rows == 0 {
            return Ok(());
        }
        let column = whole.len() / cols;
        for (c, column) in whole.chunks_exact(column).enumerate() {
            let piece = &column[next * size..(next + rows) * size];
            match size {
                1 => scatter::<1>(piece, out, c, cols),
                2 => scatter::<2>(piece, out, c, cols),
                4 => scatter::<4>(piece, out, c, cols),
                _ => scatter::<8>(piece, out, c, cols),
            }
        }
        Ok(())
    }
}

/// Copies `values` to column `c` of the rows in `out`.
fn scatter<const N: usize>(values: &[u8], out: &mut [u8], c: usize, cols: usize) {
    let slots = out.as_chunks_mut::<N>().0.iter_mut().skip(c).step_by(cols);
    for (slot, value) in slots.zip(values.as_chunks::<N>().0) {
        *slot = *value;
    }
}
