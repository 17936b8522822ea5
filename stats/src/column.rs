//! Columns of the features.

use serde::Serialize;
use spr_core::model::Element;

use super::number;

/// Columns are told apart up to this many; those beyond are summed up as one.
pub const MAX_COLUMNS: usize = 1 << 16;

/// One column of the features. NaN and infinite values are counted and otherwise left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Column {
    /// Finite values.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation: the root of the mean square distance from the mean.
    pub std: f64,
    /// The least.
    pub min: Option<f64>,
    /// The greatest.
    pub max: Option<f64>,
    /// Values that are not numbers.
    pub nan: u64,
    /// Values that are infinite.
    pub inf: u64,
    /// The sum of square distances from the mean.
    #[serde(skip)]
    squares: f64,
}

impl Column {
    /// Counts a value; `mean` is the sum until [`centre`](Self::centre).
    #[inline]
    fn see(&mut self, value: f64) {
        match value {
            v if v.is_finite() => {
                self.count += 1;
                self.mean += v;
                self.min = Some(self.min.map_or(v, |m| m.min(v)));
                self.max = Some(self.max.map_or(v, |m| m.max(v)));
            }
            v if v.is_nan() => self.nan += 1,
            _ => self.inf += 1,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts as weights")]
    fn centre(&mut self) {
        self.mean /= self.count.max(1) as f64;
    }

    /// Adds the distance of a value from the mean.
    #[inline]
    fn spread(&mut self, value: f64) {
        let apart = value - self.mean;
        if apart.is_finite() {
            self.squares += apart * apart;
        }
    }

    /// Adds what is known of other values of the same column, as Chan, Golub and LeVeque do.
    #[expect(clippy::cast_precision_loss, reason = "counts as weights")]
    pub(crate) fn merge(&mut self, other: &Self) {
        self.nan += other.nan;
        self.inf += other.inf;
        if other.count == 0 {
            return;
        }
        let (mine, theirs) = (self.count as f64, other.count as f64);
        let apart = other.mean - self.mean;
        let share = theirs / (mine + theirs);
        self.mean += apart * share;
        self.squares += other.squares + apart * apart * mine * share;
        self.count += other.count;
        self.min = self.min.into_iter().chain(other.min).reduce(f64::min);
        self.max = self.max.into_iter().chain(other.max).reduce(f64::max);
    }

    #[expect(clippy::cast_precision_loss, reason = "counts as weights")]
    pub(crate) fn finish(&mut self) {
        if self.count > 0 {
            self.std = (self.squares / self.count as f64).sqrt();
        }
    }
}

/// The columns of one matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) columns: Vec<Column>,
    /// The values of all columns beyond [`MAX_COLUMNS`].
    pub(crate) beyond: Column,
}

impl Block {
    /// Sums up rows of `cols` values. First come the means, then the distances from them: nothing
    /// cancels out.
    pub(crate) fn fill<T: Element>(&mut self, values: &[T], cols: usize) {
        self.columns.clear();
        self.columns
            .resize(cols.min(MAX_COLUMNS), Column::default());
        self.beyond = Column::default();
        self.each(values, cols, Column::see);
        self.columns.iter_mut().for_each(Column::centre);
        self.beyond.centre();
        self.each(values, cols, Column::spread);
    }

    #[inline]
    fn each<T: Element>(&mut self, values: &[T], cols: usize, act: impl Fn(&mut Column, f64)) {
        for row in values.chunks_exact(cols) {
            let (near, far) = row.split_at(self.columns.len());
            for (column, value) in self.columns.iter_mut().zip(near) {
                act(column, number(*value));
            }
            for value in far {
                act(&mut self.beyond, number(*value));
            }
        }
    }
}
