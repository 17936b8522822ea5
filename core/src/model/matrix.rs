//! The one container for features, labels and other numbers.

use ndarray::ArrayView2;

use super::{Dtype, Element};
use crate::{Error, Limits, Result};

/// How many dimensions the stored object has; Kaldi tells them apart and so does the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rank {
    /// One number.
    Scalar,
    /// A list of numbers: `rows` of them, one column.
    Vector,
    /// Rows and columns.
    #[default]
    Matrix,
}

/// A dense, row-major matrix with an element type known at run time.
///
/// Rows are frames. A vector of n numbers has n rows and one column. Elements are in the
/// machine's own byte order and 8-byte aligned, so typed views are free.
///
/// ```
/// use spr_core::model::{Matrix, Rank};
/// let m = Matrix::from_rows(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], 3, Rank::Matrix)?;
/// assert_eq!((m.rows(), m.cols()), (2, 3));
/// assert_eq!(m.view::<f32>().unwrap()[[1, 0]], 4.0);
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Matrix {
    dtype: Dtype,
    rank: Rank,
    rows: usize,
    cols: usize,
    /// Storage, grown but never shrunk; only the first `rows * cols` elements count.
    words: Vec<u64>,
}

impl Matrix {
    /// A matrix of the values in row-major order, `cols` in a row.
    ///
    /// # Errors
    /// `values` do not fill whole rows.
    pub fn from_rows<T: Element>(values: &[T], cols: usize, rank: Rank) -> Result<Self> {
        let rows = match cols {
            0 if values.is_empty() => 0,
            0 => return Err(Error::malformed("values in rows of 0 columns")),
            _ if !values.len().is_multiple_of(cols) => {
                return Err(Error::malformed(format!(
                    "{} values do not fill rows of {cols}",
                    values.len()
                )));
            }
            _ => values.len() / cols,
        };
        let mut matrix = Self::default();
        let limits = Limits {
            max_alloc: u64::MAX,
            ..Limits::default()
        };
        matrix.reset(T::DTYPE, rank, rows, cols, &limits)?;
        matrix.values_mut::<T>().copy_from_slice(values);
        Ok(matrix)
    }

    /// Gives the matrix a new type and shape and returns its bytes to fill.
    ///
    /// The allocation is kept; what the bytes hold is left over from before. For sizes that come
    /// from a file use [`Source::read_matrix`](crate::bytes::Source::read_matrix), which allocates
    /// no more than the file holds.
    ///
    /// # Errors
    /// The size exceeds `limits`.
    pub fn reset(
        &mut self,
        dtype: Dtype,
        rank: Rank,
        rows: usize,
        cols: usize,
        limits: &Limits,
    ) -> Result<&mut [u8]> {
        let bytes = limits.matrix_bytes(dtype, rows as u64, cols as u64)?;
        self.start(dtype, rank, cols);
        self.rows = rows;
        self.reserve_bytes(bytes);
        Ok(self.as_bytes_mut())
    }

    /// Starts an empty matrix of `cols` columns that grows by [`extend_rows`](Self::extend_rows).
    pub fn start(&mut self, dtype: Dtype, rank: Rank, cols: usize) {
        (self.dtype, self.rank, self.rows, self.cols) = (dtype, rank, 0, cols);
    }

    /// Adds `n` rows and returns their bytes to fill.
    ///
    /// # Errors
    /// The size exceeds `limits`.
    pub fn extend_rows(&mut self, n: usize, limits: &Limits) -> Result<&mut [u8]> {
        let old = self.as_bytes().len();
        let rows = self.rows.saturating_add(n);
        let bytes = limits.matrix_bytes(self.dtype, rows as u64, self.cols as u64)?;
        self.rows = rows;
        self.reserve_bytes(bytes);
        Ok(&mut self.as_bytes_mut()[old..])
    }

    /// Adds rows holding `values` in row-major order, which must fill whole rows of the
    /// matrix's own element type.
    ///
    /// # Errors
    /// Wrong type, part of a row, or a size that exceeds `limits`.
    pub fn extend_from<T: Element>(&mut self, values: &[T], limits: &Limits) -> Result<()> {
        if T::DTYPE != self.dtype || self.cols == 0 || !values.len().is_multiple_of(self.cols) {
            return Err(Error::malformed(format!(
                "{} {} values can't be added to rows of {} {}",
                values.len(),
                T::DTYPE,
                self.cols,
                self.dtype
            )));
        }
        let rows = values.len() / self.cols;
        self.extend_rows(rows, limits)?
            .copy_from_slice(bytemuck::cast_slice(values));
        Ok(())
    }

    /// Keeps the rows for which `keep` says so, in their order.
    pub fn retain_rows(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let size = self.cols * self.dtype.size();
        let (mut kept, mut row) = (0, 0);
        while row < self.rows {
            // Rows that stay together move together.
            let first = row;
            while row < self.rows && keep(row) {
                row += 1;
            }
            if first != kept {
                let run = first * size..row * size;
                self.as_bytes_mut().copy_within(run, kept * size);
            }
            kept += row - first;
            row += 1;
        }
        self.rows = kept;
    }

    /// Swaps two rows, which must be there.
    ///
    /// # Panics
    /// A row is not there.
    pub fn swap_rows(&mut self, a: usize, b: usize) {
        let size = self.cols * self.dtype.size();
        let (low, high) = (a.min(b) * size, a.max(b) * size);
        if low != high {
            let (head, tail) = self.as_bytes_mut().split_at_mut(high);
            head[low..low + size].swap_with_slice(&mut tail[..size]);
        }
    }

    /// Gives the same elements another shape.
    ///
    /// # Errors
    /// `rows` × `cols` is not the number of elements.
    pub fn reshape(&mut self, rank: Rank, rows: usize, cols: usize) -> Result<()> {
        if rows.checked_mul(cols) != Some(self.len()) {
            return Err(Error::malformed(format!(
                "{} values do not make {rows} x {cols}",
                self.len()
            )));
        }
        (self.rank, self.rows, self.cols) = (rank, rows, cols);
        Ok(())
    }

    /// Makes room for `bytes` of data before they are read; `reset` and `extend_rows` do it too.
    fn reserve_bytes(&mut self, bytes: usize) {
        let words = bytes.div_ceil(8);
        if words > self.words.len() {
            self.words.resize(words, 0);
        }
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The number of dimensions of the object it came from.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Rows: frames.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns: values a frame.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All elements as bytes, row-major, in the machine's byte order.
    pub fn as_bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len() * self.dtype.size()]
    }

    /// All elements as bytes to change.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        let len = self.len() * self.dtype.size();
        &mut bytemuck::cast_slice_mut(&mut self.words)[..len]
    }

    /// All elements, if they are of type `T`.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        (T::DTYPE == self.dtype).then(|| bytemuck::cast_slice(self.as_bytes()))
    }

    /// All elements to change, if they are of type `T`.
    pub fn as_slice_mut<T: Element>(&mut self) -> Option<&mut [T]> {
        (T::DTYPE == self.dtype).then(|| bytemuck::cast_slice_mut(self.as_bytes_mut()))
    }

    /// The elements as a two-dimensional array, if they are of type `T`.
    pub fn view<T: Element>(&self) -> Option<ArrayView2<'_, T>> {
        ArrayView2::from_shape((self.rows, self.cols), self.as_slice()?).ok()
    }

    /// The elements as type `T`, which [`dispatch!`](crate::dispatch) has just established.
    pub(crate) fn values<T: Element>(&self) -> &[T] {
        self.as_slice().unwrap_or_default()
    }

    /// As [`values`](Self::values), to change.
    pub(crate) fn values_mut<T: Element>(&mut self) -> &mut [T] {
        self.as_slice_mut().unwrap_or_default()
    }
}

impl PartialEq for Matrix {
    /// Same type, shape and bits.
    fn eq(&self, other: &Self) -> bool {
        (self.dtype, self.rank, self.rows, self.cols)
            == (other.dtype, other.rank, other.rows, other.cols)
            && self.as_bytes() == other.as_bytes()
    }
}

impl std::fmt::Debug for Matrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:?} {} x {} {}",
            self.rank, self.rows, self.cols, self.dtype
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_its_shape_and_refuses_nonsense() {
        assert!(Matrix::from_rows(&[1i32, 2, 3], 2, Rank::Matrix).is_err());
        assert!(Matrix::from_rows(&[1i32], 0, Rank::Matrix).is_err());
        let mut m = Matrix::from_rows(&[1i32, 2, 3, 4], 2, Rank::Matrix).unwrap();
        assert_eq!(m.as_slice::<i32>(), Some(&[1, 2, 3, 4][..]));
        assert_eq!(m.as_slice::<f32>(), None);
        m.extend_from(&[5i32, 6], &Limits::default()).unwrap();
        assert_eq!((m.rows(), m.len()), (3, 6));
        assert!(m.extend_from(&[7i32], &Limits::default()).is_err());
        assert!(m.extend_from(&[7f32, 8.0], &Limits::default()).is_err());
        m.reshape(Rank::Vector, 6, 1).unwrap();
        assert!(m.reshape(Rank::Vector, 7, 1).is_err());
    }

    #[test]
    fn rows_go_and_change_places() {
        let whole = Matrix::from_rows(&[0i16, 1, 10, 11, 20, 21, 30, 31], 2, Rank::Matrix).unwrap();
        for (kept, expected) in [
            (vec![0, 1, 2, 3], vec![0, 1, 10, 11, 20, 21, 30, 31]),
            (vec![1, 3], vec![10, 11, 30, 31]),
            (vec![0, 3], vec![0, 1, 30, 31]),
            (vec![2, 3], vec![20, 21, 30, 31]),
            (vec![], vec![]),
        ] {
            let mut m = whole.clone();
            m.retain_rows(|row| kept.contains(&row));
            assert_eq!(
                (m.rows(), m.as_slice::<i16>()),
                (kept.len(), Some(&expected[..]))
            );
        }
        let mut m = whole.clone();
        m.swap_rows(3, 1);
        m.swap_rows(2, 2);
        assert_eq!(
            m.as_slice::<i16>(),
            Some(&[0, 1, 30, 31, 20, 21, 10, 11][..])
        );
    }

    #[test]
    fn reset_keeps_the_limits() {
        let limits = Limits {
            max_alloc: 15,
            ..Limits::default()
        };
        let mut m = Matrix::default();
        assert!(m.reset(Dtype::F32, Rank::Matrix, 2, 2, &limits).is_err());
        assert!(
            m.reset(Dtype::F64, Rank::Matrix, usize::MAX, 2, &limits)
                .is_err()
        );
        assert_eq!(
            m.reset(Dtype::F32, Rank::Matrix, 3, 1, &limits)
                .unwrap()
                .len(),
            12
        );
        assert!(m.extend_rows(1, &limits).is_err());
        assert_eq!(m.rows(), 3);
    }
}
