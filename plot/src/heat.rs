//! Features as a heat map.

use std::collections::BTreeMap;

use spr_core::model::{Element, Key, Matrix};
use spr_core::{Result, Symbols, dispatch};
use spr_stats::number;

use super::colour::NONE;
use super::counted;
use super::range::{BEYOND, Range};

/// Rows that may have names.
const NAMED: usize = 1000;

/// Features as places on a colour scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// The number of the first column of the features, or the least of the numbers of a posterior.
    pub first: i64,
    /// Columns of the features, or numbers of a posterior that have a row.
    pub dim: usize,
    /// Cells in a row; each is the mean of the frames in it.
    pub cols: usize,
    /// Places on the scale from 0 to 254, row by row, the last feature first; 255 stands for no value.
    pub cells: Vec<u8>,
    /// What rows are.
    pub rows: Rows,
    /// Values that are NaN or infinite.
    pub odd: u64,
    /// The values at places 0 and 254, which all beyond them share.
    pub range: Range,
}

/// What the rows of a heat map are.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// Columns of features.
    Features,
    /// All numbers from the least that occurs to the greatest, and the names of some.
    Numbers(BTreeMap<i64, String>),
    /// Only numbers that occur, with their names or as digits.
    Occurring(Vec<(i64, String)>),
}

impl Heat {
    /// What stands above the field: what its rows are, and what values lie beyond the colours.
    pub(super) fn caption(&self) -> String {
        let last = self.first + self.dim as i64 - 1;
        let mut parts = vec![match &self.rows {
            Rows::Features => "feature".to_owned(),
            // Which numbers there could be is not known.
            Rows::Numbers(_) => format!("number, from {} to {last} as occur", self.first),
            Rows::Occurring(ids) => format!("number, only the {} that occur", ids.len()),
        }];
        parts.extend(self.range.note().map(|note| format!("values {note}")));
        parts.extend(self.gaps().map(|gaps| format!("grey: {gaps}")));
        parts.join("; ")
    }

    /// How many values are NaN or infinite, if some are.
    pub(super) fn gaps(&self) -> Option<String> {
        let values = counted(self.odd, "value");
        (self.odd > 0).then(|| format!("{values} NaN/inf"))
    }

    /// Whether a cell has a colour of the scale.
    pub(super) fn has_values(&self) -> bool {
        self.cells.iter().any(|cell| *cell != NONE)
    }

    /// What rows are called, the lowest first, where they are more than columns counted from 0.
    pub(super) fn titles(&self) -> Option<Vec<String>> {
        match &self.rows {
            Rows::Occurring(ids) => Some(ids.iter().map(|(_, name)| name.clone()).collect()),
            Rows::Numbers(names) if !names.is_empty() => {
                let ids = (self.first..).take(self.dim);
                let title = |id: i64| names.get(&id).cloned().unwrap_or_else(|| id.to_string());
                Some(ids.map(title).collect())
            }
            _ => None,
        }
    }

    /// What the lowest and the highest row are called.
    pub(super) fn ends(&self) -> (String, String) {
        let titles = self.titles().unwrap_or_default();
        let last = self.first + self.dim as i64 - 1;
        match (titles.first(), titles.last()) {
            (Some(first), Some(last)) => (first.clone(), last.clone()),
            _ => (self.first.to_string(), last.to_string()),
        }
    }

    /// Puts names in place of numbers that have one.
    pub(super) fn name(&mut self, symbols: &Symbols) {
        let name_of = |id: i64| Some(Key::from(symbols.name_of(id)?).to_string());
        match &mut self.rows {
            Rows::Numbers(names) if self.dim <= NAMED => {
                let ids = (self.first..).take(self.dim);
                names.extend(ids.filter_map(|id| Some((id, name_of(id)?))));
            }
            Rows::Occurring(ids) => {
                for (id, title) in ids {
                    *title = name_of(*id).unwrap_or_else(|| title.clone());
                }
            }
            _ => {}
        }
    }

    /// The means of `cols` times `rows` cells at most.
    ///
    /// # Errors
    /// A truth value is neither 0 nor 1.
    pub(super) fn of(features: &Matrix, cols: usize, rows: usize) -> Result<Self> {
        let (cols, rows) = (cols.min(features.rows()), rows.min(features.cols()));
        let mut pool = Pool {
            cells: vec![Some((0.0, 0)); cols * rows],
            odd: 0,
            ends: (f64::INFINITY, f64::NEG_INFINITY),
        };
        dispatch!(features.dtype(), T => {
            pool.add(features.values::<T>()?, features, cols);
        });
        let mean = |cell: &Option<(f64, u32)>| cell.map_or(f64::NAN, |(sum, n)| sum / f64::from(n));
        let means: Vec<_> = pool.cells.iter().map(mean).collect();
        let mut range = Range::of(means.iter().copied(), BEYOND);
        if pool.ends.0 <= pool.ends.1 {
            // Means lie between the values, which are what is told.
            range.ends = pool.ends;
        }
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
            rows: Rows::Features,
            odd: pool.odd,
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

/// Values in the cells in which they lie.
struct Pool {
    /// Sums and counts; `None` where a value is not finite.
    cells: Vec<Option<(f64, u32)>>,
    odd: u64,
    ends: (f64, f64),
}

impl Pool {
    /// Adds all values, the last feature in the first row.
    fn add<T: Element>(&mut self, values: &[T], features: &Matrix, cols: usize) {
        let (frames, dim) = (features.rows(), features.cols());
        let rows = self.cells.len() / cols.max(1);
        for (frame, row) in values.chunks_exact(dim.max(1)).enumerate() {
            let col = frame * cols / frames.max(1);
            for (i, value) in row.iter().enumerate() {
                let value = number(*value);
                let at = (rows - 1 - i * rows / dim) * cols + col;
                let Some(cell) = self.cells.get_mut(at) else {
                    continue;
                };
                if !value.is_finite() {
                    self.odd += 1;
                    *cell = None;
                    continue;
                }
                self.ends = (self.ends.0.min(value), self.ends.1.max(value));
                if let Some((sum, n)) = cell {
                    *sum += value;
                    *n += 1;
                }
            }
        }
    }
}
