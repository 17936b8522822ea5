//! The utterances in a batch.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Key;

/// The utterances in a batch: their keys and the positions of their frames. Paddle calls this the
/// level of detail of a tensor.
///
/// Their frames are consecutive or, in a padded batch, each utterance has as many rows as the
/// longest, filled with zeros.
///
/// ```
/// use spr_core::model::Sequences;
/// let mut two = Sequences::default();
/// two.push("a".into(), 3);
/// two.push("b".into(), 1);
/// assert_eq!(two.offsets(), [0, 3, 4]);
/// assert_eq!(two.rows(1), Some(3..4));
/// let two = two.padded();
/// assert_eq!((two.rows(1), two.stride()), (Some(3..4), Some(3)));
/// assert_eq!(two.offsets(), [0, 3, 4], "padding does not count");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequences {
    keys: Vec<Key>,
    offsets: Vec<usize>,
    stride: Option<usize>,
}

impl Default for Sequences {
    /// Returns an empty list.
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            offsets: vec![0],
            stride: None,
        }
    }
}

impl Sequences {
    /// Adds an utterance of `frames` frames.
    pub fn push(&mut self, key: Key, frames: usize) {
        self.keys.push(key);
        self.offsets.push(self.frames() + frames);
    }

    /// Returns the padded form, where each utterance has as many rows as the longest.
    #[must_use]
    pub fn padded(mut self) -> Self {
        self.stride = Some(self.longest());
        self
    }

    /// Returns the number of utterances.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns their keys in order.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Returns the start of each utterance in frames without padding, followed by the end of the
    /// last one.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Returns the number of frames of each utterance.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        self.offsets.windows(2).map(|ends| ends[1] - ends[0])
    }

    /// Returns the number of all frames, without padding.
    pub fn frames(&self) -> usize {
        self.offsets.last().copied().unwrap_or_default()
    }

    /// Returns the number of frames of the longest utterance.
    pub fn longest(&self) -> usize {
        self.lengths().max().unwrap_or_default()
    }

    /// Returns the number of rows per utterance in a padded batch, otherwise `None`.
    pub fn stride(&self) -> Option<usize> {
        self.stride
    }

    /// Returns the rows with the frames of utterance `n`, without padding, or `None` if it does not
    /// exist.
    pub fn rows(&self, n: usize) -> Option<Range<usize>> {
        let (start, end) = (*self.offsets.get(n)?, *self.offsets.get(n + 1)?);
        Some(match self.stride {
            None => start..end,
            Some(stride) => n * stride..n * stride + (end - start),
        })
    }
}
