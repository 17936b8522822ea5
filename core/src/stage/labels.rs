//! Sets and maps of labels.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::model::{Dtype, Element, Matrix, Wide};
use crate::number::dispatch;

/// A map of disjoint ranges of labels, where later insertions take precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spans<T>(BTreeMap<i64, (i64, T)>);

impl<T> Default for Spans<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Copy> Spans<T> {
    fn insert(&mut self, first: i64, last: i64, value: T) {
        if first > last {
            return;
        }
        // Ranges are disjoint, so that only the nearest of the earlier ones can overlap.
        if let Some((_, (end, old))) = self.0.range_mut(..first).next_back()
            && *end >= first
        {
            let rest = (*end, *old);
            *end = first - 1;
            if rest.0 > last {
                self.0.insert(last + 1, rest);
            }
        }
        while let Some((&start, &(end, old))) = self.0.range(first..=last).next() {
            self.0.remove(&start);
            if end > last {
                self.0.insert(last + 1, (end, old));
            }
        }
        self.0.insert(first, (last, value));
    }

    fn get(&self, label: i64) -> Option<T> {
        let (_, (end, value)) = self.0.range(..=label).next_back()?;
        (label <= *end).then_some(*value)
    }
}

/// Labels and ranges of labels.
///
/// ```
/// use spr_core::stage::LabelSet;
/// let mut silence = LabelSet::default();
/// silence.insert(0, 0);
/// silence.insert(3, 9);
/// assert!(silence.contains(9) && !silence.contains(2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSet(Spans<()>);

impl LabelSet {
    /// Adds the labels from `first` to `last`, inclusive.
    pub fn insert(&mut self, first: i64, last: i64) {
        self.0.insert(first, last, ());
    }

    /// Returns `true` if it contains `label`.
    pub fn contains(&self, label: i64) -> bool {
        self.0.get(label).is_some()
    }

    /// Returns the ranges in order.
    pub fn ranges(&self) -> impl Iterator<Item = (i64, i64)> {
        self.0.0.iter().map(|(first, (last, ()))| (*first, *last))
    }
}

/// A map of labels and ranges of labels; other labels do not change.
///
/// ```
/// use spr_core::stage::LabelMap;
/// let mut map = LabelMap::default();
/// map.insert(1, 1, 0);
/// map.insert(4, 6, 1);
/// assert_eq!([1, 2, 5].map(|label| map.get(label)), [0, 2, 1]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelMap(Spans<i64>);

impl LabelMap {
    /// Maps the labels from `first` to `last`, inclusive, to `to`, replacing earlier entries.
    pub fn insert(&mut self, first: i64, last: i64, to: i64) {
        self.0.insert(first, last, to);
    }

    /// Returns the new label for `label`.
    pub fn get(&self, label: i64) -> i64 {
        self.0.get(label).unwrap_or(label)
    }

    /// Returns the ranges that change with their new labels, in order.
    pub fn ranges(&self) -> impl Iterator<Item = (i64, i64, i64)> {
        self.0
            .0
            .iter()
            .map(|(first, (last, to))| (*first, *last, *to))
    }
}

/// Passes the only label of each frame to `f`, or `None` for a number that is not an integer.
pub(super) fn each_label(labels: &Matrix, mut f: impl FnMut(Option<i64>)) -> Result<()> {
    check_column(labels)?;
    dispatch!(labels.dtype(), T => labels.values::<T>()?.iter().for_each(|v| f(integer(*v))));
    Ok(())
}

/// Replaces each label by the result of `f`. Numbers that are not integers are not changed.
///
/// # Errors
/// There is not exactly one label per frame, or a new label is out of range.
pub(super) fn change_labels(labels: &mut Matrix, mut f: impl FnMut(i64) -> i64) -> Result<()> {
    check_column(labels)?;
    let dtype = labels.dtype();
    dispatch!(dtype, T => {
        for value in labels.values_mut::<T>()? {
            if let Some(old) = integer(*value) {
                let new = f(old);
                if new != old {
                    *value = element(new).ok_or_else(|| beyond(new, dtype))?;
                }
            }
        }
    });
    Ok(())
}

fn check_column(labels: &Matrix) -> Result<()> {
    match labels.cols() {
        1 => Ok(()),
        _ if labels.is_empty() => Ok(()),
        n => Err(Error::unfit(format!(
            "has {n} labels per frame, expected one"
        ))),
    }
}

fn beyond(label: i64, dtype: Dtype) -> Error {
    Error::unfit(format!(
        "would have the label {label}, which {dtype} can't hold"
    ))
}

/// Returns the label as an integer, if it is one.
fn integer<T: Element>(value: T) -> Option<i64> {
    let nearest = i64::nearest(value.to_wide());
    (element::<T>(nearest) == Some(value)).then_some(nearest)
}

/// Returns the label in type `T`, if it is in range.
fn element<T: Element>(label: i64) -> Option<T> {
    let value = T::nearest(Wide::Int(label.into()));
    let same = match value.to_wide() {
        Wide::Int(v) => v == i128::from(label),
        // Above its precision a float stands for several integers.
        Wide::Float(v) => {
            label.unsigned_abs() < 1 << T::DTYPE.digits() && i64::nearest(Wide::Float(v)) == label
        }
    };
    same.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::model::Rank;

    #[test]
    fn the_last_word_counts() {
        let mut map = LabelMap::default();
        for (first, last, to) in [
            (0, 9, 100),
            (3, 5, 200),
            (5, 6, 300),
            (9, 20, 400),
            (-3, 0, 1),
        ] {
            map.insert(first, last, to);
        }
        map.insert(7, 2, 9);
        let plain = |label| match label {
            -3..=0 => 1,
            9..=20 => 400,
            5..=6 => 300,
            3..=4 => 200,
            1..=8 => 100,
            other => other,
        };
        for label in -10..30 {
            assert_eq!(map.get(label), plain(label), "{label}");
        }
        map.insert(i64::MIN, i64::MAX, 0);
        assert_eq!(map.ranges().collect::<Vec<_>>(), [(i64::MIN, i64::MAX, 0)]);
    }

    #[test]
    fn every_type_of_label() {
        let change = |labels: &mut Matrix| change_labels(labels, |l| if l == 3 { 200 } else { l });
        for &dtype in Dtype::ALL.iter().filter(|dtype| **dtype != Dtype::Bool) {
            let limits = crate::model::Limits::default();
            let mut labels = Matrix::from_rows(&[1i32, 3, 3, 7], 1, Rank::Vector).unwrap();
            labels.cast(dtype, &limits).unwrap();
            let result = change(&mut labels);
            if dtype == Dtype::I8 {
                assert_eq!(result.unwrap_err().kind(), ErrorKind::Unfit);
                continue;
            }
            result.unwrap();
            let mut seen = Vec::new();
            each_label(&labels, |label| seen.push(label)).unwrap();
            assert_eq!(seen, [Some(1), Some(200), Some(200), Some(7)], "{dtype}");
        }
    }

    #[test]
    fn what_is_no_integer_is_no_label() {
        let odd = [2.5f32, f32::NAN, f32::INFINITY, -0.0, 3e10];
        let mut labels = Matrix::from_rows(&odd, 1, Rank::Vector).unwrap();
        let mut seen = Vec::new();
        each_label(&labels, |label| seen.push(label)).unwrap();
        assert_eq!(seen, [None, None, None, Some(0), None]);
        change_labels(&mut labels, |label| label + 1).unwrap();
        assert_eq!(
            labels.values::<f32>().unwrap()[0].to_bits(),
            2.5f32.to_bits()
        );
        assert_eq!(
            labels.values::<f32>().unwrap()[3].to_bits(),
            1.0f32.to_bits()
        );
        let mut two = Matrix::from_rows(&[1i32, 2], 2, Rank::Matrix).unwrap();
        let error = change_labels(&mut two, |label| label).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unfit);
    }
}
