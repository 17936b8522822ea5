//! The container for features, labels and other numbers.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::Bytes;

use super::{Dtype, Element};
use crate::error::{Error, Result};
use crate::model::Limits;
use crate::number::{ByteOrder, swap_in_place};

/// The number of dimensions of the stored object, which Kaldi distinguishes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Rank {
    /// A single number.
    Scalar,
    /// A list of numbers: `rows` numbers in one column.
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
    /// The storage, which never shrinks; only the first `rows * cols` elements are valid.
    words: Vec<u64>,
}

impl Matrix {
    /// Creates a matrix of values in row-major order with `cols` columns.
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
        matrix.reset(T::DTYPE, rank, rows, cols, &Limits::NONE)?;
        matrix.values_mut::<T>()?.copy_from_slice(values);
        Ok(matrix)
    }

    /// A matrix of zeros, as large as something that is in memory already.
    pub(super) fn zeros(dtype: Dtype, rank: Rank, rows: usize, cols: usize) -> Self {
        let mut matrix = Self::default();
        matrix.start(dtype, rank, cols);
        matrix.rows = rows;
        matrix.reserve_bytes(rows.saturating_mul(cols).saturating_mul(dtype.size()));
        matrix
    }

    /// Sets type and shape, and returns the bytes to fill.
    ///
    /// The allocation is kept, and the bytes are undefined. For sizes from a file use
    /// [`Source::read_matrix`](crate::bytes::Source::read_matrix), which allocates no more than the
    /// file contains.
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

    /// Starts an empty matrix of `cols` columns, to be filled by
    /// [`extend_rows`](Self::extend_rows).
    pub fn start(&mut self, dtype: Dtype, rank: Rank, cols: usize) {
        (self.dtype, self.rank, self.rows, self.cols) = (dtype, rank, 0, cols);
    }

    /// Starts an empty matrix with the type, the rank and the columns of another one.
    pub fn start_like(&mut self, other: &Self) {
        self.start(other.dtype, other.rank, other.cols);
    }

    /// Adds `n` rows, and returns their bytes to fill.
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

    /// Adds rows of `values` in row-major order, which must fill whole rows and have the matrix's
    /// element type.
    ///
    /// # Errors
    /// The type is wrong, a row is incomplete, or the size exceeds `limits`.
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

    /// Keeps the rows for which `keep` returns `true`, in order.
    pub fn retain_rows(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let size = self.cols * self.dtype.size();
        let (mut kept, mut row) = (0, 0);
        while row < self.rows {
            // Contiguous rows are moved together.
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

    /// Swaps two rows, which must exist.
    ///
    /// # Panics
    /// A row is not there.
    pub(crate) fn swap_rows(&mut self, a: usize, b: usize) {
        let size = self.cols * self.dtype.size();
        let (low, high) = (a.min(b) * size, a.max(b) * size);
        if low != high {
            let (head, tail) = self.as_bytes_mut().split_at_mut(high);
            head[low..low + size].swap_with_slice(&mut tail[..size]);
        }
    }

    /// Changes the shape of the same elements.
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

    /// Reserves `bytes` of memory before data are read; `reset` and `extend_rows` do it too.
    fn reserve_bytes(&mut self, bytes: usize) {
        let words = bytes.div_ceil(8);
        if words > self.words.len() {
            self.words.resize(words, 0);
        }
    }

    /// Returns the element type.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Returns the number of dimensions of the original object.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Returns the number of rows, which are frames.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns, the values per frame.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all elements as bytes, row-major, in native byte order.
    pub fn as_bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len() * self.dtype.size()]
    }

    /// Returns all elements as bytes for modification.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        let len = self.len() * self.dtype.size();
        &mut bytemuck::cast_slice_mut(&mut self.words)[..len]
    }

    /// Returns all elements, if they are of type `T`.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        let same = T::DTYPE == self.dtype;
        let values = same.then(|| bytemuck::checked::try_cast_slice(self.as_bytes()));
        values?.ok()
    }

    /// Returns all elements for modification, if they are of type `T`.
    pub fn as_slice_mut<T: Element>(&mut self) -> Option<&mut [T]> {
        let same = T::DTYPE == self.dtype;
        let values = same.then(|| bytemuck::checked::try_cast_slice_mut(self.as_bytes_mut()));
        values?.ok()
    }

    /// Returns all elements, which must be of type `T`, as established by
    /// [`dispatch!`](crate::dispatch) or an earlier check.
    ///
    /// # Errors
    /// They are of another type, or a boolean value is neither 0 nor 1.
    pub fn values<T: Element>(&self) -> Result<&[T]> {
        self.as_slice()
            .ok_or_else(|| mistaken(self.dtype, T::DTYPE))
    }

    /// Does the same as [`values`](Self::values) for modification.
    ///
    /// # Errors
    /// As for [`values`](Self::values).
    pub fn values_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        let own = self.dtype;
        self.as_slice_mut().ok_or_else(|| mistaken(own, T::DTYPE))
    }

    /// Returns the storage: the elements in row-major order in native byte order, followed by up to
    /// seven undefined bytes.
    ///
    /// ```
    /// use spr_core::model::{Matrix, Rank};
    /// let matrix = Matrix::from_rows(&[1i16, 2, 3], 1, Rank::Vector)?;
    /// assert_eq!(matrix.into_words().len(), 1);
    /// # Ok::<(), spr_core::Error>(())
    /// ```
    pub fn into_words(mut self) -> Vec<u64> {
        let bytes = self.as_bytes().len();
        self.words.truncate(bytes.div_ceil(8));
        self.words
    }

    /// Passes the elements on to `put` in little-endian order, by pieces where the machine has the other one.
    ///
    /// # Errors
    /// `put` fails.
    pub fn put_little_endian(&self, mut put: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        const STEP: usize = 64 << 10;
        if ByteOrder::NATIVE == ByteOrder::Little {
            return put(self.as_bytes());
        }
        for part in self.as_bytes().chunks(STEP) {
            let mut bytes = part.to_vec();
            swap_in_place(&mut bytes, self.dtype.size());
            put(&bytes)?;
        }
        Ok(())
    }

    /// Returns an empty matrix that will use the memory of `words`, whose values are lost.
    ///
    /// ```
    /// use spr_core::model::Matrix;
    /// assert_eq!(Matrix::from_words(vec![7; 100]).rows(), 0);
    /// ```
    pub fn from_words(words: Vec<u64>) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }
}

fn mistaken(own: Dtype, wanted: Dtype) -> Error {
    match own {
        Dtype::Bool if wanted == Dtype::Bool => {
            Error::malformed("a truth value that is neither 0 nor 1")
        }
        _ => Error::malformed(format!("expected elements of {wanted}, found {own}")),
    }
}

/// Serialises the matrix for temporary files of one run: type, rank, rows, columns, bytes.
impl Serialize for Matrix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = Bytes::new(self.as_bytes());
        (self.dtype, self.rank, self.rows, self.cols, bytes).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Matrix {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (dtype, rank, rows, cols, bytes) =
            <(Dtype, Rank, usize, usize, &Bytes)>::deserialize(deserializer)?;
        let mut matrix = Self::default();
        let into = matrix.reset(dtype, rank, rows, cols, &Limits::NONE);
        match into.map_err(D::Error::custom)? {
            into if into.len() == bytes.len() => into.copy_from_slice(bytes),
            _ => return Err(D::Error::custom("a matrix of another size")),
        }
        Ok(matrix)
    }
}

impl PartialEq for Matrix {
    /// Compares type, shape and bits.
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
