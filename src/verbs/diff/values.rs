//! Comparison of numbers.

use spr_core::model::{Element, Matrix, Wide};
use spr_core::{Result, dispatch};

/// The accepted difference between values: `|a - b| <= atol + rtol * |b|`. NaN equals NaN, and
/// numbers of different types are equal if their values are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tolerance {
    /// The absolute part.
    pub atol: f64,
    /// The relative part.
    pub rtol: f64,
}

/// A pair of values that differ.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// The row, which is the frame.
    pub row: usize,
    /// The column.
    pub col: usize,
    /// The value in the first data set, as text that reads back to it.
    pub a: String,
    /// The value in the second.
    pub b: String,
    /// The absolute difference; infinite if one is NaN or infinite.
    pub apart: f64,
}

/// The result of comparing two matrices of the same shape.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The number of values that differ.
    pub differ: u64,
    /// The number of values.
    pub of: u64,
    /// The first pair that differs.
    pub first: Spot,
    /// The pair that differs most.
    pub worst: Spot,
}

impl Tolerance {
    /// Returns `true` if no difference is accepted.
    pub(super) fn is_exact(&self) -> bool {
        self.atol == 0.0 && self.rtol == 0.0
    }

    /// Returns `true` if the difference of two numbers is accepted.
    pub(super) fn is_close(&self, a: f64, b: f64) -> bool {
        self.apart(Wide::Float(a), Wide::Float(b)).is_none()
    }

    /// Returns the difference of two values, if it is not accepted.
    #[expect(clippy::cast_precision_loss, reason = "integers that far apart differ")]
    fn apart(&self, a: Wide, b: Wide) -> Option<f64> {
        let (apart, size) = match (a, b) {
            (Wide::Int(a), Wide::Int(b)) if a == b => return None,
            (Wide::Int(a), Wide::Int(b)) => ((a - b).unsigned_abs() as f64, b as f64),
            (Wide::Float(a), Wide::Float(b)) => (self.floats(a, b)?, b),
            (Wide::Int(a), Wide::Float(b)) => (Self::mixed(a, b)?, b),
            (Wide::Float(a), Wide::Int(b)) => (Self::mixed(b, a)?, b as f64),
        };
        let allowed = self.atol + self.rtol * size.abs();
        // No value is close to an infinite one.
        (apart > allowed || apart.is_infinite()).then_some(apart)
    }

    fn floats(&self, a: f64, b: f64) -> Option<f64> {
        match (a == b, a.is_nan(), b.is_nan()) {
            (true, ..) | (_, true, true) => None,
            (_, true, _) | (.., true) => Some(f64::INFINITY),
            _ => Some((a - b).abs()),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "both ways, so that nothing is rounded unseen"
    )]
    fn mixed(int: i128, float: f64) -> Option<f64> {
        if int as f64 == float && float as i128 == int {
            return None;
        }
        if float.fract() == 0.0 && float.abs() < 1e30 {
            return Some((int - float as i128).unsigned_abs() as f64);
        }
        let apart = (int as f64 - float).abs();
        Some(if apart.is_nan() { f64::INFINITY } else { apart })
    }

    /// Compares two lists of numbers pairwise.
    pub(super) fn compare(
        &self,
        pairs: impl Iterator<Item = (Wide, Wide)>,
        cols: usize,
        of: u64,
    ) -> Option<Values> {
        let mut found: Option<Values> = None;
        for (i, (a, b)) in pairs.enumerate() {
            let Some(apart) = self.apart(a, b) else {
                continue;
            };
            let spot = || Spot {
                row: i / cols.max(1),
                col: i % cols.max(1),
                a: text(a),
                b: text(b),
                apart,
            };
            match &mut found {
                None => {
                    found = Some(Values {
                        differ: 1,
                        of,
                        first: spot(),
                        worst: spot(),
                    });
                }
                Some(found) => {
                    found.differ += 1;
                    if apart > found.worst.apart {
                        found.worst = spot();
                    }
                }
            }
        }
        found
    }

    /// Compares the values of two matrices of the same shape. Returns `None` if they are equal.
    ///
    /// # Errors
    /// None with matrices as they should be.
    pub fn matrices(&self, a: &Matrix, b: &Matrix) -> Result<Option<Values>> {
        if a.dtype() == b.dtype() && a.as_bytes() == b.as_bytes() {
            return Ok(None);
        }
        let (cols, of) = (a.cols(), a.len() as u64);
        if a.dtype() != b.dtype() {
            return Ok(self.compare(wide(a)?.zip(wide(b)?), cols, of));
        }
        Ok(dispatch!(a.dtype(), T => {
            let pairs = a.values::<T>()?.iter().zip(b.values::<T>()?);
            self.compare(pairs.map(|(a, b)| (a.to_wide(), b.to_wide())), cols, of)
        }))
    }
}

/// Returns the values of a matrix of any type.
fn wide(matrix: &Matrix) -> Result<Box<dyn Iterator<Item = Wide> + '_>> {
    Ok(dispatch!(matrix.dtype(), T => {
        Box::new(matrix.values::<T>()?.iter().map(|value| value.to_wide()))
    }))
}

fn text(value: Wide) -> String {
    match value {
        Wide::Int(v) => v.to_string(),
        Wide::Float(v) => {
            let mut out = Vec::new();
            // An f32 is shown with as many digits as it needs.
            #[expect(clippy::cast_possible_truncation, reason = "compared with the whole")]
            match v as f32 {
                narrow if f64::from(narrow) == v => narrow.print(&mut out),
                _ => v.print(&mut out),
            }
            String::from_utf8_lossy(&out).into_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::Limits;
    use spr_core::model::{Dtype, Rank};

    fn matrix<T: Element>(values: &[T]) -> Matrix {
        Matrix::from_rows(values, 2, Rank::Matrix).unwrap()
    }

    #[test]
    fn exact_by_default() {
        let exact = Tolerance::default();
        let a = matrix(&[1.0f32, f32::NAN, f32::INFINITY, -0.0]);
        let b = matrix(&[1.0f32, -f32::NAN, f32::INFINITY, 0.0]);
        assert_eq!(exact.matrices(&a, &b).unwrap(), None);
        let b = matrix(&[1.5f32, 0.0, f32::INFINITY, 0.25]);
        let found = exact.matrices(&a, &b).unwrap().unwrap();
        assert_eq!((found.differ, found.of), (3, 4));
        assert_eq!((found.first.row, found.first.col), (0, 0));
        assert_eq!((&*found.first.a, &*found.first.b), ("1", "1.5"));
        assert_eq!((found.worst.row, found.worst.col), (0, 1));
        assert_eq!(found.worst.apart, f64::INFINITY);
    }

    #[test]
    fn types_may_differ_values_not() {
        let exact = Tolerance::default();
        let ints = matrix(&[1i64, i64::MAX]);
        assert_eq!(
            exact
                .matrices(&ints, &matrix(&[1u64, i64::MAX as u64]))
                .unwrap(),
            None
        );
        // As f64 the integer would be rounded up.
        let found = exact
            .matrices(&ints, &matrix(&[1.0f64, i64::MAX as f64]))
            .unwrap()
            .unwrap();
        assert_eq!((found.differ, found.first.col), (1, 1));
        assert_eq!(
            exact
                .matrices(&matrix(&[0.5f32, 2.0]), &matrix(&[0.5f64, 2.0]))
                .unwrap(),
            None
        );
        assert!(
            exact
                .matrices(&matrix(&[0.1f32, 2.0]), &matrix(&[0.1f64, 2.0]))
                .unwrap()
                .is_some()
        );
    }

    #[test]
    fn tolerances() {
        let (a, b) = (matrix(&[100.0f64, 0.0]), matrix(&[101.0f64, 0.01]));
        let differ = |atol, rtol| {
            let found = Tolerance { atol, rtol }.matrices(&a, &b);
            found.unwrap().map_or(0, |v| v.differ)
        };
        assert_eq!(differ(0.0, 0.0), 2);
        assert_eq!(differ(0.01, 0.0), 1);
        assert_eq!(differ(1.0, 0.0), 0);
        assert_eq!(differ(0.0, 0.01), 1);
        assert_eq!(differ(0.01, 0.01), 0);
        let infinite = Tolerance {
            atol: f64::INFINITY,
            rtol: 0.0,
        };
        assert!(
            infinite
                .matrices(&matrix(&[f64::NAN, 1.0]), &b)
                .unwrap()
                .is_some()
        );
    }

    #[test]
    fn halves_and_truth_values_are_numbers() {
        let exact = Tolerance::default();
        let mut halves = matrix(&[0.5f32, 1.0]);
        halves.cast(Dtype::F16, &Limits::default()).unwrap();
        let same = exact.matrices(&halves, &matrix(&[0.5f64, 1.0]));
        assert_eq!(same.unwrap(), None);
        let truths = matrix(&[true, false]);
        assert_eq!(exact.matrices(&truths, &matrix(&[1u8, 0])).unwrap(), None);
        let found = exact.matrices(&truths, &halves).unwrap().unwrap();
        assert_eq!((found.differ, &*found.first.b), (2, "0.5"));
    }
}
