//! Consumption of utterances by frames.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{Limits, Matrix, Utterance};

/// A reader's current utterance, of which some frames have been consumed.
pub(super) struct FrameCursor {
    inner: Box<dyn Reader>,
    utt: Utterance,
    gone: usize,
    rows: usize,
}

impl FrameCursor {
    pub(super) fn new(inner: Box<dyn Reader>) -> Self {
        Self {
            inner,
            utt: Utterance::default(),
            gone: 0,
            rows: 0,
        }
    }

    /// Reads the next utterance, which may have no frames.
    pub(super) fn next(&mut self) -> Result<bool> {
        (self.gone, self.rows) = (0, 0);
        if !self.inner.read(&mut self.utt)? {
            return Ok(false);
        }
        self.rows = frames(&self.utt).map_err(|e| e.utterance(&self.utt.key).continuable())?;
        Ok(true)
    }

    /// Returns the current utterance.
    pub(super) fn utterance(&self) -> &Utterance {
        &self.utt
    }

    /// Returns the number of remaining frames.
    pub(super) fn left(&self) -> usize {
        self.rows - self.gone
    }

    /// Consumes the next frames, at most `most`.
    pub(super) fn take(&mut self, most: usize) -> Range<usize> {
        let first = self.gone;
        self.gone += most.min(self.left());
        first..self.gone
    }

    /// Moves the whole utterance out, of which nothing was consumed.
    pub(super) fn take_all(&mut self, utt: &mut Utterance) {
        self.gone = self.rows;
        std::mem::swap(&mut self.utt, utt);
    }

    /// Skips the rest.
    pub(super) fn skip(&mut self) {
        self.gone = self.rows;
    }
}

/// Returns the number of frames of an utterance that is not a batch, with as many features as
/// labels.
pub(super) fn frames(utt: &Utterance) -> Result<usize> {
    check_single(utt)?;
    let rows = |matrix: &Option<Matrix>| matrix.as_ref().map(Matrix::rows);
    match (rows(&utt.features), rows(&utt.labels)) {
        (Some(f), Some(l)) if f != l => Err(Error::unfit(format!(
            "{f} frames of features, but labels for {l}"
        ))),
        (f, l) => Ok(f.or(l).unwrap_or(0)),
    }
}

/// Rejects batches, because stages that depend on utterances must come before.
pub(super) fn check_single(utt: &Utterance) -> Result<()> {
    match &utt.sequences {
        Some(batch) => Err(Error::unfit(format!(
            "is a batch of {} utterances, whose frames can't be told apart here",
            batch.len()
        ))
        .hint("make batches last")),
        None => Ok(()),
    }
}

/// Appends rows of a matrix to another one with the same type and columns.
pub(super) fn append(
    to: &mut Matrix,
    from: &Matrix,
    rows: Range<usize>,
    limits: &Limits,
) -> Result<()> {
    let size = from.cols() * from.dtype().size();
    let bytes = &from.as_bytes()[rows.start * size..rows.end * size];
    to.extend_rows(rows.len(), limits)?.copy_from_slice(bytes);
    Ok(())
}
