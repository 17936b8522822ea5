//! Sums over frames.

use crate::error::{Error, Result};
use crate::model::{Limits, Matrix, Rank, Utterance};
use crate::number::{Element, Wide, dispatch};

/// The least variance, as in Kaldi: a smaller one, of a column that is constant, is taken as this.
const FLOOR: f64 = 1e-20;

/// The number of frames, and of each column the sum of values and of squares.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sums {
    count: f64,
    values: Vec<f64>,
    /// Empty if stored statistics are for means alone.
    squares: Vec<f64>,
}

/// What is subtracted from each column, and what the rest is multiplied by.
pub(super) struct Normaliser {
    means: Vec<f64>,
    /// Empty if only means are subtracted.
    scales: Vec<f64>,
    /// The first column whose variance was below the floor.
    pub(super) floored: Option<usize>,
}

impl Sums {
    /// Adds the frames of a matrix.
    ///
    /// # Errors
    /// It has integers, or another number of columns than those before.
    pub(super) fn add(&mut self, features: &Matrix) -> Result<()> {
        check_type(features)?;
        let cols = features.cols();
        if self.values.is_empty() {
            (self.values, self.squares) = (vec![0.0; cols], vec![0.0; cols]);
        } else if self.values.len() != cols {
            let before = self.values.len();
            return Err(Error::unfit(format!(
                "has {cols} columns, those before it {before}"
            )));
        }
        if cols == 0 {
            return Ok(());
        }
        dispatch!(features.dtype(), T => for frame in features.values::<T>()?.chunks_exact(cols) {
            for ((value, sum), square) in frame.iter().zip(&mut self.values).zip(&mut self.squares) {
                let value = float(*value);
                *sum += value;
                *square += value * value;
            }
        });
        self.count += rows(features);
        Ok(())
    }

    /// Takes statistics as Kaldi stores them: two rows of one column more than features have, or the
    /// first of these alone. The first row has the sums, and last the number of frames; the second the
    /// sums of squares, and last 0.
    ///
    /// # Errors
    /// The matrix has another shape.
    pub(super) fn stored(matrix: &Matrix) -> Result<Self> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let wrong = || {
            let message = format!("has {rows} rows of {cols} columns, statistics have 1 or 2 rows");
            Error::unfit(message)
                .hint("compute-cmvn-stats and the stage cmvn-stats make statistics")
        };
        if !matches!(rows, 1 | 2) || cols < 2 || matrix.rank() != Rank::Matrix {
            return Err(wrong());
        }
        let mut values = Vec::with_capacity(rows * cols);
        dispatch!(matrix.dtype(), T => values.extend(matrix.values::<T>()?.iter().map(|v| float(*v))));
        let (first, second) = values.split_at(cols);
        let Some((count, sums)) = first.split_last() else {
            return Err(wrong());
        };
        Ok(Self {
            count: *count,
            values: sums.to_vec(),
            squares: second.iter().take(sums.len()).copied().collect(),
        })
    }

    /// Gives them as Kaldi stores them.
    ///
    /// # Errors
    /// There are too many columns for `limits`.
    pub(super) fn store(&self, into: &mut Matrix, limits: &Limits) -> Result<()> {
        let cols = self.values.len() + 1;
        into.start(crate::number::Dtype::F64, Rank::Matrix, cols);
        let rows = [&self.values[..], &[self.count], &self.squares, &[0.0]].concat();
        into.extend_from(&rows, limits)
    }

    /// Returns the size in memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        (self.values.len() + self.squares.len()) * size_of::<f64>()
    }

    /// Returns the means, and with `variance` the scales that make variances 1.
    ///
    /// # Errors
    /// There is less than one frame, squares are missing, or a number is not finite.
    pub(super) fn normaliser(&self, variance: bool) -> Result<Normaliser> {
        // As in Kaldi, where statistics of one frame may stand for an offset.
        if self.count.is_nan() || self.count < 1.0 {
            let message = format!(
                "the statistics are of {} frames, at least 1 is needed",
                self.count
            );
            return Err(Error::unfit(message));
        }
        if variance && self.squares.is_empty() {
            let message = "the statistics have no squares, which the variance is computed from";
            return Err(Error::unfit(message).hint("leave out vars"));
        }
        let means: Vec<_> = self.values.iter().map(|sum| sum / self.count).collect();
        let (mut scales, mut floored) = (Vec::new(), None);
        if variance {
            for (column, (square, mean)) in self.squares.iter().zip(&means).enumerate() {
                let mut variance = square / self.count - mean * mean;
                if variance < FLOOR {
                    floored = floored.or(Some(column));
                    variance = FLOOR;
                }
                scales.push(1.0 / variance.sqrt());
            }
        }
        match means.iter().chain(&scales).all(|number| number.is_finite()) {
            true => Ok(Normaliser {
                means,
                scales,
                floored,
            }),
            false => Err(Error::unfit("the statistics hold infinity or NaN")),
        }
    }
}

impl Normaliser {
    /// Normalises features: `(value - mean) * scale` in 64 bits, rounded once to their type.
    ///
    /// # Errors
    /// They have integers, or another number of columns than the statistics.
    pub(super) fn apply(&self, features: &mut Matrix) -> Result<()> {
        check_type(features)?;
        let (cols, known) = (features.cols(), self.means.len());
        if cols != known {
            let message = format!("has {cols} columns, the statistics are of {known}");
            return Err(Error::unfit(message));
        }
        if cols == 0 {
            return Ok(());
        }
        dispatch!(features.dtype(), T => for frame in features.values_mut::<T>()?.chunks_exact_mut(cols) {
            match self.scales.is_empty() {
                true => for (value, mean) in frame.iter_mut().zip(&self.means) {
                    *value = T::nearest(Wide::Float(float(*value) - mean));
                },
                false => for ((value, mean), scale) in frame.iter_mut().zip(&self.means).zip(&self.scales) {
                    *value = T::nearest(Wide::Float((float(*value) - mean) * scale));
                },
            }
        });
        Ok(())
    }
}

/// Returns the features of an utterance.
///
/// # Errors
/// It has none.
pub(super) fn features_of(utt: &Utterance) -> Result<&Matrix> {
    let features = utt.features.as_ref();
    features.ok_or_else(|| Error::unfit("has no features to normalise"))
}

/// Refuses integers: what is left of them after the mean is not one.
fn check_type(features: &Matrix) -> Result<()> {
    match features.dtype() {
        dtype if dtype.is_float() => Ok(()),
        dtype => {
            let message = format!("has features of {dtype}, and only floats can be normalised");
            Err(Error::unfit(message))
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "frames are fewer than 2^53")]
fn rows(features: &Matrix) -> f64 {
    features.rows() as f64
}

#[inline]
#[expect(
    clippy::cast_precision_loss,
    reason = "integers occur as statistics only, as large as a count of frames"
)]
fn float<T: Element>(value: T) -> f64 {
    match value.to_wide() {
        Wide::Float(value) => value,
        Wide::Int(value) => value as f64,
    }
}
