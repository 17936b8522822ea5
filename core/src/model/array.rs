//! Named arrays of any rank.

use serde::{Deserialize, Serialize};

use super::{Dtype, Matrix, Rank};
use crate::error::{Error, Result};
use crate::model::Limits;

/// A dense, row-major array of 0 to 8 dimensions with an element type known at run time.
///
/// ```
/// use spr_core::Limits;
/// use spr_core::model::{Array, Dtype};
/// let mut array = Array::new(Dtype::I16, &[2, 1, 3], &Limits::default())?;
/// array.values_mut().values_mut::<i16>()?.fill(7);
/// assert_eq!((array.shape(), array.values().len()), (&[2, 1, 3][..], 6));
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Array {
    shape: Vec<usize>,
    /// All elements as a vector.
    values: Matrix,
}

impl Array {
    /// The largest number of dimensions.
    pub const MOST: usize = 8;

    /// Creates an array of this shape, to be filled; without dimensions it has one element.
    ///
    /// # Errors
    /// There are too many dimensions, or the size exceeds `limits`.
    pub fn new(dtype: Dtype, shape: &[usize], limits: &Limits) -> Result<Self> {
        let len = Self::count(shape)?;
        let mut values = Matrix::default();
        values.reset(dtype, Rank::Vector, len, 1, limits)?;
        values.as_bytes_mut().fill(0);
        Ok(Self {
            shape: shape.to_vec(),
            values,
        })
    }

    /// Reshapes the elements of `values`.
    ///
    /// # Errors
    /// There are too many dimensions, or the number of elements differs.
    pub fn of(mut values: Matrix, shape: &[usize]) -> Result<Self> {
        values.reshape(Rank::Vector, Self::count(shape)?, 1)?;
        Ok(Self {
            shape: shape.to_vec(),
            values,
        })
    }

    fn count(shape: &[usize]) -> Result<usize> {
        if shape.len() > Self::MOST {
            let message = format!(
                "{} dimensions, at most {} are possible",
                shape.len(),
                Self::MOST
            );
            return Err(Error::unsupported(message));
        }
        let count = shape
            .iter()
            .try_fold(1, |n: usize, size| n.checked_mul(*size));
        count.ok_or_else(|| Error::limit("an array of more elements than can be counted"))
    }

    /// Returns the sizes of the dimensions, the slowest first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the element type.
    pub fn dtype(&self) -> Dtype {
        self.values.dtype()
    }

    /// Returns all elements in row-major order as a vector.
    pub fn values(&self) -> &Matrix {
        &self.values
    }

    /// Converts the array to a vector of all elements in row-major order.
    pub fn into_values(self) -> Matrix {
        self.values
    }

    /// Returns all elements for modification; their number and type must not change.
    pub fn values_mut(&mut self) -> &mut Matrix {
        &mut self.values
    }
}

/// An array with its name.
///
/// ```
/// use spr_core::model::{Array, Matrix, NamedArray, Rank, Utterance};
///
/// let values = Matrix::from_rows(&[0.5f32, -1.0, 2.0, 0.25], 1, Rank::Vector)?;
/// let xvector = NamedArray { name: "xvector".to_owned(), array: Array::of(values, &[4])? };
/// let utt = Utterance { arrays: vec![xvector], ..Utterance::default() };
/// assert_eq!(utt.arrays[0].array.shape(), [4]);
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NamedArray {
    /// Its name: any text; unique in an utterance.
    pub name: String,
    /// Its elements.
    pub array: Array,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_checked() {
        let limits = Limits::default();
        let scalar = Array::new(Dtype::F64, &[], &limits).unwrap();
        assert_eq!(scalar.values().len(), 1);
        let empty = Array::new(Dtype::F64, &[3, 0, 2], &limits).unwrap();
        assert_eq!((empty.shape(), empty.values().len()), (&[3, 0, 2][..], 0));
        assert!(Array::new(Dtype::F64, &[1; 9], &limits).is_err());
        assert!(Array::new(Dtype::U8, &[usize::MAX, 2], &limits).is_err());
        let six = Matrix::from_rows(&[1u8, 2, 3, 4, 5, 6], 3, Rank::Matrix).unwrap();
        assert!(Array::of(six.clone(), &[2, 2]).is_err());
        assert_eq!(Array::of(six, &[3, 2]).unwrap().shape(), [3, 2]);
    }
}
