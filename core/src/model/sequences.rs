//! What one batch holds of several utterances.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Key;

/// The utterances in a batch: their names and where their frames are. This is what Paddle calls the
/// level of detail of a tensor.
///
/// Their frames stand one behind the other, or, in a batch that is padded, each has as many rows as
/// the longest, of which the last ones are zeros.
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
    /// None yet.
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            offsets: vec![0],
            stride: None,
        }
    }
}

impl Sequences {
    /// Adds an utterance of so many frames.
    pub fn push(&mut self, key: Key, frames: usize) {
        self.keys.push(key);
        self.offsets.push(self.frames() + frames);
    }

    /// The same, each with as many rows as the longest has frames.
    #[must_use]
    pub fn padded(mut self) -> Self {
        self.stride = Some(self.longest());
        self
    }

    /// How many utterances there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Their names, in their order.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Where each starts, counted in frames without padding, and behind the last one where it ends.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// How many frames each has.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        self.offsets.windows(2).map(|ends| ends[1] - ends[0])
    }

    /// Frames of all, without padding.
    pub fn frames(&self) -> usize {
        self.offsets.last().copied().unwrap_or_default()
    }

    /// Frames of the longest.
    pub fn longest(&self) -> usize {
        self.lengths().max().unwrap_or_default()
    }

    /// The rows that each takes in a batch that is padded; `None` in another.
    pub fn stride(&self) -> Option<usize> {
        self.stride
    }

    /// The rows that hold the frames of utterance `n`, without padding; `None` if there are not so
    /// many.
    pub fn rows(&self, n: usize) -> Option<Range<usize>> {
        let (start, end) = (*self.offsets.get(n)?, *self.offsets.get(n + 1)?);
        Some(match self.stride {
            None => start..end,
            Some(stride) => n * stride..n * stride + (end - start),
        })
    }
}
