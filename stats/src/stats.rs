//! Numbers about numbers, in one pass and little memory.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use spr_core::format::Reader;
use spr_core::model::{Element, Utterance, Wide};
use spr_core::{Result, dispatch};

use super::{number, seconds};

/// Different labels are counted up to this many a column.
const MAX_DISTINCT: usize = 1 << 20;

/// What is found in a data set. The fields have the same names in JSON.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Utterances.
    pub utterances: u64,
    /// Frames of all utterances.
    pub frames: u64,
    /// Seconds of all utterances, where each has a frame shift or a sampling rate.
    pub seconds: Option<f64>,
    /// Frames an utterance; `None` where there is no utterance.
    pub lengths: Option<Lengths>,
    /// Each column of the features.
    pub features: Vec<Column>,
    /// How often each label occurs, a list a column of the labels.
    pub labels: Vec<Vec<LabelCount>>,
    /// Labels that were not counted, because there are too many different ones.
    pub labels_beyond: u64,
    #[serde(skip)]
    state: State,
}

/// How long utterances are, in frames.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lengths {
    /// The shortest.
    pub min: u64,
    /// On average.
    pub mean: f64,
    /// Half of the utterances are no longer.
    pub median: u64,
    /// The longest.
    pub max: u64,
}

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

/// A label and how often it occurs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelCount {
    /// The label.
    pub label: Value,
    /// How often.
    pub count: u64,
}

#[derive(Clone, Debug, Default)]
struct State {
    /// How many utterances have how many frames.
    lengths: BTreeMap<u64, u64>,
    labels: Vec<BTreeMap<Label, u64>>,
    untimed: bool,
    seconds: f64,
    block: Vec<Column>,
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

impl Column {
    /// Adds what is known of other values of the same column, as Chan, Golub and LeVeque do.
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

impl Stats {
    /// Reads a data set to its end.
    ///
    /// # Errors
    /// It can't be read; `self` then holds what was read before.
    pub fn read(&mut self, reader: &mut dyn Reader) -> Result<()> {
        let mut utt = Utterance::default();
        let result = loop {
            match reader.read(&mut utt) {
                Ok(true) => {
                    if let Err(error) = self.add(&utt) {
                        break Err(error);
                    }
                }
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.finish();
        result
    }

    /// Counts one more utterance. [`finish`](Self::finish) makes the results.
    ///
    /// # Errors
    /// A truth value of it is neither 0 nor 1.
    pub fn add(&mut self, utt: &Utterance) -> Result<()> {
        let frames = utt.frames();
        self.utterances += 1;
        self.frames += frames;
        *self.state.lengths.entry(frames).or_default() += 1;
        match seconds(utt) {
            Some(seconds) => self.state.seconds += seconds,
            None => self.state.untimed = true,
        }
        if let Some(features) = &utt.features {
            dispatch!(features.dtype(), T => self.add_features(features.values::<T>()?, features.cols()));
        }
        if let Some(labels) = &utt.labels {
            dispatch!(labels.dtype(), T => self.add_labels(labels.values::<T>()?, labels.cols()));
        }
        Ok(())
    }

    fn add_features<T: Element>(&mut self, values: &[T], cols: usize) {
        if values.is_empty() {
            return;
        }
        let block = &mut self.state.block;
        block.clear();
        block.resize(cols, Column::default());
        // First the means of this utterance, then the distances from them: nothing cancels out.
        for row in values.chunks_exact(cols) {
            for (column, value) in block.iter_mut().zip(row) {
                match number(*value) {
                    v if v.is_finite() => {
                        column.count += 1;
                        column.mean += v;
                        column.min = Some(column.min.map_or(v, |m| m.min(v)));
                        column.max = Some(column.max.map_or(v, |m| m.max(v)));
                    }
                    v if v.is_nan() => column.nan += 1,
                    _ => column.inf += 1,
                }
            }
        }
        for column in block.iter_mut() {
            #[expect(clippy::cast_precision_loss, reason = "counts as weights")]
            let count = column.count.max(1) as f64;
            column.mean /= count;
        }
        for row in values.chunks_exact(cols) {
            for (column, value) in block.iter_mut().zip(row) {
                let apart = number(*value) - column.mean;
                if apart.is_finite() {
                    column.squares += apart * apart;
                }
            }
        }
        if self.features.len() < block.len() {
            self.features.resize(block.len(), Column::default());
        }
        for (column, other) in self.features.iter_mut().zip(block) {
            column.merge(other);
        }
    }

    fn add_labels<T: Element>(&mut self, values: &[T], cols: usize) {
        if values.is_empty() {
            return;
        }
        let counts = &mut self.state.labels;
        if counts.len() < cols {
            counts.resize(cols, BTreeMap::new());
        }
        for row in values.chunks_exact(cols) {
            for (counts, value) in counts.iter_mut().zip(row) {
                let label = match value.widen() {
                    Wide::Int(v) => Label::Int(v),
                    Wide::Float(v) => Label::Float(v),
                };
                if let Some(count) = counts.get_mut(&label) {
                    *count += 1;
                } else if counts.len() < MAX_DISTINCT {
                    counts.insert(label, 1);
                } else {
                    self.labels_beyond += 1;
                }
            }
        }
    }

    /// How many utterances have how many frames, the shortest first.
    pub fn length_counts(&self) -> impl Iterator<Item = (u64, u64)> {
        self.state.lengths.iter().map(|(frames, n)| (*frames, *n))
    }

    /// Makes the results of all that was added.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
    pub fn finish(&mut self) {
        let state = &self.state;
        self.features.iter_mut().for_each(Column::finish);
        self.seconds = (self.utterances > 0 && !state.untimed).then_some(state.seconds);
        let mut seen = 0;
        let median = state.lengths.iter().find(|(_, count)| {
            seen += **count;
            seen * 2 >= self.utterances
        });
        let ends = state.lengths.first_key_value().zip(median);
        self.lengths = ends
            .zip(state.lengths.last_key_value())
            .map(|((min, median), max)| Lengths {
                min: *min.0,
                mean: self.frames as f64 / self.utterances as f64,
                median: *median.0,
                max: *max.0,
            });
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
        self.labels = state.labels.iter().map(list).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::Limits;
    use spr_core::model::{Decimal, Dtype, Matrix, Rank};

    fn utterance(values: &[f64], cols: usize) -> Utterance {
        Utterance {
            features: Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap()),
            ..Utterance::default()
        }
    }

    #[test]
    fn large_means_cost_no_digits() {
        let mut stats = Stats::default();
        for block in [&[1e9, 1e9 + 1.0][..], &[1e9 + 2.0], &[], &[1e9 + 3.0]] {
            stats
                .add(&utterance(block, usize::from(!block.is_empty())))
                .unwrap();
        }
        stats.finish();
        let column = &stats.features[0];
        assert_eq!((column.count, column.mean), (4, 1e9 + 1.5));
        assert!((column.std - 1.25f64.sqrt()).abs() < 1e-9, "{}", column.std);
        assert_eq!((column.min, column.max), (Some(1e9), Some(1e9 + 3.0)));
        let lengths = stats.lengths.unwrap();
        assert_eq!((lengths.min, lengths.median, lengths.max), (0, 1, 2));
        assert_eq!(lengths.mean, 1.0);
        assert_eq!(stats.seconds, None);
    }

    #[test]
    fn what_is_no_number_is_counted_apart() {
        let mut stats = Stats::default();
        let values = [f64::NAN, f64::INFINITY, 1.0, f64::NAN, 3.0, f64::NAN];
        stats.add(&utterance(&values, 2)).unwrap();
        stats.finish();
        let [a, b] = &stats.features[..] else {
            panic!("two columns");
        };
        assert_eq!((a.count, a.nan, a.inf, a.mean, a.std), (2, 1, 0, 2.0, 1.0));
        assert_eq!((b.count, b.nan, b.inf, b.min), (0, 2, 1, None));
    }

    #[test]
    fn labels_and_seconds() {
        let mut stats = Stats::default();
        let mut utt = Utterance {
            labels: Some(Matrix::from_rows(&[3i32, 3, -1], 1, Rank::Vector).unwrap()),
            ..Utterance::default()
        };
        utt.meta.frame_shift = Decimal::parse("0.5");
        stats.add(&utt).unwrap();
        stats.add(&utt).unwrap();
        stats.finish();
        assert_eq!(stats.seconds, Some(3.0));
        let counts: Vec<_> = stats.labels[0]
            .iter()
            .map(|c| (c.label.as_i64().unwrap(), c.count))
            .collect();
        assert_eq!(counts, [(-1, 2), (3, 4)]);
    }

    #[test]
    fn every_type_is_counted() {
        for dtype in Dtype::ALL {
            let mut matrix = Matrix::from_rows(&[1u8, 0, 1], 1, Rank::Matrix).unwrap();
            matrix.cast(*dtype, &Limits::default()).unwrap();
            let mut stats = Stats::default();
            let utt = Utterance {
                features: Some(matrix.clone()),
                labels: Some(matrix),
                ..Utterance::default()
            };
            stats.add(&utt).unwrap();
            stats.finish();
            let column = &stats.features[0];
            let ends = (column.count, column.min, column.max);
            assert_eq!(ends, (3, Some(0.0), Some(1.0)), "{dtype}");
            let counts: Vec<_> = stats.labels[0].iter().map(|c| c.count).collect();
            assert_eq!(counts, [1, 2], "{dtype}");
        }
    }
}
