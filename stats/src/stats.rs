//! Numbers about numbers, in one pass and little memory.

use std::collections::BTreeMap;

use serde::Serialize;
use spr_core::format::Reader;
use spr_core::model::{Element, Utterance};
use spr_core::{Result, dispatch};

use super::column::{Block, Column, MAX_COLUMNS};
use super::label::{LabelCount, Labels};
use super::seconds;
use super::sound::Sound;

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
    /// The sound, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sound: Option<Sound>,
    /// Each column of the features, up to [`MAX_COLUMNS`].
    pub features: Vec<Column>,
    /// How many columns there are beyond these.
    pub columns_beyond: u64,
    /// Those columns, summed up as one.
    pub beyond: Option<Column>,
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

#[derive(Clone, Debug, Default)]
struct State {
    /// How many utterances have how many frames.
    lengths: BTreeMap<u64, u64>,
    labels: Labels,
    untimed: bool,
    seconds: f64,
    block: Block,
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
        if utt.audio.is_some() {
            self.sound.get_or_insert_default().add(utt)?;
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
        block.fill(values, cols);
        if self.features.len() < block.columns.len() {
            self.features.resize(block.columns.len(), Column::default());
        }
        for (column, other) in self.features.iter_mut().zip(&block.columns) {
            column.merge(other);
        }
        if cols > MAX_COLUMNS {
            self.columns_beyond = self.columns_beyond.max((cols - MAX_COLUMNS) as u64);
            self.beyond.get_or_insert_default().merge(&block.beyond);
        }
    }

    fn add_labels<T: Element>(&mut self, values: &[T], cols: usize) {
        if values.is_empty() {
            return;
        }
        self.state.labels.count(values, cols);
    }

    /// Columns of the features, whether they are told apart or not.
    pub fn columns(&self) -> u64 {
        self.features.len() as u64 + self.columns_beyond
    }

    /// The columns from one on, summed up as one; `None` if there are none.
    pub fn columns_from(&self, first: usize) -> Option<Column> {
        let told = self.features.get(first..).unwrap_or_default();
        let mut all = told.iter().chain(&self.beyond).peekable();
        all.peek()?;
        let mut sum = Column::default();
        all.for_each(|column| sum.merge(column));
        sum.finish();
        Some(sum)
    }

    /// How many utterances have how many frames, the shortest first.
    pub fn length_counts(&self) -> impl Iterator<Item = (u64, u64)> {
        self.state.lengths.iter().map(|(frames, n)| (*frames, *n))
    }

    /// Makes the results of all that was added.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
    pub fn finish(&mut self) {
        let state = &self.state;
        let columns = self.features.iter_mut().chain(&mut self.beyond);
        columns.for_each(Column::finish);
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
        self.labels = state.labels.lists();
        self.labels_beyond = state.labels.beyond;
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

    /// What is not told apart is counted all the same.
    #[test]
    fn columns_and_labels_beyond_a_bound_are_summed_up() {
        let cols = MAX_COLUMNS + 3;
        let mut row = vec![1.0; cols];
        row[MAX_COLUMNS..].copy_from_slice(&[2.0, f64::NAN, 4.0]);
        let mut stats = Stats::default();
        stats.add(&utterance(&row, cols)).unwrap();
        stats.add(&utterance(&[5.0, 7.0], 2)).unwrap();
        let labels: Vec<i32> = (0..4000).collect();
        stats
            .add(&Utterance {
                labels: Some(Matrix::from_rows(&labels, 2000, Rank::Matrix).unwrap()),
                ..Utterance::default()
            })
            .unwrap();
        stats.finish();
        assert_eq!(
            (stats.features.len(), stats.columns_beyond),
            (MAX_COLUMNS, 3)
        );
        assert_eq!(stats.columns(), cols as u64);
        let beyond = stats.beyond.as_ref().unwrap();
        assert_eq!((beyond.count, beyond.nan, beyond.mean), (2, 1, 3.0));
        assert_eq!((beyond.std, beyond.max), (1.0, Some(4.0)));
        assert_eq!(stats.features[1].mean, 4.0);
        let most = stats.columns_from(1).unwrap();
        assert_eq!((most.count, most.max), (MAX_COLUMNS as u64 + 2, Some(7.0)));
        assert_eq!(
            stats.columns_from(MAX_COLUMNS).as_ref(),
            stats.beyond.as_ref()
        );
        let one = Stats::default();
        assert_eq!((one.columns_from(0), one.columns_from(9)), (None, None));
        assert_eq!((stats.labels.len(), stats.labels_beyond), (1024, 2 * 976));
    }
}
