//! The columns of the features.

use serde::Serialize;
use spr_core::model::{Element, Key, Matrix};
use spr_core::{Result, dispatch};

use crate::number::number;

/// The number of columns that are told apart. Those beyond are summed up as one.
pub const MAX_COLUMNS: usize = 1 << 16;

/// The number of utterances with values that are not finite that are named.
const NAMED: usize = 3;

/// Statistics of one feature column. NaN and infinite values are counted and otherwise ignored.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Column {
    /// Finite values.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation: the root of the mean square distance from the mean.
    pub std: f64,
    /// The smallest value.
    pub min: Option<f64>,
    /// The largest value.
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

    /// Adds the statistics of other values of the same column, by the method of Chan, Golub and
    /// LeVeque.
    #[expect(clippy::cast_precision_loss, reason = "counts as weights")]
    fn merge(&mut self, other: &Self) {
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
    fn finish(&mut self) {
        if self.count > 0 {
            self.std = (self.squares / self.count as f64).sqrt();
        }
    }
}

/// The columns of the features of a data set.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The number of columns.
    pub count: usize,
    /// The columns, up to [`MAX_COLUMNS`].
    pub each: Vec<Column>,
    /// The columns beyond these, summed up as one.
    pub beyond: Option<Column>,
    /// The number of utterances with values that are NaN or infinite.
    pub odd: u64,
    /// The first of these utterances.
    pub odd_keys: Vec<Key>,
    block: Block,
}

impl Columns {
    /// Adds the features of an utterance.
    pub(crate) fn add(&mut self, features: &Matrix, key: &Key) -> Result<()> {
        if features.is_empty() {
            return Ok(());
        }
        let cols = features.cols();
        let block = &mut self.block;
        dispatch!(features.dtype(), T => block.fill(features.values::<T>()?, cols));
        self.count = self.count.max(cols);
        let told_apart = self.count.min(MAX_COLUMNS);
        self.each.resize(told_apart, Column::default());
        for (column, other) in self.each.iter_mut().zip(&block.columns) {
            column.merge(other);
        }
        if cols > MAX_COLUMNS {
            self.beyond.get_or_insert_default().merge(&block.beyond);
        }
        let mut all = block.columns.iter().chain([&block.beyond]);
        if all.any(|column| column.nan + column.inf > 0) {
            self.odd += 1;
            if self.odd_keys.len() < NAMED {
                self.odd_keys.push(key.clone());
            }
        }
        Ok(())
    }

    /// Calculates the standard deviations of all that was added.
    pub(crate) fn finish(&mut self) {
        let all = self.each.iter_mut().chain(&mut self.beyond);
        all.for_each(Column::finish);
    }

    /// Sums up the columns from `first` on as one; `None` if there are none.
    pub fn from(&self, first: usize) -> Option<Column> {
        let told_apart = self.each.get(first..).unwrap_or_default();
        let mut all = told_apart.iter().chain(&self.beyond).peekable();
        all.peek()?;
        let mut sum = Column::default();
        all.for_each(|column| sum.merge(column));
        sum.finish();
        Some(sum)
    }
}

/// The columns of one matrix.
#[derive(Clone, Debug, Default)]
struct Block {
    columns: Vec<Column>,
    /// The values of all columns beyond [`MAX_COLUMNS`].
    beyond: Column,
}

impl Block {
    /// Sums up rows of `cols` values: first the means, then the distances from them, so that
    /// nothing cancels out.
    fn fill<T: Element>(&mut self, values: &[T], cols: usize) {
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
