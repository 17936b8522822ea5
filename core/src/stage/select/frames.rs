//! Selection of frames.

use std::ops::Range;

use super::super::stale::Stale;
use super::Ranges;
use crate::bytes::Env;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Limits, Matrix, TagSubject, Utterance};
use crate::stage::frame_cursor::frames;

/// Selects frames of each utterance, features and labels alike, in the order of the ranges.
///
/// Selections that do not start with the first frame lose the frame offset, and those that are not
/// contiguous lose the frame shift.
pub struct SelectFrames {
    inner: Box<dyn Reader>,
    frames: Ranges,
    limits: Limits,
    info: DatasetInfo,
    /// The original features or labels.
    all: Matrix,
    stale: Stale,
}

impl SelectFrames {
    /// Selects the `frames` of each utterance of `inner`, within `limits`.
    pub fn new(inner: Box<dyn Reader>, frames: impl Into<Ranges>, limits: Limits) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            frames: frames.into(),
            limits,
            all: Matrix::default(),
            stale: Stale::new(TagSubject::Frames),
        }
    }

    /// Enables a warning about dropped tags that describe the frames.
    #[must_use]
    pub fn telling(mut self, env: &Env) -> Self {
        self.stale.tell(env);
        self
    }

    fn select(&mut self, utt: &mut Utterance) -> Result<()> {
        if let Some(other) = utt.other() {
            return Err(Error::unfit(format!(
                "has {other}, from which frames can't be selected"
            )));
        }
        let n = frames(utt)?;
        let runs = self.frames.of("frame", n)?;
        for matrix in [&mut utt.features, &mut utt.labels].into_iter().flatten() {
            self.select_rows(matrix, &runs)?;
        }
        if runs.first().is_some_and(|run| run.start > 0) {
            utt.meta.frame_offset = None;
        }
        if runs.len() > 1 {
            utt.meta.frame_shift = None;
        }
        if !matches!(&runs[..], [all] if *all == (0..n)) {
            self.stale.leave_out(utt);
        }
        Ok(())
    }

    fn select_rows(&mut self, matrix: &mut Matrix, runs: &[Range<usize>]) -> Result<()> {
        if matches!(runs, [all] if *all == (0..matrix.rows())) {
            return Ok(());
        }
        std::mem::swap(&mut self.all, matrix);
        let all = &self.all;
        matrix.start_like(all);
        let size = all.cols() * all.dtype().size();
        for run in runs {
            let bytes = &all.as_bytes()[run.start * size..run.end * size];
            matrix
                .extend_rows(run.len(), &self.limits)?
                .copy_from_slice(bytes);
        }
        Ok(())
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for SelectFrames {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance has fewer frames than requested; the next one can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if more {
            self.select(utt)
                .map_err(|e| e.utterance(&utt.key).continuable())?;
        }
        Ok(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::model::Rank;
    use crate::stage::tests::{List, utterance};

    #[test]
    fn features_and_labels_go_together() {
        let mut long = utterance("a", &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 2);
        long.labels = Some(Matrix::from_rows(&[7i32, 8, 9], 1, Rank::Vector).unwrap());
        let short = utterance("b", &[1.0, 2.0], 2);
        let ranges: Ranges = "^0,0-1".parse().unwrap();
        let list = List::of([long, short.clone(), short]);
        let mut stage = SelectFrames::new(list, ranges, Limits::default());
        let mut utt = Utterance::default();
        assert!(stage.read(&mut utt).unwrap());
        let features = utt.features.as_ref().unwrap().as_slice::<f32>();
        assert_eq!(features, Some(&[4.0, 5.0, 0.0, 1.0, 2.0, 3.0][..]));
        let labels = utt.labels.as_ref().unwrap();
        assert_eq!(labels.as_slice::<i32>(), Some(&[9, 7, 8][..]));
        assert_eq!(labels.rank(), Rank::Vector);
        for _ in 0..2 {
            let error = stage.read(&mut utt).unwrap_err();
            let place = "utterance b".to_owned();
            assert_eq!(error.kind_and_place(), (ErrorKind::Unfit, place));
            assert!(error.can_continue());
        }
        assert!(!stage.read(&mut utt).unwrap());
    }
}
