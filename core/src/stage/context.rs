//! Context windows of frames.

use super::frame_cursor::check_single;
use super::stale::Stale;
use crate::bytes::Env;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Limits, Matrix, Rank, TagSubject, Utterance};

/// Extends each frame with the frames before and after it, so that every row is a window of frames,
/// the earliest first. At the edges of an utterance its first and last frame are repeated.
///
/// The number of frames does not change; the number of columns grows by the factor `left + 1 +
/// right`. Labels, and utterances without features, are not changed.
pub struct Context {
    inner: Box<dyn Reader>,
    left: usize,
    right: usize,
    limits: Limits,
    info: DatasetInfo,
    /// The memory for the original frames, apart from that for windows, which is larger.
    frames: Option<Matrix>,
    stale: Stale,
}

impl Context {
    /// Creates windows of `left` frames before and `right` frames after each frame of `inner`,
    /// within `limits`.
    pub fn new(inner: Box<dyn Reader>, left: usize, right: usize, limits: Limits) -> Self {
        let mut context = Self {
            info: inner.info().clone(),
            inner,
            left,
            right,
            limits,
            frames: None,
            stale: Stale::new(TagSubject::Columns),
        };
        let width = context.width().map(|n| n as u64);
        let dim = context.info.dim;
        context.info.dim = dim.and_then(|dim| dim.checked_mul(width?));
        context
    }

    /// Enables a warning about dropped tags that describe the columns.
    #[must_use]
    pub fn telling(mut self, env: &Env) -> Self {
        self.stale.tell(env);
        self
    }

    /// Returns the number of frames in a window.
    fn width(&self) -> Option<usize> {
        self.left.checked_add(self.right)?.checked_add(1)
    }

    /// Replaces the features by windows, in the memory of `windows`.
    fn widen(&mut self, utt: &mut Utterance, windows: Option<Matrix>) -> Result<()> {
        check_single(utt)?;
        if let Some(frames) = utt.features.take() {
            let windows = utt.features.insert(windows.unwrap_or_default());
            let spliced = self.splice(&frames, windows);
            self.frames = Some(frames);
            spliced?;
        }
        Ok(())
    }

    fn splice(&self, from: &Matrix, out: &mut Matrix) -> Result<()> {
        let rows = from.rows();
        let cols = self.width().and_then(|n| from.cols().checked_mul(n));
        let Some(cols) = cols else {
            return Err(Error::limit("the window is too wide"));
        };
        let size = from.dtype().size();
        let (narrow, wide) = (from.cols() * size, cols * size);
        let bytes = out.reset(from.dtype(), Rank::Matrix, rows, cols, &self.limits)?;
        if narrow == 0 {
            return Ok(());
        }
        let from = from.as_bytes();
        let frame = |t: usize| &from[t * narrow..][..narrow];
        for (t, window) in bytes.chunks_exact_mut(wide).enumerate() {
            let first = t.saturating_sub(self.left);
            let last = t.saturating_add(self.right).min(rows - 1);
            let before = (self.left - (t - first)) * narrow;
            let inside = (last + 1 - first) * narrow;
            let (head, rest) = window.split_at_mut(before);
            let (middle, tail) = rest.split_at_mut(inside);
            repeat(frame(0), head);
            middle.copy_from_slice(&from[first * narrow..][..inside]);
            repeat(frame(rows - 1), tail);
        }
        Ok(())
    }
}

fn repeat(frame: &[u8], out: &mut [u8]) {
    for part in out.chunks_exact_mut(frame.len()) {
        part.copy_from_slice(frame);
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Context {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let windows = std::mem::replace(&mut utt.features, self.frames.take());
        let more = self.inner.read(utt)?;
        if more {
            self.widen(utt, windows)
                .map_err(|e| e.utterance(&utt.key).continuable())?;
            if self.width() != Some(1) {
                self.stale.leave_out(utt);
            }
        }
        Ok(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::tests::{List, utterance};

    fn splice(values: &[f32], cols: usize, left: usize, right: usize) -> Vec<Vec<f32>> {
        let list = List::of([utterance("a", values, cols)]);
        let mut context = Context::new(list, left, right, Limits::default());
        let mut utt = Utterance::default();
        assert!(context.read(&mut utt).unwrap());
        let features = utt.features.take().unwrap();
        assert_eq!(features.cols(), cols * (left + 1 + right));
        assert!(!context.read(&mut utt).unwrap());
        let rows = features.as_slice::<f32>().unwrap();
        rows.chunks(features.cols()).map(<[f32]>::to_vec).collect()
    }

    #[test]
    fn edges_are_repeated() {
        assert_eq!(
            splice(&[1.0, 2.0, 3.0], 1, 2, 1),
            [
                [1.0, 1.0, 1.0, 2.0],
                [1.0, 1.0, 2.0, 3.0],
                [1.0, 2.0, 3.0, 3.0]
            ]
        );
        assert_eq!(
            splice(&[1.0, 2.0, 3.0, 4.0], 2, 0, 3),
            [
                [1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 3.0, 4.0],
                [3.0, 4.0, 3.0, 4.0, 3.0, 4.0, 3.0, 4.0]
            ]
        );
        assert_eq!(splice(&[5.0], 1, 2, 2), [[5.0; 5]]);
        assert_eq!(
            splice(&[1.0, 2.0], 2, 0, 0),
            [[1.0, 2.0]],
            "nothing changes"
        );
    }

    #[test]
    fn a_window_too_wide_costs_one_utterance() {
        let limits = Limits {
            max_alloc: 40,
            ..Limits::default()
        };
        let long = utterance("a", &[0.0; 6], 1);
        let short = utterance("b", &[0.0; 3], 1);
        let mut context = Context::new(List::of([long, short]), 1, 1, limits);
        let mut utt = Utterance::default();
        let error = context.read(&mut utt).unwrap_err();
        assert!(error.can_continue() && error.key() == Some(&"a".into()));
        assert!(context.read(&mut utt).unwrap());
        let mut context =
            Context::new(List::of([utterance("a", &[1.0], 1)]), usize::MAX, 1, limits);
        assert!(context.read(&mut utt).is_err());
    }
}
