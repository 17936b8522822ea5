//! Shapes, declared or found, and their plausibility for the text.

use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::{Error, Limits, Result};

/// The shape of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixShape {
    pub(crate) rank: Rank,
    pub(crate) rows: u64,
    pub(crate) cols: u64,
}

impl MatrixShape {
    /// Converts declared sizes.
    ///
    /// # Errors
    /// There are more than two sizes.
    pub(crate) fn new(sizes: &[u64]) -> Result<Self> {
        let (rank, rows, cols) = match *sizes {
            [] => (Rank::Scalar, 1, 1),
            [rows] => (Rank::Vector, rows, 1),
            [rows, cols] => (Rank::Matrix, rows, cols),
            _ => {
                return Err(Error::malformed(format!(
                    "a shape of {} dimensions, at most two are possible",
                    sizes.len()
                )));
            }
        };
        Ok(Self { rank, rows, cols })
    }

    /// Infers the shape of a list: numbers, or lists as long as the first one. `text` is valid
    /// JSON.
    pub(crate) fn of(text: &str) -> Result<Self> {
        let Some(inner) = text.strip_prefix('[') else {
            return Err(Error::malformed("the labels are not a list"));
        };
        let values = |list: &str| match list.trim_ascii() {
            "" | "]" => 0,
            list => 1 + count(list, b','),
        };
        let inner = inner.trim_ascii_start();
        Ok(match inner.strip_prefix('[') {
            Some(row) => Self {
                rank: Rank::Matrix,
                rows: 1 + count(row, b'['),
                cols: values(row.split(']').next().unwrap_or_default()),
            },
            None => Self {
                rank: Rank::Vector,
                rows: values(inner),
                cols: 1,
            },
        })
    }

    /// Returns the sizes to be written, and their number.
    pub(crate) fn sizes(self) -> ([u64; 2], usize) {
        let dimensions = match self.rank {
            Rank::Scalar => 0,
            Rank::Vector => 1,
            Rank::Matrix => 2,
        };
        ([self.rows, self.cols], dimensions)
    }

    /// Resizes `into` to this shape and type, after checking that `text` can contain as many
    /// values.
    ///
    /// # Errors
    /// It cannot, or the size exceeds `limits`. A wrong shape allocates nothing.
    pub(crate) fn make(
        self,
        text: &str,
        dtype: Dtype,
        into: &mut Matrix,
        limits: &Limits,
    ) -> Result<()> {
        let (rows, cols) = (self.rows, self.cols);
        limits.matrix_bytes(dtype, rows, cols)?;
        let (sizes, dimensions) = self.sizes();
        check_sizes(text, &sizes[..dimensions])?;
        let made = into.reset(dtype, self.rank, to_usize(rows), to_usize(cols), limits)?;
        made.fill(0);
        Ok(())
    }
}

fn count(text: &str, byte: u8) -> u64 {
    text.bytes().filter(|b| *b == byte).count() as u64
}

/// Checks that lists of these sizes fit into `text`.
pub(crate) fn check_sizes(text: &str, sizes: &[u64]) -> Result<()> {
    // A value takes a digit and a separator, an empty list its brackets.
    let lists = sizes.iter().take_while(|size| **size > 0);
    let least = lists.fold(2u64, |least, size| least.saturating_mul(*size));
    if least <= text.len() as u64 + 1 {
        return Ok(());
    }
    let sizes: Vec<_> = sizes.iter().map(u64::to_string).collect();
    Err(Error::malformed(format!(
        "the shape says {} values, the data are too short for that",
        sizes.join(" x ")
    )))
}

/// Converts a number that is known to be below the length of a text in memory.
pub(crate) fn to_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_shape() {
        for (text, rank, rows, cols) in [
            ("[]", Rank::Vector, 0, 1),
            ("[ 1, 2 ]", Rank::Vector, 2, 1),
            ("[[1,2],[3,4],[5,6]]", Rank::Matrix, 3, 2),
            ("[ [ ] ]", Rank::Matrix, 1, 0),
        ] {
            assert_eq!(
                MatrixShape::of(text).unwrap(),
                MatrixShape { rank, rows, cols },
                "{text}"
            );
        }
        assert!(MatrixShape::of("7").is_err());
    }
}
