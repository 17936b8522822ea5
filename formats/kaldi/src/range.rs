//! Ranges of objects: `[rows]` or `[rows,columns]`, each `first:last` (inclusive) or `:`. In front of
//! columns no rows stand for all.

use spr_core::model::{Matrix, Rank, Utterance};
use spr_core::{Error, Limits, Result};

/// The warning about a range whose end was moved back.
pub(crate) const CLIPPED: &str = "the range goes past the last row, to which it is cut";

/// The number of rows by which a row range may exceed the matrix.
const OVERSHOOT: usize = 3;

/// The first and last index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct IndexRange {
    first: usize,
    last: usize,
}

/// A range of a matrix or a vector, where `None` stands for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    rows: Option<IndexRange>,
    /// The column range, if one was given.
    columns: Option<Option<IndexRange>>,
}

impl Range {
    /// Parses the text between the brackets.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let parse = || {
            Some(match text.split_once(',') {
                None => Self {
                    rows: span(text)?,
                    columns: None,
                },
                Some((rows, columns)) => Self {
                    // Kaldi's documentation has it so, and its programs refuse it.
                    rows: match rows {
                        "" => None,
                        rows => span(rows)?,
                    },
                    columns: Some(span(columns)?),
                },
            })
        };
        parse().ok_or_else(|| {
            Error::malformed(format!("'[{text}]' is not a range"))
                .hint("a range is [rows] or [rows,columns], each first:last or just ':'")
        })
    }

    /// Copies the range of the features of `object` into `utt`, whose key is kept. Returns `true` if
    /// the end was moved back to the last row.
    ///
    /// # Errors
    /// The object has no features, or not as many.
    pub(crate) fn take(
        &self,
        object: &Utterance,
        utt: &mut Utterance,
        limits: &Limits,
    ) -> Result<bool> {
        let Some(whole) = &object.features else {
            let message = "a range, but only matrices and vectors of floats have them";
            return Err(Error::malformed(message));
        };
        utt.start();
        utt.origin = object.origin.clone();
        self.cut(whole, utt.features_mut(), limits)
    }

    /// Copies the range of `from` into `into`. Returns `true` if the end was moved back to the last
    /// row.
    fn cut(&self, from: &Matrix, into: &mut Matrix, limits: &Limits) -> Result<bool> {
        if from.rank() != Rank::Matrix && self.columns.is_some() {
            return Err(Error::malformed("a range of columns, but it is a vector"));
        }
        let (rows, clipped) = rows(self.rows, from.rows())?;
        let columns = columns(self.columns.flatten(), from.cols())?;
        into.start(from.dtype(), from.rank(), columns.len());
        let size = from.dtype().size();
        let (stride, width) = (from.cols() * size, columns.len() * size);
        let out = into.extend_rows(rows.len(), limits)?;
        if width > 0 {
            let lines = from.as_bytes().chunks_exact(stride).skip(rows.start);
            for (line, out) in lines.zip(out.chunks_exact_mut(width)) {
                out.copy_from_slice(&line[columns.start * size..][..width]);
            }
        }
        Ok(clipped)
    }
}

fn rows(span: Option<IndexRange>, n: usize) -> Result<(std::ops::Range<usize>, bool)> {
    match span {
        None => Ok((0..n, false)),
        Some(IndexRange { first, last }) if first < n && last < n + OVERSHOOT => {
            Ok((first..n.min(last + 1), last >= n))
        }
        Some(IndexRange { first, last }) => Err(Error::malformed(format!(
            "the range {first}:{last} is outside its {n} rows"
        ))),
    }
}

fn columns(span: Option<IndexRange>, n: usize) -> Result<std::ops::Range<usize>> {
    match span {
        None => Ok(0..n),
        Some(IndexRange { first, last }) if last < n => Ok(first..last + 1),
        Some(IndexRange { first, last }) => Err(Error::malformed(format!(
            "the range {first}:{last} is outside its {n} columns"
        ))),
    }
}

/// Parses a range. Returns `Some(None)` for a bare colon, `None` for invalid text.
fn span(text: &str) -> Option<Option<IndexRange>> {
    let (first, last) = text.split_once(':')?;
    if first.is_empty() && last.is_empty() {
        return Some(None);
    }
    let span = IndexRange {
        first: index(first)?,
        last: index(last)?,
    };
    (span.first <= span.last).then_some(Some(span))
}

/// Parses a number as in C: white space and a plus sign may come first.
fn index(text: &str) -> Option<usize> {
    let text = text.trim_start_matches([' ', '\t', '\x0b', '\x0c', '\r', '\n']);
    let digits = text.strip_prefix('+').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse::<i32>().ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(range: &str, rows: usize, cols: usize) -> Option<(Vec<f32>, usize, usize, bool)> {
        let values: Vec<f32> = (0u16..).map(f32::from).take(rows * cols).collect();
        let from = Matrix::from_rows(&values, cols, Rank::Matrix).unwrap();
        let mut into = Matrix::default();
        let range = Range::parse(range).unwrap();
        let clipped = range.cut(&from, &mut into, &Limits::default()).ok()?;
        let values = into.as_slice::<f32>().unwrap().to_vec();
        Some((values, into.rows(), into.cols(), clipped))
    }

    #[test]
    fn both_ends_count() {
        assert_eq!(cut("1:2", 4, 2), Some((vec![2., 3., 4., 5.], 2, 2, false)));
        assert_eq!(cut("1:1,0:0", 3, 2), Some((vec![2.], 1, 1, false)));
        assert_eq!(cut(":,1:1", 2, 2), Some((vec![1., 3.], 2, 1, false)));
        assert_eq!(cut(":,:", 1, 2), Some((vec![0., 1.], 1, 2, false)));
        assert_eq!(cut(",1:1", 2, 2), cut(":,1:1", 2, 2));
        assert_eq!(cut(" 0:+00", 2, 1), Some((vec![0.], 1, 1, false)));
    }

    #[test]
    fn rows_may_overshoot_a_little() {
        assert_eq!(cut("2:6", 4, 1), Some((vec![2., 3.], 2, 1, true)));
        assert_eq!(cut("2:7", 4, 1), None);
        assert_eq!(cut("4:5", 4, 1), None);
        assert_eq!(cut("0:0,0:1", 4, 1), None);
    }

    #[test]
    fn half_ranges_are_refused() {
        for text in [
            "",
            ":3",
            "1:",
            "3",
            ",",
            ",:3",
            "0:1,",
            "0:1,,",
            "0:1:2",
            "2:1",
            "-1:2",
            "0 :1",
            "0:1,0:1,0:1",
            "a:b",
            "0:99999999999",
        ] {
            assert!(Range::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn vectors_have_no_columns() {
        let from = Matrix::from_rows(&[1.0f32, 2.0], 1, Rank::Vector).unwrap();
        let mut into = Matrix::default();
        let range = Range::parse("0:0,0:0").unwrap();
        assert!(range.cut(&from, &mut into, &Limits::default()).is_err());
    }
}
