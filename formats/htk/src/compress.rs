//! Compression to 16-bit integers, for files with the qualifier `_C`.

use spr_core::model::{CastStats, Matrix};
use spr_core::{Error, Result};

/// The largest integer used.
const MOST: f64 = 32767.0;

/// Compressed features. The value of an integer is `(integer + plus) / by`, with two numbers per
/// column.
pub(crate) struct CompressedFeatures {
    pub(crate) by: Vec<f32>,
    pub(crate) plus: Vec<f32>,
    /// Row after row.
    pub(crate) codes: Vec<i16>,
    /// The loss.
    pub(crate) stats: CastStats,
}

/// Returns the value of an integer.
pub(crate) fn undone(code: i16, plus: f32, by: f32) -> f32 {
    (f32::from(code) + plus) / by
}

impl CompressedFeatures {
    /// Scales the values of each column to the range of the integers.
    ///
    /// # Errors
    /// The features are not `f32`, or a value is not finite.
    pub(crate) fn of(features: &Matrix) -> Result<Self> {
        let (values, cols) = (features.values::<f32>()?, features.cols().max(1));
        let mut ranges = vec![(f32::INFINITY, f32::NEG_INFINITY); cols];
        for row in values.chunks_exact(cols) {
            for (value, (low, high)) in row.iter().zip(&mut ranges) {
                if !value.is_finite() {
                    let message = format!("holds {value}, which can't be compressed");
                    return Err(Error::unfit(message));
                }
                (*low, *high) = (low.min(*value), high.max(*value));
            }
        }
        let (by, plus): (Vec<_>, Vec<_>) = ranges.into_iter().map(spread).unzip();
        let mut codes = Vec::with_capacity(values.len());
        let mut stats = CastStats::default();
        for row in values.chunks_exact(cols) {
            for (value, (by, plus)) in row.iter().zip(by.iter().zip(&plus)) {
                let code = code(*value, *plus, *by);
                stats.count(*value, undone(code, *plus, *by));
                codes.push(code);
            }
        }
        Ok(Self {
            by,
            plus,
            codes,
            stats,
        })
    }
}

/// Returns the scale and the offset of a column.
#[expect(
    clippy::cast_possible_truncation,
    reason = "what does not fit is looked at"
)]
fn spread((low, high): (f32, f32)) -> (f32, f32) {
    let (range, sum) = (
        f64::from(high) - f64::from(low),
        f64::from(high) + f64::from(low),
    );
    let (by, plus) = ((2.0 * MOST / range) as f32, (sum * MOST / range) as f32);
    // A column is constant, or nearly so.
    match by.is_finite() && plus.is_finite() {
        true => (by, plus),
        false => (1.0, high),
    }
}

/// Returns the integer for a value.
#[expect(clippy::cast_possible_truncation, reason = "it is clamped")]
fn code(value: f32, plus: f32, by: f32) -> i16 {
    let code = f64::from(value) * f64::from(by) - f64::from(plus);
    // Scale and offset are rounded, so that the ends of a narrow range may exceed the integers.
    code.round().clamp(-MOST, MOST) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::Rank;

    fn compressed(values: &[f32], cols: usize) -> Result<CompressedFeatures> {
        CompressedFeatures::of(&Matrix::from_rows(values, cols, Rank::Matrix).unwrap())
    }

    #[test]
    fn a_column_fills_the_range_of_the_integers() {
        let c = compressed(&[-1.0, 5.0, 0.5, 5.0, 1.0, 5.0], 2).unwrap();
        assert_eq!((c.by[0], c.plus[0]), (32767.0, 0.0));
        // A constant column is restored exactly.
        assert_eq!((c.by[1], c.plus[1]), (1.0, 5.0));
        // Halves are rounded away from zero.
        assert_eq!(c.codes, [-32767, 0, 16384, 0, 32767, 0]);
        assert_eq!((c.stats.values, c.stats.changed), (6, 1));
    }

    #[test]
    fn narrow_and_wide_ranges_stay_near() {
        let near = |x: f32| x.next_up();
        for values in [
            [1000.0, near(1000.0)],
            [1e-30, 2e-30],
            [f32::MIN / 2.0, f32::MAX / 2.0],
            [0.0, 1e-33],
            [-3.0, 4000.0],
        ] {
            let c = compressed(&values, 1).unwrap();
            let range = f64::from(values[1]) - f64::from(values[0]);
            let ulp = f64::from(near(values[1].abs())) - f64::from(values[1].abs());
            assert!(c.stats.max_abs_err <= range / 65_000.0 + ulp, "{values:?}");
            assert_eq!(c.stats.clipped, 0);
        }
        for value in [f32::NAN, f32::INFINITY] {
            assert!(compressed(&[0.0, value], 1).is_err());
        }
    }
}
