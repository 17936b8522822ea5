//! What the numbers of one utterance are, and those of all.

use spr_core::model::{Dtype, Element, Matrix, Rank, Utterance, Wide};
use spr_core::{Error, dispatch};

use super::findings::Findings;

/// What the first utterance was like; others are expected to be the same.
#[derive(Default)]
pub(super) struct Alike {
    dim: Option<usize>,
    dtype: Option<Dtype>,
    label_columns: Option<usize>,
    rate: Option<u32>,
}

impl Alike {
    /// Checks an utterance by itself and against the first. Without `values` the numbers hold
    /// anything.
    pub(super) fn check(
        &mut self,
        utt: &Utterance,
        values: bool,
        place: &dyn Fn(Error) -> Error,
        findings: &mut Findings<'_>,
    ) {
        let error = |message: String| place(Error::unfit(message).utterance(&utt.key));
        if let Some(features) = &utt.features {
            if features.rows() == 0 {
                findings.note("empty", error("has no frames".to_owned()));
            }
            if features.rank() == Rank::Matrix && !features.is_empty() {
                let dim = *self.dim.get_or_insert(features.cols());
                if dim != features.cols() {
                    let message = format!("{} columns, the first has {dim}", features.cols());
                    findings.fault("columns", error(message));
                }
            }
            let dtype = *self.dtype.get_or_insert(features.dtype());
            if dtype != features.dtype() {
                let message = format!("holds {}, the first {dtype}", features.dtype());
                findings.note("types", error(message));
            }
            if values && let Some(message) = not_finite(features) {
                findings.fault("values", error(message));
            }
        }
        if let Some(labels) = &utt.labels {
            let columns = *self.label_columns.get_or_insert(labels.cols());
            if columns != labels.cols() && !labels.is_empty() {
                let message = format!("{} labels a frame, the first has {columns}", labels.cols());
                findings.fault("label columns", error(message));
            }
        }
        if let (Some(features), Some(labels)) = (&utt.features, &utt.labels)
            && features.rows() != labels.rows()
        {
            let (frames, labels) = (features.rows(), labels.rows());
            findings.fault(
                "labels",
                error(format!("{frames} frames, but {labels} labels")),
            );
        }
        if let Some(audio) = &utt.audio {
            let rate = *self.rate.get_or_insert(audio.rate);
            if rate != audio.rate {
                let message = format!("{} samples/s, the first has {rate}", audio.rate);
                findings.note("rates", error(message));
            }
        }
    }
}

/// What is said of a matrix with numbers that are not finite.
fn not_finite(matrix: &Matrix) -> Option<String> {
    dispatch!(matrix.dtype(), T => count(matrix.as_slice::<T>()?, matrix.cols()))
}

fn count<T: Element>(values: &[T], cols: usize) -> Option<String> {
    let (mut nans, mut infinities, mut first) = (0u64, 0u64, None);
    for (at, value) in values.iter().enumerate() {
        let Wide::Float(value) = value.widen() else {
            return None;
        };
        if !value.is_finite() {
            match value.is_nan() {
                true => nans += 1,
                false => infinities += 1,
            }
            first.get_or_insert(at);
        }
    }
    let at = first?;
    let cols = cols.max(1);
    let (row, column) = (at / cols, at % cols);
    let parts = [(nans, "NaN"), (infinities, "infinite")].into_iter();
    let parts: Vec<_> = parts
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{n} {what}"))
        .collect();
    Some(format!(
        "{} of {} values, first in frame {row}, column {column}",
        parts.join(" and "),
        values.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_is_not_finite() {
        let values = [0.0f32, f32::NAN, 2.0, f32::INFINITY, f32::NAN, 1.0];
        let message = count(&values, 3).unwrap();
        assert_eq!(
            message,
            "2 NaN and 1 infinite of 6 values, first in frame 0, column 1"
        );
        assert_eq!(count(&[1.0f64], 1), None);
        assert_eq!(count(&[1i32], 1), None);
    }
}
