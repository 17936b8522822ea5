//! Objects with few values per frame: posteriors, lists of integers, sparse matrices.

use std::collections::{BTreeMap, BTreeSet};

use spr_core::model::Object;

use super::colour::NONE;
use super::heat::{Heat, Rows, level};
use super::range::Range;
use super::track::{Span, spans};

/// The largest number of indices with a row each.
const MOST: usize = 4096;
/// Every index has a row if at least one in this many occurs.
const EMPTY: usize = 4;

/// An object as a grid of cells: frames from left to right, indices upwards.
pub(super) struct Weights<'a> {
    object: &'a Object,
    /// The number of frames.
    pub(super) frames: usize,
}

impl<'a> Weights<'a> {
    /// Returns `None` for objects of other kinds, and for empty ones.
    pub(super) fn of(object: &'a Object) -> Option<Self> {
        let frames = match object {
            Object::SparseMatrix(matrix) => matrix.rows.len(),
            _ => usize::try_from(object.frames()).ok()?,
        };
        let weights = Self { object, frames };
        let mut some = false;
        weights.each(|_, _, _| some = true);
        some.then_some(weights)
    }

    /// Passes each frame, index and weight to `take`.
    fn each(&self, mut take: impl FnMut(usize, i64, f64)) {
        match self.object {
            Object::Posterior(lists) => {
                for (frame, list) in lists.iter().enumerate() {
                    for (id, weight) in list {
                        take(frame, i64::from(*id), f64::from(*weight));
                    }
                }
            }
            Object::GaussPosterior(posterior) => {
                let mut vectors = posterior.vectors.iter();
                for (frame, ids) in posterior.ids.iter().enumerate() {
                    for (id, vector) in ids.iter().zip(&mut vectors) {
                        let weight = vector.iter().copied().map(f64::from).sum();
                        take(frame, i64::from(*id), weight);
                    }
                }
            }
            Object::IntLists(lists) => {
                for (frame, list) in lists.iter().enumerate() {
                    list.iter().for_each(|id| take(frame, i64::from(*id), 1.0));
                }
            }
            Object::SparseMatrix(matrix) => {
                for (frame, list) in matrix.rows.iter().enumerate() {
                    for (column, value) in list {
                        take(frame, i64::from(*column), *value);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns cells with the largest weight in each, 0 in empty ones.
    pub(super) fn heat(&self, cols: usize, rows: usize) -> Heat {
        let mut ids = BTreeSet::new();
        self.each(|_, id, _| _ = ids.insert(id));
        let ends = ids.first().copied().zip(ids.last().copied());
        let (first, last) = ends.unwrap_or_default();
        let all = usize::try_from(last - first).unwrap_or(0) + 1;
        // If most indices between the ends do not occur, only those that do have rows.
        let few = ids.len() <= MOST && all > EMPTY * ids.len();
        let places: BTreeMap<_, _> = ids.iter().filter(|_| few).copied().zip(0..).collect();
        let dim = if few { ids.len() } else { all };
        let place = |id: i64| match few {
            true => places.get(&id).copied().unwrap_or(0),
            false => usize::try_from(id - first).unwrap_or(0),
        };
        let (cols, rows) = (cols.min(self.frames), rows.min(dim));
        let (mut cells, mut odd) = (vec![0.0f64; cols * rows], 0);
        self.each(|frame, id, weight| {
            let at = (rows - 1 - place(id) * rows / dim) * cols + frame * cols / self.frames;
            odd += u64::from(!weight.is_finite());
            let greater = |cell: &&mut f64| !weight.is_finite() || weight.abs() > cell.abs();
            if let Some(cell) = cells.get_mut(at).filter(greater) {
                *cell = weight;
            }
        });
        let finite = || cells.iter().copied().filter(|v| v.is_finite());
        let (low, high) = (finite().fold(0.0, f64::min), finite().fold(0.0, f64::max));
        let level = |v: &f64| match v.is_finite() {
            true => level((v - low) / (high - low)),
            false => NONE,
        };
        Heat {
            first,
            dim,
            cols,
            cells: cells.iter().map(level).collect(),
            rows: match few {
                true => Rows::Occurring(ids.iter().map(|id| (*id, id.to_string())).collect()),
                false => Rows::Numbers(BTreeMap::new()),
            },
            odd,
            range: Range::whole(low, high),
        }
    }

    /// Returns spans of the index with the largest weight in each frame, and all indices, if there
    /// are weights.
    pub(super) fn best(&self, cols: usize) -> Option<(Vec<Span>, BTreeSet<String>)> {
        if !matches!(
            self.object,
            Object::Posterior(_) | Object::GaussPosterior(_)
        ) {
            return None;
        }
        let mut best: Vec<Option<(f64, i64)>> = vec![None; self.frames];
        self.each(|frame, id, weight| {
            if let Some(slot) = best.get_mut(frame)
                && weight.is_finite()
                && slot.is_none_or(|(most, _)| weight > most)
            {
                *slot = Some((weight, id));
            }
        });
        let name = |frame: usize| best.get(frame).copied().flatten();
        let spans = spans(self.frames, cols, |frame| {
            name(frame).map(|(_, id)| id.to_string())
        });
        let all: BTreeSet<_> = best.iter().flatten().map(|(_, id)| *id).collect();
        Some((spans, all.iter().map(i64::to_string).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::Lists;

    #[test]
    fn the_greatest_weight_of_a_cell_is_seen() {
        let lists: [&[(i32, f32)]; 4] = [
            &[(7, 1.0)],
            &[(7, 0.25), (9, 0.75)],
            &[],
            &[(8, f32::NAN), (9, 0.5)],
        ];
        let object = Object::Posterior(lists.into_iter().collect());
        let weights = Weights::of(&object).unwrap();
        let heat = weights.heat(100, 100);
        assert_eq!((heat.first, heat.dim, heat.cols), (7, 3, 4));
        assert_eq!(heat.cells, [0, 191, 0, 127, 0, 0, 0, NONE, 254, 64, 0, 0]);
        assert_eq!(heat.odd, 1);
        assert_eq!(weights.heat(2, 1).cells, [254, NONE]);
        let (best, all) = weights.best(100).unwrap();
        assert_eq!(all.into_iter().collect::<Vec<_>>(), ["7", "9"]);
        let best: Vec<_> = best.iter().map(|span| (span.from, &*span.label)).collect();
        assert_eq!(best, [(0.0, "7"), (0.25, "9"), (0.75, "9")]);
        // The smallest and largest possible index.
        let ends: Lists<i32> = [[i32::MIN, i32::MAX]].into_iter().collect();
        let object = Object::IntLists(ends);
        let weights = Weights::of(&object).unwrap();
        assert_eq!(weights.heat(9, 5).cells, [254, 254]);
        let caption = weights.heat(9, 5).caption();
        assert_eq!(caption, "number, only the 2 that occur");
        assert_eq!(weights.heat(9, 1).cells, [254]);
        assert!(weights.best(9).is_none());
        let nothing: [&[i32]; 2] = [&[], &[]];
        assert!(Weights::of(&Object::IntLists(nothing.into_iter().collect())).is_none());
        assert!(Weights::of(&Object::Bool(true)).is_none());
    }
}
