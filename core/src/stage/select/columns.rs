//! Selection of columns.

use std::ops::Range;
use std::str::FromStr;

use super::super::stale::Stale;
use super::Ranges;
use crate::bytes::Env;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Limits, Matrix, Rank, TagSubject, Utterance};

/// Columns in the requested order, as in Kaldi's select-feats: `0,24-22,3-12`. They count from 0,
/// ranges are inclusive and may be descending, and columns may be repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The first and last columns of ascending runs.
    runs: Vec<(usize, usize)>,
}

impl Columns {
    /// Returns the number of columns.
    pub fn count(&self) -> usize {
        self.runs.iter().map(|(first, last)| last + 1 - first).sum()
    }
}

/// A larger number of columns is assumed to be a mistake.
const MOST: usize = 1 << 24;

impl FromStr for Columns {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let index = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            let index = digits.parse().ok().filter(|n| plain && *n < MOST);
            index.ok_or_else(|| {
                Error::usage(format!("'{text}' is not a list of columns"))
                    .hint("such as 0,24-22,3-12, counted from 0")
            })
        };
        let mut columns = Self { runs: Vec::new() };
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            match (index(first)?, index(last)?) {
                (first, last) if first <= last => columns.runs.push((first, last)),
                (first, last) => columns.runs.extend((last..=first).rev().map(|i| (i, i))),
            }
            if columns.count() > MOST {
                let message = format!("'{text}' names more than {MOST} columns");
                return Err(Error::usage(message));
            }
        }
        Ok(columns)
    }
}

impl FromIterator<usize> for Columns {
    /// Collects these columns in order.
    fn from_iter<I: IntoIterator<Item = usize>>(columns: I) -> Self {
        Self {
            runs: columns.into_iter().map(|column| (column, column)).collect(),
        }
    }
}

impl From<Columns> for Ranges {
    fn from(columns: Columns) -> Self {
        Self::from_runs(columns.runs)
    }
}

/// Selects columns of the features, in the order of the ranges. Labels, and utterances without
/// features, are not changed.
pub struct SelectColumns {
    inner: Box<dyn Reader>,
    columns: Ranges,
    /// The number of columns, and the selected ones.
    runs: (usize, Vec<Range<usize>>),
    limits: Limits,
    info: DatasetInfo,
    /// The original features.
    all: Matrix,
    stale: Stale,
}

impl SelectColumns {
    /// Selects the `columns` of the features of `inner`, within `limits`.
    pub fn new(inner: Box<dyn Reader>, columns: impl Into<Ranges>, limits: Limits) -> Self {
        let mut stage = Self {
            inner,
            columns: columns.into(),
            runs: Default::default(),
            limits,
            info: DatasetInfo::default(),
            all: Matrix::default(),
            stale: Stale::new(TagSubject::Columns),
        };
        stage.describe();
        stage
    }

    /// Enables a warning about dropped tags that describe the columns.
    #[must_use]
    pub fn telling(mut self, env: &Env) -> Self {
        self.stale.tell(env);
        self
    }

    fn describe(&mut self) {
        self.info.clone_from(self.inner.info());
        let dim = self.info.dim.and_then(|dim| usize::try_from(dim).ok());
        let width = dim.and_then(|dim| self.choose(dim).ok());
        self.info.dim = width.map(|width| width as u64);
    }

    /// Selects among `cols` columns, and returns the number selected.
    fn choose(&mut self, cols: usize) -> Result<usize> {
        if self.runs.0 != cols {
            let runs = self.columns.of("column", cols)?;
            self.runs = (cols, runs);
        }
        Ok(self.runs.1.iter().map(Range::len).sum())
    }

    fn select(&mut self, out: &mut Matrix) -> Result<()> {
        let (cols, rows) = (self.all.cols(), self.all.rows());
        let width = match cols {
            0 if rows == 0 => 0,
            _ => self.choose(cols)?,
        };
        out.start(self.all.dtype(), Rank::Matrix, width);
        let size = self.all.dtype().size();
        let bytes = out.extend_rows(rows, &self.limits)?;
        if rows == 0 || width == 0 {
            return Ok(());
        }
        let lines = self.all.as_bytes().chunks_exact(cols * size);
        for (from, mut into) in lines.zip(bytes.chunks_exact_mut(width * size)) {
            for run in &self.runs.1 {
                let run = &from[run.start * size..run.end * size];
                let (part, rest) = into.split_at_mut(run.len());
                part.copy_from_slice(run);
                into = rest;
            }
        }
        Ok(())
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for SelectColumns {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance has fewer columns than requested; the next one can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if let Some(features) = utt.features.as_mut().filter(|_| more) {
            std::mem::swap(&mut self.all, features);
            self.select(features)
                .map_err(|e| e.utterance(&utt.key).continuable())?;
            if !matches!(&self.runs, (cols, runs) if matches!(&runs[..], [all] if *all == (0..*cols)))
            {
                self.stale.leave_out(utt);
            }
        }
        Ok(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::stage::tests::{List, utterance};

    #[test]
    fn keeps_the_order_of_the_list() {
        let row: Vec<f32> = (0u8..6).map(f32::from).collect();
        let rows = [row.clone(), row.iter().map(|v| v + 10.0).collect()].concat();
        let list = List::of([utterance("a", &rows, 6), utterance("b", &[1.0, 2.0], 2)]);
        let columns: Columns = "5,3-1,0-1,5".parse().unwrap();
        assert_eq!(columns.count(), 7);
        let mut stage = SelectColumns::new(list, columns, Limits::default());
        let mut utt = Utterance::default();
        assert!(stage.read(&mut utt).unwrap());
        let features = utt.features.as_ref().unwrap();
        assert_eq!((features.rows(), features.cols()), (2, 7));
        let expected = [
            5.0, 3.0, 2.0, 1.0, 0.0, 1.0, 5.0, 15.0, 13.0, 12.0, 11.0, 10.0, 11.0, 15.0,
        ];
        assert_eq!(features.as_slice::<f32>(), Some(&expected[..]));
        let error = stage.read(&mut utt).unwrap_err();
        let place = "utterance b".to_owned();
        assert_eq!(error.kind_and_place(), (ErrorKind::Unfit, place));
        assert!(error.can_continue() && !stage.read(&mut utt).unwrap());
    }

    #[test]
    fn refuses_what_is_no_list() {
        for text in [
            "",
            "1,",
            ",1",
            "a",
            "1-",
            "-1",
            "1-2-3",
            "+1",
            "0-99999999",
            "1 2",
        ] {
            assert!(text.parse::<Columns>().is_err(), "{text}");
        }
    }
}
