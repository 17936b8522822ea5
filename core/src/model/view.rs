//! Matrices as arrays of `ndarray`, and arrays as matrices.

use ndarray::{ArrayBase, ArrayView2, ArrayViewMut2, Data, Ix1, Ix2};

use super::{Element, Matrix, Rank};

impl Matrix {
    /// Returns the elements as a two-dimensional array, if they are of type `T`.
    pub fn view<T: Element>(&self) -> Option<ArrayView2<'_, T>> {
        ArrayView2::from_shape((self.rows(), self.cols()), self.as_slice()?).ok()
    }

    /// The elements as a two-dimensional array to change, if they are of type `T`.
    pub fn view_mut<T: Element>(&mut self) -> Option<ArrayViewMut2<'_, T>> {
        let shape = (self.rows(), self.cols());
        ArrayViewMut2::from_shape(shape, self.as_slice_mut()?).ok()
    }
}

/// Copies an array or a view. Its rows are the frames, whatever the order of its elements in memory.
///
/// ```
/// use spr_core::model::{Matrix, Rank};
/// use spr_core::ndarray::array;
/// let columns = array![[1.0f32, 3.0, 5.0], [2.0, 4.0, 6.0]];
/// let matrix = Matrix::from(columns.t());
/// assert_eq!(matrix.values::<f32>()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!((matrix.rows(), matrix.cols(), matrix.rank()), (3, 2, Rank::Matrix));
/// # Ok::<(), spr_core::Error>(())
/// ```
impl<S: Data<Elem: Element>> From<ArrayBase<S, Ix2>> for Matrix {
    fn from(array: ArrayBase<S, Ix2>) -> Self {
        let (rows, cols) = array.dim();
        let mut matrix = Self::zeros(S::Elem::DTYPE, Rank::Matrix, rows, cols);
        if let Some(mut values) = matrix.view_mut() {
            values.assign(&array);
        }
        matrix
    }
}

/// Copies an array or a view of one dimension as a vector, such as the labels of frames.
impl<S: Data<Elem: Element>> From<ArrayBase<S, Ix1>> for Matrix {
    fn from(array: ArrayBase<S, Ix1>) -> Self {
        let mut matrix = Self::zeros(S::Elem::DTYPE, Rank::Vector, array.len(), 1);
        if let Some(values) = matrix.as_slice_mut() {
            let pairs = values.iter_mut().zip(&array);
            pairs.for_each(|(to, from)| *to = *from);
        }
        matrix
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, Axis, ShapeBuilder, array, s};

    use super::*;
    use crate::model::Dtype;

    fn values<T: Element>(matrix: &Matrix) -> Vec<T> {
        matrix.values().unwrap().to_vec()
    }

    #[test]
    fn arrays_in_any_order_keep_their_rows() {
        let rows = [1i16, 2, 3, 4, 5, 6];
        let usual = Array2::from_shape_vec((3, 2), rows.to_vec()).unwrap();
        let fortran = Array2::from_shape_vec((3, 2).f(), vec![1i16, 3, 5, 2, 4, 6]).unwrap();
        let mut reversed = usual.slice(s![..;-1, ..;-1]).to_owned();
        reversed.invert_axis(Axis(0));
        reversed.invert_axis(Axis(1));
        let wide = array![[1i16, 0, 2], [3, 0, 4], [5, 0, 6]];
        for matrix in [
            Matrix::from(usual.view()),
            Matrix::from(fortran.view()),
            Matrix::from(fortran),
            Matrix::from(reversed),
            Matrix::from(wide.slice(s![.., ..;2])),
            Matrix::from(usual.t().to_owned().reversed_axes()),
        ] {
            assert_eq!(values::<i16>(&matrix), rows);
            assert_eq!((matrix.rows(), matrix.cols()), (3, 2));
        }
        let backwards = Matrix::from(usual.slice(s![..;-1, ..]));
        assert_eq!(values::<i16>(&backwards), [5, 6, 3, 4, 1, 2]);
        let once = array![[7.5f64, 8.5]];
        let repeated = Matrix::from(once.broadcast((2, 2)).unwrap());
        assert_eq!(values::<f64>(&repeated), [7.5, 8.5, 7.5, 8.5]);
        assert_eq!(Matrix::from(usual.clone()).view::<i16>().unwrap(), usual);
    }

    #[test]
    fn an_array_of_one_dimension_is_a_vector() {
        let labels = array![0i32, 1, 2, 3, 4, 5];
        let odd = Matrix::from(labels.slice(s![1..;2]));
        assert_eq!(values::<i32>(&odd), [1, 3, 5]);
        assert_eq!((odd.rank(), odd.rows(), odd.cols()), (Rank::Vector, 3, 1));
        let truth = Matrix::from(array![true, false]);
        assert_eq!(
            (truth.dtype(), values(&truth)),
            (Dtype::Bool, vec![true, false])
        );
    }

    #[test]
    fn what_is_empty_keeps_its_shape() {
        for shape in [(0, 0), (0, 4), (4, 0)] {
            let matrix = Matrix::from(Array2::<f32>::zeros(shape));
            assert_eq!((matrix.rows(), matrix.cols()), shape);
            assert_eq!(matrix.dtype(), Dtype::F32);
        }
    }
}
