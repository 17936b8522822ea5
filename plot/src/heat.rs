//! Features as a heat map.

use std::collections::BTreeMap;

use spr_core::model::{Element, Key, Matrix};
use spr_core::{Result, Symbols, dispatch};
use spr_stats::number;

use super::colour::NONE;
use super::columns::{Normalisation, Scales};
use super::range::{BEYOND, Range};
use super::words::counted;

/// The largest number of rows with names.
const NAMED: usize = 1000;

/// Features as positions on a colour scale.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// The number of the first feature column, or the smallest index of a posterior.
    pub first: i64,
    /// The number of feature columns, or of posterior indices with a row.
    pub dim: usize,
    /// Cells in a row; each is the mean of the frames in it.
    pub cols: usize,
    /// Scale positions from 0 to 254, row by row, the last feature first; 255 marks a missing
    /// value.
    pub cells: Vec<u8>,
    /// The meaning of the rows.
    pub rows: Rows,
    /// The number of NaN and infinite values.
    pub odd: u64,
    /// The values at positions 0 and 254; values beyond them are clamped.
    pub range: Range,
}

/// The meaning of the rows of a heat map.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// Feature columns.
    Features(Normalisation),
    /// All indices from the smallest to the largest that occurs, and the names of some.
    Numbers(BTreeMap<i64, String>),
    /// The indices that occur, with their names or digits.
    Occurring(Vec<(i64, String)>),
}

impl Heat {
    /// Returns the caption: the meaning of the rows and the range of values outside the colours.
    pub(super) fn caption(&self) -> String {
        let last = self.first + self.dim as i64 - 1;
        let mut parts = vec![match &self.rows {
            Rows::Features(Normalisation::None) => "feature".to_owned(),
            Rows::Features(Normalisation::Column) => {
                "feature, each column in standard deviations from its mean".to_owned()
            }
            // The number of possible indices is unknown.
            Rows::Numbers(_) => format!("number, from {} to {last} as occur", self.first),
            Rows::Occurring(ids) => format!("number, only the {} that occur", ids.len()),
        }];
        parts.extend(self.range.note().map(|note| format!("values {note}")));
        parts.extend(self.gaps().map(|gaps| format!("grey: {gaps}")));
        parts.join("; ")
    }

    /// Returns a note on NaN and infinite values, if there are any.
    pub(super) fn gaps(&self) -> Option<String> {
        let values = counted(self.odd, "value");
        (self.odd > 0).then(|| format!("{values} NaN/inf"))
    }

    /// Returns `true` if a cell has a value.
    pub(super) fn has_values(&self) -> bool {
        self.cells.iter().any(|cell| *cell != NONE)
    }

    /// Returns the names of the rows, the lowest first, unless they are columns counted from 0.
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

    /// Returns the names of the lowest and the highest row.
    pub(super) fn ends(&self) -> (String, String) {
        let titles = self.titles().unwrap_or_default();
        let last = self.first + self.dim as i64 - 1;
        match (titles.first(), titles.last()) {
            (Some(first), Some(last)) => (first.clone(), last.clone()),
            _ => (self.first.to_string(), last.to_string()),
        }
    }

    /// Replaces numbers by their names, if they have one.
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

    /// Averages the features into at most `cols` times `rows` cells.
    ///
    /// # Errors
    /// A boolean value is neither 0 nor 1.
    pub(super) fn of(
        features: &Matrix,
        (cols, rows): (usize, usize),
        by: Normalisation,
    ) -> Result<Self> {
        let scales = Scales::of(features, by)?;
        let (cols, rows) = (cols.min(features.rows()), rows.min(features.cols()));
        let mut pool = Pool {
            cells: vec![Some((0.0, 0)); cols * rows],
            odd: 0,
            ends: (f64::INFINITY, f64::NEG_INFINITY),
        };
        dispatch!(features.dtype(), T => {
            pool.add(features.values::<T>()?, features, cols, &scales);
        });
        let mean = |cell: &Option<(f64, u32)>| cell.map_or(f64::NAN, |(sum, n)| sum / f64::from(n));
        let means: Vec<_> = pool.cells.iter().map(mean).collect();
        let mut range = Range::of(means.iter().copied(), BEYOND);
        if pool.ends.0 <= pool.ends.1 {
            // Means lie between the values, whose range is reported.
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
            rows: Rows::Features(by),
            odd: pool.odd,
            range,
        })
    }
}

/// Returns the scale position of a share, or the middle if all values are equal.
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

/// Values averaged by cell.
struct Pool {
    /// Sums and counts; `None` for cells with a value that is not finite.
    cells: Vec<Option<(f64, u32)>>,
    odd: u64,
    ends: (f64, f64),
}

impl Pool {
    /// Adds all values, the last feature in the first row.
    fn add<T: Element>(&mut self, values: &[T], features: &Matrix, cols: usize, scales: &Scales) {
        let (frames, dim) = (features.rows(), features.cols());
        let rows = self.cells.len() / cols.max(1);
        for (frame, row) in values.chunks_exact(dim.max(1)).enumerate() {
            let col = frame * cols / frames.max(1);
            for (i, value) in row.iter().enumerate() {
                let value = scales.apply(i, number(*value));
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
