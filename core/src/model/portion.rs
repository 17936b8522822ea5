//! Long utterances, some rows at a time.

use serde::{Deserialize, Serialize};

/// Which rows of a long utterance these are, where it comes in several portions, one after the
/// other under the same key.
///
/// Readers give portions to those who ask for them; see
/// [`Request::portions`](crate::format::Request::portions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Portion {
    /// Rows of the utterance before these.
    pub first: u64,
    /// Rows of the whole utterance, where they are known before its end.
    pub rows: Option<u64>,
    /// Whether no more of it follows.
    pub is_last: bool,
}

/// Deals out the rows of a long utterance.
///
/// ```
/// use spr_core::model::Portions;
/// assert!(Portions::of(1000, 160).is_none());
/// let mut portions = Portions::of(10_000, 160).unwrap();
/// let (mut rows, mut last) = (0, false);
/// while let Some((portion, n)) = portions.deal() {
///     assert_eq!((portion.first, portion.rows, last), (rows, Some(10_000), false));
///     (rows, last) = (rows + n, portion.is_last);
/// }
/// assert_eq!((rows, last), (10_000, true));
/// ```
#[derive(Clone, Debug)]
pub struct Portions {
    rows: u64,
    next: u64,
    /// Rows in a portion.
    step: u64,
}

impl Portions {
    /// Bytes of features in a portion, about; what has no more of them is not cut.
    pub const BYTES: u64 = 1 << 20;

    /// The portions of so many rows of so many bytes each, if there are several.
    pub fn of(rows: u64, row_bytes: u64) -> Option<Self> {
        let step = (Self::BYTES / row_bytes.max(1)).max(1);
        (rows > step).then_some(Self {
            rows,
            next: 0,
            step,
        })
    }

    /// The next portion and its rows; `None` behind the last.
    pub fn deal(&mut self) -> Option<(Portion, u64)> {
        let (first, left) = (self.next, self.rows - self.next);
        let n = left.min(self.step);
        self.next += n;
        let portion = Portion {
            first,
            rows: Some(self.rows),
            is_last: n == left,
        };
        (n > 0).then_some((portion, n))
    }
}
