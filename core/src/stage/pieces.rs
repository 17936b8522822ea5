//! Utterances taken apart, some frames at a time.

use std::ops::Range;

use crate::format::Reader;
use crate::model::{Matrix, Utterance};
use crate::{Error, Limits, Result};

/// The utterance at hand, of which some frames are gone already.
pub(super) struct Pieces {
    inner: Box<dyn Reader>,
    utt: Utterance,
    gone: usize,
    rows: usize,
}

impl Pieces {
    pub(super) fn new(inner: Box<dyn Reader>) -> Self {
        Self {
            inner,
            utt: Utterance::default(),
            gone: 0,
            rows: 0,
        }
    }

    /// Goes on to the next utterance, which may have no frames.
    pub(super) fn next(&mut self) -> Result<bool> {
        (self.gone, self.rows) = (0, 0);
        if !self.inner.read(&mut self.utt)? {
            return Ok(false);
        }
        self.rows = frames(&self.utt).map_err(|e| e.utterance(&self.utt.key).continuable())?;
        Ok(true)
    }

    /// The utterance at hand.
    pub(super) fn utterance(&self) -> &Utterance {
        &self.utt
    }

    /// Frames not taken yet.
    pub(super) fn left(&self) -> usize {
        self.rows - self.gone
    }

    /// Takes the next frames, at most so many.
    pub(super) fn take(&mut self, most: usize) -> Range<usize> {
        let first = self.gone;
        self.gone += most.min(self.left());
        first..self.gone
    }

    /// Gives the whole utterance away, of which nothing was taken yet.
    pub(super) fn take_all(&mut self, utt: &mut Utterance) {
        self.gone = self.rows;
        std::mem::swap(&mut self.utt, utt);
    }

    /// Passes over what is left of it.
    pub(super) fn skip(&mut self) {
        self.gone = self.rows;
    }
}

/// The frames of an utterance that is not a batch of several, of which features and labels must have
/// as many.
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

/// What tells frames apart must come before utterances are put together.
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

/// Adds rows of one matrix to another of the same type and columns.
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
