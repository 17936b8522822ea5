//! Feature columns brought to one scale.

use spr_core::Result;
use spr_core::dispatch;
use spr_core::model::{Element, Matrix};
use spr_stats::number;

/// The range of colours over feature columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Normalisation {
    /// One range of values for all columns.
    #[default]
    None,
    /// Each column as deviations from its mean, so that a column with large values does not hide
    /// the others.
    Column,
}

/// The mean and the standard deviation of each column, over finite values.
pub(super) struct Scales(Vec<(f64, f64)>);

impl Scales {
    /// Returns the scales of the columns, or those that change nothing.
    ///
    /// # Errors
    /// A boolean value is neither 0 nor 1.
    pub(super) fn of(features: &Matrix, by: Normalisation) -> Result<Self> {
        let mut scales = Self(Vec::new());
        if by == Normalisation::Column {
            dispatch!(features.dtype(), T => {
                scales.measure(features.values::<T>()?, features.cols());
            });
        }
        Ok(scales)
    }

    fn measure<T: Element>(&mut self, values: &[T], dim: usize) {
        // Welford's sums: count, mean, squared deviations.
        let mut sums = vec![(0.0, 0.0, 0.0); dim];
        for row in values.chunks_exact(dim.max(1)) {
            for ((n, mean, squares), value) in sums.iter_mut().zip(row) {
                let value = number(*value);
                if value.is_finite() {
                    *n += 1.0;
                    let away = value - *mean;
                    *mean += away / *n;
                    *squares += away * (value - *mean);
                }
            }
        }
        let scale = |(n, mean, squares): (f64, f64, f64)| {
            let deviation: f64 = (squares / n).sqrt();
            // A constant column is drawn as its mean.
            let usable = deviation.is_finite() && deviation > 0.0;
            (mean, if usable { deviation } else { 1.0 })
        };
        self.0 = sums.into_iter().map(scale).collect();
    }

    /// Returns the value of a column on its scale.
    pub(super) fn apply(&self, column: usize, value: f64) -> f64 {
        match self.0.get(column) {
            Some((mean, deviation)) => (value - mean) / deviation,
            None => value,
        }
    }
}
