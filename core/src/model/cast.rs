//! Casts between element types, with a measure of the loss.

use super::{Dtype, Matrix};
use crate::error::Result;
use crate::model::Limits;
use crate::number::{Element, Wide, dispatch};

/// The effect of a cast on the values.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CastStats {
    /// The number of values.
    pub values: u64,
    /// The number of values that have changed.
    pub changed: u64,
    /// The number of these that were out of range of the new type, or not finite and not
    /// representable.
    pub clipped: u64,
    /// The largest difference among changed values that were not clipped.
    pub max_abs_err: f64,
    /// The largest difference among clipped values, which may be infinite, but for NaN.
    pub max_clip_err: f64,
}

impl CastStats {
    /// Compares values with their results `to`, one for each.
    pub fn of<A: Element, B: Element>(from: &[A], to: &[B]) -> Self {
        let mut stats = Self {
            values: from.len() as u64,
            ..Self::default()
        };
        for (a, b) in from.iter().zip(to) {
            stats.compare(a.to_wide(), b.to_wide());
        }
        stats
    }

    /// Counts a value with its result `to`.
    #[inline]
    pub fn count<A: Element, B: Element>(&mut self, from: A, to: B) {
        self.values += 1;
        self.compare(from.to_wide(), to.to_wide());
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.values += other.values;
        self.changed += other.changed;
        self.clipped += other.clipped;
        self.max_abs_err = self.max_abs_err.max(other.max_abs_err);
        self.max_clip_err = self.max_clip_err.max(other.max_clip_err);
    }

    /// Counts a clipped value, which differs by `error`.
    #[inline]
    pub(crate) fn add_clipped(&mut self, error: f64) {
        self.clipped += 1;
        self.max_clip_err = self.max_clip_err.max(error.abs());
    }

    /// Counts the effect on one value.
    #[inline]
    fn compare(&mut self, from: Wide, to: Wide) {
        let (same, error) = match (from, to) {
            (Wide::Int(x), Wide::Int(y)) => (x == y, difference_int(x, y)),
            (Wide::Float(x), Wide::Float(y)) => (x == y || (x.is_nan() && y.is_nan()), x - y),
            (Wide::Int(x), Wide::Float(y)) => (int_equals(x, y), difference(x, y)),
            (Wide::Float(x), Wide::Int(y)) => (int_equals(y, x), difference(y, x)),
        };
        if !same {
            self.changed += 1;
            if is_clipped(from, to) {
                self.add_clipped(error);
            } else {
                self.max_abs_err = self.max_abs_err.max(error.abs());
            }
        }
    }
}

impl Matrix {
    /// Casts the elements to type `to`, each to its nearest value, and measures the change.
    ///
    /// 64-bit integers never pass through floating point. NaN stays NaN among floats and becomes 0
    /// (counted as clipped) among integers.
    ///
    /// # Errors
    /// The result would exceed `limits`.
    pub fn cast(&mut self, to: Dtype, limits: &Limits) -> Result<CastStats> {
        let from = self.dtype();
        if from == to {
            return Ok(CastStats {
                values: self.len() as u64,
                ..CastStats::default()
            });
        }
        let source = std::mem::take(self);
        self.reset(to, source.rank(), source.rows(), source.cols(), limits)?;
        Ok(dispatch!(from, A => dispatch!(to, B => {
            convert(source.values::<A>()?, self.values_mut::<B>()?)
        })))
    }
}

fn convert<A: Element, B: Element>(from: &[A], to: &mut [B]) -> CastStats {
    let mut stats = CastStats {
        values: from.len() as u64,
        ..CastStats::default()
    };
    if A::DTYPE.fits(B::DTYPE) {
        for (a, b) in from.iter().zip(to) {
            *b = B::nearest(a.to_wide());
        }
        return stats;
    }
    for (a, b) in from.iter().zip(to) {
        let wide = a.to_wide();
        *b = B::nearest(wide);
        stats.compare(wide, b.to_wide());
    }
    stats
}

/// Returns `true` if a changed value was out of range and not only rounded.
fn is_clipped(from: Wide, to: Wide) -> bool {
    match (from, to) {
        (Wide::Int(_), Wide::Int(_)) => true,
        (Wide::Float(x), Wide::Float(y)) => !x.is_finite() || !y.is_finite(),
        (Wide::Int(_), Wide::Float(y)) => !y.is_finite(),
        (Wide::Float(x), Wide::Int(y)) => !x.is_finite() || difference(y, x).abs() > 0.5,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "only the size of the error is wanted"
)]
fn difference_int(x: i128, y: i128) -> f64 {
    (x - y) as f64
}

/// Returns `int - float`, exact if the float is an integer.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "checked before"
)]
fn difference(int: i128, float: f64) -> f64 {
    if float.fract() == 0.0 && float.abs() < 1e30 {
        (int - float as i128) as f64
    } else {
        int as f64 - float
    }
}

fn int_equals(int: i128, float: f64) -> bool {
    float.is_finite() && float.fract() == 0.0 && difference(int, float) == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Rank;

    fn cast<A: Element, B: Element>(values: &[A]) -> (Vec<B>, CastStats) {
        let mut matrix = Matrix::from_rows(values, 1, Rank::Vector).unwrap();
        let stats = matrix.cast(B::DTYPE, &Limits::default()).unwrap();
        (matrix.values::<B>().unwrap().to_vec(), stats)
    }

    #[test]
    fn exact_values_are_no_loss() {
        let (values, stats) = cast::<f64, f32>(&[1.0, -0.5, f64::NAN, f64::INFINITY]);
        assert_eq!(values[..2], [1.0, -0.5]);
        assert!(values[2].is_nan() && values[3] == f32::INFINITY);
        assert_eq!(stats.changed, 0);
        let (values, stats) = cast::<i64, f64>(&[1 << 53, -7]);
        assert_eq!((values, stats.changed), (vec![9007199254740992.0, -7.0], 0));
    }

    #[test]
    fn measures_precision() {
        let (_, stats) = cast::<f64, f32>(&[0.1, 0.5]);
        assert_eq!((stats.changed, stats.clipped), (1, 0));
        assert!((stats.max_abs_err - 1.490116e-9).abs() < 1e-14);
        let (values, stats) = cast::<i64, f64>(&[(1 << 53) + 1]);
        assert_eq!(values, [9007199254740992.0]);
        assert_eq!(
            (stats.changed, stats.clipped, stats.max_abs_err),
            (1, 0, 1.0)
        );
        let (values, stats) = cast::<f32, i16>(&[1.25]);
        assert_eq!((values[0], stats.changed, stats.clipped), (1, 1, 0));
        assert_eq!(stats.max_abs_err, 0.25);
    }

    #[test]
    fn counts_are_added_and_errors_are_not() {
        let (_, mut stats) = cast::<f32, i16>(&[1.25, 4.0]);
        let (_, others) = cast::<f32, i16>(&[2.5, 1e9, 3.0]);
        stats.add(&others);
        assert_eq!((stats.values, stats.changed, stats.clipped), (5, 3, 1));
        assert_eq!(stats.max_abs_err, 0.5);
        assert_eq!(stats.max_clip_err, 1e9 - 32767.0);
    }

    #[test]
    fn counts_what_leaves_the_range() {
        let (values, stats) = cast::<f64, f32>(&[1e300]);
        assert_eq!((values[0], stats.clipped), (f32::INFINITY, 1));
        let (values, stats) = cast::<i32, i16>(&[70000, -70000, 3]);
        assert_eq!(
            (values, stats.changed, stats.clipped),
            (vec![32767, -32768, 3], 2, 2)
        );
        let (values, stats) = cast::<f32, i32>(&[f32::NAN, 3e9]);
        assert_eq!((values, stats.clipped), (vec![0, i32::MAX], 2));
        let (values, stats) = cast::<u64, i64>(&[u64::MAX]);
        assert_eq!((values, stats.clipped), (vec![i64::MAX], 1));
    }
}
