//! What numbers between two brackets look like, found out while they are scanned.

use crate::number::{self, Real, Scan};

/// What stood between two brackets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    /// Rows that are not empty.
    pub(crate) rows: usize,
    /// Numbers in each of them, or in the last one of a triangle.
    pub(crate) cols: usize,
    /// Whether a row was ended by a line end or `;`, as in a matrix.
    pub(crate) lines: bool,
    /// Whether two numbers had no white space between them.
    pub(crate) glued: bool,
    /// Numbers whose digits were not all held.
    pub(crate) rounded: u64,
    /// Whether each row has a number more than the one before.
    growing: Growing,
    /// Whether a space follows the start of a row, as in a matrix that is not packed.
    indented: bool,
    /// Numbers in the row so far.
    pending: usize,
    /// Numbers in the last row.
    pub(crate) last: usize,
}

/// Whether each row has a number more than the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Growing {
    #[default]
    No,
    /// If the first two rows do, and look as Kaldi writes packed matrices.
    Perhaps,
    Yes,
}

/// Why a block was left.
pub(crate) enum Stop {
    /// The closing bracket, or the end of the line.
    Closed,
    /// More bytes are needed.
    Short,
    Bad,
    Ragged,
}

impl Layout {
    /// Rows of one number, of two, of three and so on.
    pub(crate) fn of_triangle() -> Self {
        Self {
            growing: Growing::Yes,
            ..Self::default()
        }
    }

    /// Rows of either sort.
    pub(crate) fn of_any() -> Self {
        Self {
            growing: Growing::Perhaps,
            ..Self::default()
        }
    }

    /// Whether each row has a number more than the one before.
    pub(crate) fn is_triangle(&self) -> bool {
        self.growing == Growing::Yes
    }

    /// Ends a row; `false` if it differs from those before.
    fn end_row(&mut self) -> bool {
        let n = std::mem::take(&mut self.pending);
        if n == 0 {
            return true;
        }
        self.rows += 1;
        let packed = (self.rows, self.cols, n) == (2, 1, 2) && !self.indented;
        if packed && self.growing == Growing::Perhaps {
            self.growing = Growing::Yes;
        }
        if self.is_triangle() {
            self.cols = self.rows;
        } else if self.rows == 1 {
            self.cols = n;
        }
        self.last = n;
        self.cols == n
    }

    /// Whether each row to come has as many numbers as the one before, and starts here.
    pub(crate) fn is_settled(&self) -> bool {
        self.rows >= 2 && !self.is_triangle() && self.pending == 0
    }

    /// Adds the rows that were scanned on their own behind these, which are settled; `false` if they
    /// do not fit.
    pub(crate) fn append(&mut self, part: &Self) -> bool {
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

    /// Adds the numbers of `bytes`, behind which nothing follows if they are the `last`, to `block`,
    /// and returns how many bytes were used.
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
