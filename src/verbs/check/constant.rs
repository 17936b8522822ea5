//! Features that are constant, in an utterance or throughout a data set.

use spr_core::model::{Element, Matrix, Rank, Wide};
use spr_core::{Error, dispatch};

use super::about;
use super::findings::Findings;

/// The columns that are followed.
const COLUMNS: usize = 10_000;

/// The frames from which on a constant column is no coincidence.
const FRAMES: u64 = 100;

/// The value of each column of a data set as long as it is the same in all frames.
#[derive(Default)]
pub(super) struct ConstantColumns {
    /// One item for each column, from the first utterance on.
    values: Vec<Option<f64>>,
    frames: u64,
}

impl ConstantColumns {
    /// Notes an utterance whose values are all equal, and follows its columns. Only matrices of
    /// floats count: labels and decisions may well be constant.
    pub(super) fn check(
        &mut self,
        features: &Matrix,
        error: &dyn Fn(String) -> Error,
        findings: &mut Findings<'_>,
    ) {
        let is_matrix = features.rank() == Rank::Matrix && features.dtype().is_float();
        if !is_matrix || features.is_empty() {
            return;
        }
        let cols = features.cols();
        let first = dispatch!(features.dtype(), T => features.as_slice::<T>().and_then(same));
        if let Some(value) = first.filter(|_| features.rows() > 1) {
            let message = format!("all {} values are {value}", features.len());
            findings.note("constant", error(message));
        }
        if self.frames == 0 {
            let row = dispatch!(features.dtype(), T => features.as_slice::<T>().map(start));
            self.values = row.unwrap_or_default();
            self.values.truncate(cols);
        }
        self.frames += features.rows() as u64;
        if self.values.iter().any(Option::is_some) {
            dispatch!(features.dtype(), T => {
                let values = features.as_slice::<T>().unwrap_or_default();
                self.follow(values, cols);
            });
        }
    }

    fn follow<T: Element>(&mut self, values: &[T], cols: usize) {
        for row in values.chunks_exact(cols.max(1)) {
            for (own, value) in self.values.iter_mut().zip(row) {
                if *own != Some(number(*value)) {
                    *own = None;
                }
            }
        }
    }

    /// Notes the columns that are constant in all frames, unless all are.
    pub(super) fn finish(self, name: &str, findings: &mut Findings<'_>) {
        let all = self.values.iter().all(Option::is_some);
        if self.frames < FRAMES || (all && self.values.len() > 1) {
            return;
        }
        for (column, value) in self.values.iter().enumerate() {
            if let Some(value) = value {
                let frames = self.frames;
                let message = format!("column {column} is {value} in all {frames} frames");
                findings.note("constant", about(name, message));
            }
        }
    }
}

/// Returns the value of all elements, if they are equal.
fn same<T: Element>(values: &[T]) -> Option<f64> {
    let first = number(*values.first()?);
    values
        .iter()
        .all(|value| number(*value) == first)
        .then_some(first)
}

/// Returns the first elements.
fn start<T: Element>(values: &[T]) -> Vec<Option<f64>> {
    let first = values.iter().take(COLUMNS);
    first.map(|value| Some(number(*value))).collect()
}

/// Returns a float. NaN equals nothing, and is reported as a fault.
fn number<T: Element>(value: T) -> f64 {
    match value.to_wide() {
        Wide::Float(value) => value,
        _ => f64::NAN,
    }
}
