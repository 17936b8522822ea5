//! Features as a heat map.

use spr_core::model::{Element, Matrix};
use spr_core::{Result, dispatch};
use spr_stats::number;

use super::colour::NONE;
use super::range::{BEYOND, Range};

/// Features as places on a colour scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// The number of the first column of the features, or the least of the numbers of a posterior.
    pub first: i64,
    /// Columns of the features, or numbers from the least to the greatest of a posterior.
    pub dim: usize,
    /// Cells in a row; each is the mean of the frames in it.
    pub cols: usize,
    /// Places on the scale from 0 to 254, row by row, the last feature first; 255 stands for no value.
    pub cells: Vec<u8>,
    /// Whether rows are numbers that occur, rather than columns.
    pub numbers: bool,
    /// The values at places 0 and 254, which all beyond them share.
    pub range: Range,
}

impl Heat {
    /// What stands above the field: what its rows are, and what values lie beyond the colours.
    pub(super) fn caption(&self) -> String {
        let rows = match self.numbers {
            // Which numbers there could be is not known.
            true => {
                let last = self.first + self.dim as i64 - 1;
                format!("number, from {} to {last} as occur", self.first)
            }
            false => "feature".to_owned(),
        };
        match self.range.note() {
            Some(note) => format!("{rows}; values {note}"),
            None => rows,
        }
    }

    /// Whether cells stand for no value, as all in them are NaN or infinite.
    pub(super) fn has_gaps(&self) -> bool {
        self.cells.contains(&NONE)
    }

    /// The means of `cols` times `rows` cells at most.
    ///
    /// # Errors
    /// A truth value is neither 0 nor 1.
    pub(super) fn of(features: &Matrix, cols: usize, rows: usize) -> Result<Self> {
        let (cols, rows) = (cols.min(features.rows()), rows.min(features.cols()));
        let mut sums = vec![(0.0, 0u32); cols * rows];
        dispatch!(features.dtype(), T => {
            pool(features.values::<T>()?, features, cols, &mut sums);
        });
        let means: Vec<_> = sums.iter().map(|(sum, n)| sum / f64::from(*n)).collect();
        let range = Range::of(means.iter().copied(), BEYOND);
        let Range { low, high, .. } = range;
        let level = |v: &f64| match v.is_finite() {
            true => level((v - low) / (high - low)),
            false => NONE,
        };
        Ok(Self {
            first: 0,
            dim: features.cols(),
            cols,
            cells: means.iter().map(level).collect(),
            numbers: false,
            range,
        })
    }
}

/// The place on the scale of a share; the middle where all values are the same.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped"
)]
pub(super) fn level(share: f64) -> u8 {
    match share.is_finite() {
        true => (share.clamp(0.0, 1.0) * 254.0).round() as u8,
        false => 127,
    }
}

/// Adds the finite values to the cells in which they lie, the last feature in the first row.
fn pool<T: Element>(values: &[T], features: &Matrix, cols: usize, sums: &mut [(f64, u32)]) {
    let (frames, dim) = (features.rows(), features.cols());
    let rows = sums.len() / cols.max(1);
    for (frame, row) in values.chunks_exact(dim.max(1)).enumerate() {
        let col = frame * cols / frames.max(1);
        for (i, value) in row.iter().enumerate() {
            let value = number(*value);
            let at = (rows - 1 - i * rows / dim) * cols + col;
            if let Some((sum, n)) = sums.get_mut(at).filter(|_| value.is_finite()) {
                *sum += value;
                *n += 1;
            }
        }
    }
}
