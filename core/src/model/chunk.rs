//! Long utterances in chunks of rows.

use serde::{Deserialize, Serialize};

/// The position of these rows in a long utterance that is passed on in several chunks under the
/// same key.
///
/// Readers return chunks if requested: see
/// [`Request::chunks`](crate::format::Request::chunks).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// The number of preceding rows.
    pub first: u64,
    /// The number of rows in the whole utterance, if known in advance.
    pub rows: Option<u64>,
    /// Whether this is the last chunk.
    pub is_last: bool,
}

/// Divides the rows of a long utterance.
///
/// ```
/// use spr_core::model::Chunks;
/// assert!(Chunks::of(1000, 160).is_none());
/// let mut chunks = Chunks::of(10_000, 160).unwrap();
/// let (mut rows, mut last) = (0, false);
/// while let Some((chunk, n)) = chunks.deal() {
///     assert_eq!((chunk.first, chunk.rows, last), (rows, Some(10_000), false));
///     (rows, last) = (rows + n, chunk.is_last);
/// }
/// assert_eq!((rows, last), (10_000, true));
/// ```
#[derive(Clone, Debug)]
pub struct Chunks {
    rows: u64,
    next: u64,
    /// The number of rows in a chunk.
    step: u64,
}

impl Chunks {
    /// The approximate size of a chunk in bytes of features; smaller utterances are not divided.
    pub const BYTES: u64 = 1 << 20;

    /// Returns the chunks of `rows` rows of `row_bytes` bytes each, if there are several.
    pub fn of(rows: u64, row_bytes: u64) -> Option<Self> {
        let step = (Self::BYTES / row_bytes.max(1)).max(1);
        (rows > step).then_some(Self {
            rows,
            next: 0,
            step,
        })
    }

    /// Returns the next chunk and its number of rows, or `None` after the last.
    pub fn deal(&mut self) -> Option<(Chunk, u64)> {
        let (first, left) = (self.next, self.rows - self.next);
        let n = left.min(self.step);
        self.next += n;
        let chunk = Chunk {
            first,
            rows: Some(self.rows),
            is_last: n == left,
        };
        (n > 0).then_some((chunk, n))
    }
}
