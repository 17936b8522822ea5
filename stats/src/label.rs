//! How often labels occur.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use spr_core::model::{Element, Wide};

/// Different labels are counted up to this many in all columns together, in columns up to that
/// many.
const MAX_DISTINCT: usize = 1 << 20;
const MAX_COLUMNS: usize = 1 << 10;

/// A label and how often it occurs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelCount {
    /// The label.
    pub label: Value,
    /// How often.
    pub count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Label {
    Int(i128),
    Float(f64),
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

/// The labels of each column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    columns: Vec<BTreeMap<Label, u64>>,
    distinct: usize,
    /// Labels that were not counted, because there are too many different ones.
    pub(crate) beyond: u64,
}

impl Labels {
    /// Counts rows of `cols` labels.
    pub(crate) fn count<T: Element>(&mut self, values: &[T], cols: usize) {
        let kept = cols.min(MAX_COLUMNS);
        if self.columns.len() < kept {
            self.columns.resize(kept, BTreeMap::new());
        }
        for row in values.chunks_exact(cols) {
            for (counts, value) in self.columns.iter_mut().zip(row) {
                let label = match value.widen() {
                    Wide::Int(v) => Label::Int(v),
                    Wide::Float(v) => Label::Float(v),
                };
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

    /// A list a column, in the order of the labels.
    pub(crate) fn lists(&self) -> Vec<Vec<LabelCount>> {
        let list = |counts: &BTreeMap<Label, u64>| {
            let counts = counts.iter().map(|(label, count)| LabelCount {
                label: match label {
                    Label::Int(v) => i64::try_from(*v).map_or(Value::Null, Value::from),
                    Label::Float(v) => Value::from(*v),
                },
                count: *count,
            });
            counts.collect()
        };
        self.columns.iter().map(list).collect()
    }
}
