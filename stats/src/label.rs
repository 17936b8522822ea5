//! The counts of labels.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Number, Value};
use spr_core::model::{Element, Key, Matrix, Wide};
use spr_core::{Result, Symbols, dispatch};

/// The number of different labels that are counted: of all columns together.
const MAX_DISTINCT: usize = 1 << 20;
/// The number of columns in which labels are counted.
const MAX_COLUMNS: usize = 1 << 10;

/// A label and its count.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelCount {
    /// The label.
    pub label: Value,
    /// The number of occurrences.
    pub count: u64,
}

impl LabelCount {
    /// Creates a count of a label.
    pub fn new(label: impl Into<Value>, count: u64) -> Self {
        let label = label.into();
        Self { label, count }
    }
}

/// Replaces numeric labels by their names, if they have one.
pub fn name_labels(lists: &mut [Vec<LabelCount>], symbols: &Symbols) {
    for count in lists.iter_mut().flatten() {
        let name = count.label.as_i64().and_then(|n| symbols.name_of(n));
        if let Some(name) = name {
            count.label = Key::from(name).to_string().into();
        }
    }
}

/// The number of a label, in the order of integers, then fractions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Label {
    /// An integer.
    Int(i128),
    /// A fraction.
    Float(f64),
}

impl Label {
    /// Converts the number to JSON; `null` beyond the range of an `i64`, or if it is not finite.
    pub fn json(self) -> Value {
        match self {
            Self::Int(v) => i64::try_from(v).map_or(Value::Null, Value::from),
            Self::Float(v) => Value::from(v),
        }
    }
}

impl From<Wide> for Label {
    fn from(value: Wide) -> Self {
        match value {
            Wide::Int(v) => Self::Int(v),
            Wide::Float(v) => Self::Float(v),
        }
    }
}

impl Eq for Label {}

impl PartialOrd for Label {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Label {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Float(a), Self::Float(b)) => a.total_cmp(b),
            (Self::Int(_), Self::Float(_)) => Ordering::Less,
            (Self::Float(_), Self::Int(_)) => Ordering::Greater,
        }
    }
}

/// The counts of labels, column by column.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct LabelCounts {
    columns: Vec<BTreeMap<Label, u64>>,
    distinct: usize,
    /// The number of labels that were not counted, because there are too many different ones.
    pub beyond: u64,
}

impl LabelCounts {
    /// Counts the labels of an utterance.
    pub(crate) fn add(&mut self, labels: &Matrix) -> Result<()> {
        if !labels.is_empty() {
            dispatch!(labels.dtype(), T => self.count(labels.values::<T>()?, labels.cols()));
        }
        Ok(())
    }

    fn count<T: Element>(&mut self, values: &[T], cols: usize) {
        let kept = cols.min(MAX_COLUMNS);
        if self.columns.len() < kept {
            self.columns.resize(kept, BTreeMap::new());
        }
        for row in values.chunks_exact(cols) {
            for (counts, value) in self.columns.iter_mut().zip(row) {
                let label = Label::from(value.to_wide());
                if let Some(count) = counts.get_mut(&label) {
                    *count += 1;
                } else if self.distinct < MAX_DISTINCT {
                    self.distinct += 1;
                    counts.insert(label, 1);
                } else {
                    self.beyond += 1;
                }
            }
            self.beyond += (cols - kept) as u64;
        }
    }

    /// Returns a list for each column, in the order of the labels.
    pub fn lists(&self) -> Vec<Vec<LabelCount>> {
        let list = |counts: &BTreeMap<Label, u64>| {
            let counts = counts.iter().map(|(label, count)| LabelCount {
                label: label.json(),
                count: *count,
            });
            counts.collect()
        };
        self.columns.iter().map(list).collect()
    }
}

/// The range of all labels.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelRange {
    /// The smallest label.
    pub min: Number,
    /// The largest label.
    pub max: Number,
    /// The number of different labels; `None` for fractions, and beyond a million.
    pub distinct: Option<u64>,
}

/// The labels of all columns, integers apart from fractions, without their counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSet {
    integers: BTreeSet<i64>,
    /// The least and the greatest integer.
    int_range: Option<(i128, i128)>,
    /// The least and the greatest fraction.
    float_range: Option<(f64, f64)>,
    has_too_many: bool,
}

impl LabelSet {
    /// Adds the labels of an utterance.
    pub(crate) fn add(&mut self, labels: &Matrix) -> Result<()> {
        dispatch!(labels.dtype(), T => self.add_values(labels.values::<T>()?));
        Ok(())
    }

    fn add_values<T: Element>(&mut self, values: &[T]) {
        // Labels come in runs. One look at each run is enough.
        for run in values.chunk_by(|a, b| a == b) {
            match run.first().map(|label| label.to_wide()) {
                Some(Wide::Int(v)) => self.add_integer(v),
                Some(Wide::Float(v)) => {
                    let (min, max) = self.float_range.unwrap_or((v, v));
                    self.float_range = Some((min.min(v), max.max(v)));
                }
                None => {}
            }
        }
    }

    fn add_integer(&mut self, label: i128) {
        let (min, max) = self.int_range.unwrap_or((label, label));
        self.int_range = Some((min.min(label), max.max(label)));
        match i64::try_from(label) {
            Ok(label) if self.integers.len() < MAX_DISTINCT => {
                self.integers.insert(label);
            }
            Ok(label) => self.has_too_many |= !self.integers.contains(&label),
            Err(_) => self.has_too_many = true,
        }
    }

    /// Returns the range of the labels: of the fractions, if there are any.
    pub(crate) fn range(&self) -> Option<LabelRange> {
        if let Some((min, max)) = self.float_range {
            return Some(LabelRange {
                min: Number::from_f64(min)?,
                max: Number::from_f64(max)?,
                distinct: None,
            });
        }
        let (min, max) = self.int_range?;
        Some(LabelRange {
            min: Number::from_i128(min)?,
            max: Number::from_i128(max)?,
            distinct: (!self.has_too_many).then_some(self.integers.len() as u64),
        })
    }
}
