//! The layout of numbers between two brackets, detected while they are scanned.

use crate::number::{self, Real, Scan};

/// The content between two brackets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    /// The number of non-empty rows.
    pub(crate) rows: usize,
    /// The number of values in each of them, or in the last one of a triangle.
    pub(crate) cols: usize,
    /// Whether a row ended with a line end or `;`, as in a matrix.
    pub(crate) lines: bool,
    /// Whether two numbers were not separated by white space.
    pub(crate) glued: bool,
    /// The number of values whose type does not hold all their digits.
    pub(crate) rounded: u64,
    /// Whether each row has one number more than the one before.
    growing: TriangleEvidence,
    /// Whether rows start with a space, as in a matrix that is not packed.
    indented: bool,
    /// The number of values in the current row.
    pending: usize,
    /// The number of values in the last row.
    pub(crate) last: usize,
}

/// The evidence for a triangle, where each row has one number more than the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TriangleEvidence {
    #[default]
    No,
    /// The first two rows do, and look like Kaldi's packed matrices.
    Perhaps,
    Yes,
}

/// The reason for leaving a block.
pub(crate) enum Stop {
    /// The closing bracket, or the end of the line.
    Closed,
    /// More bytes are needed.
    Short,
    Bad,
    Ragged,
}

impl Layout {
    /// Expects rows of one number, two, three and so on.
    pub(crate) fn of_triangle() -> Self {
        Self {
            growing: TriangleEvidence::Yes,
            ..Self::default()
        }
    }

    /// Expects either type of rows.
    pub(crate) fn of_any() -> Self {
        Self {
            growing: TriangleEvidence::Perhaps,
            ..Self::default()
        }
    }

    /// Returns `true` if each row has one number more than the one before.
    pub(crate) fn is_triangle(&self) -> bool {
        self.growing == TriangleEvidence::Yes
    }

    /// Ends a row, and returns `false` if its length does not match the rows before.
    fn end_row(&mut self) -> bool {
        let n = std::mem::take(&mut self.pending);
        if n == 0 {
            return true;
        }
        self.rows += 1;
        let packed = (self.rows, self.cols, n) == (2, 1, 2) && !self.indented;
        if packed && self.growing == TriangleEvidence::Perhaps {
            self.growing = TriangleEvidence::Yes;
        }
        if self.is_triangle() {
            self.cols = self.rows;
        } else if self.rows == 1 {
            self.cols = n;
        }
        self.last = n;
        self.cols == n
    }

    /// Returns `true` if all further rows have as many numbers as the last one, and the next one
    /// starts here.
    pub(crate) fn is_settled(&self) -> bool {
        self.rows >= 2 && !self.is_triangle() && self.pending == 0
    }

    /// Begins with the rows `first`, which were scanned separately as [of any](Self::of_any) layout. Returns
    /// `false` if there were rows before, or if these are not to be a triangle but are.
    pub(crate) fn begin(&mut self, first: &Self) -> bool {
        let triangle = first.is_triangle();
        let expected = self.growing == TriangleEvidence::Perhaps;
        if self.rows > 0 || self.pending > 0 || self.is_triangle() || triangle && !expected {
            return false;
        }
        let growing = match expected {
            true => first.growing,
            false => TriangleEvidence::No,
        };
        *self = Self { growing, ..*first };
        true
    }

    /// Adds rows that were scanned separately after these. Returns `false`
    /// if these are not, or if they do not match.
    pub(crate) fn append(&mut self, part: &Self) -> bool {
        if !self.is_settled() {
            return false;
        }
        if part.rows == 0 {
            self.lines |= part.lines;
            return true;
        }
        if part.cols != self.cols {
            return false;
        }
        self.rows += part.rows;
        self.lines |= part.lines;
        self.glued |= part.glued;
        self.rounded += part.rounded;
        self.last = part.last;
        true
    }

    /// Parses the numbers of `bytes` into `block`, and returns the number of bytes consumed. `last`
    /// means that nothing follows.
    pub(crate) fn scan<T: Real>(
        &mut self,
        bytes: &[u8],
        last: bool,
        block: &mut Vec<T>,
    ) -> (usize, Stop) {
        let mut at = 0;
        let mut end = usize::MAX;
        while let Some(b) = bytes.get(at) {
            match b {
                b' ' | b'\t' | 0x0b..=b'\r' => at += 1,
                b'\n' | b';' => {
                    self.lines = true;
                    self.indented |= bytes.get(at + 1) == Some(&b' ');
                    if !self.end_row() {
                        return (at, Stop::Ragged);
                    }
                    at += 1;
                }
                b']' => {
                    return match self.end_row() {
                        true => (at + 1, Stop::Closed),
                        false => (at, Stop::Ragged),
                    };
                }
                _ => match number::real::<T>(&bytes[at..], last, &mut self.rounded) {
                    Scan::Number(value, len) => {
                        self.glued |= at == end;
                        block.push(value);
                        self.pending += 1;
                        at += len;
                        end = at;
                    }
                    Scan::Unfinished => return (at, Stop::Short),
                    Scan::Bad => return (at, Stop::Bad),
                },
            }
        }
        (at, Stop::Short)
    }
}
