//! Packed square matrices, stored as their lower triangle.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Element, Matrix, Rank, Tag, Utterance};
use spr_core::{Error, Limits, Result};

use crate::binary::size;
use crate::kind::{ObjectKind, Precision};

/// The key of the tag, of format `kaldi`, that marks a matrix as stored packed.
pub(crate) const PACKED: &[u8] = b"packed";

/// The content above the diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upper {
    /// The lower triangle, mirrored.
    Mirrored,
    Zero,
}

impl Upper {
    /// Returns the content implied by a requested kind, if that is a packed one.
    pub(crate) fn of(holder: Option<ObjectKind>) -> Option<Self> {
        match holder {
            Some(ObjectKind::Symmetric) => Some(Self::Mirrored),
            Some(ObjectKind::Triangular) => Some(Self::Zero),
            _ => None,
        }
    }

    /// Returns the name in the tag.
    fn name(self) -> &'static [u8] {
        match self {
            Self::Mirrored => b"symmetric",
            Self::Zero => b"triangular",
        }
    }
}

/// Returns the tag that marks a matrix as stored packed.
pub(crate) fn tag(upper: Upper) -> Tag {
    Tag::new("kaldi", PACKED, upper.name())
}

/// Returns the lower triangle of the features of `utt`, row by row, if they were stored packed and
/// still are such a square. A stage may have changed them since.
pub(crate) fn triangle(utt: &Utterance) -> Option<Vec<&[u8]>> {
    let tag = utt.meta.tags.iter().find(|tag| tag.key == PACKED)?;
    let matrix = utt.features.as_ref()?;
    let (n, size) = (matrix.rows(), matrix.dtype().size());
    if matrix.rank() != Rank::Matrix || matrix.cols() != n {
        return None;
    }
    let bytes = matrix.as_bytes();
    let at = |row: usize, col: usize| bytes.get((row * n + col) * size..)?.get(..size);
    let zero = [0; size_of::<f64>()];
    let above = |row: usize, col: usize| match &tag.value[..] == Upper::Zero.name() {
        true => zero.get(..size),
        false => at(row, col),
    };
    let kept = (0..n).all(|row| (0..row).all(|col| at(col, row) == above(row, col)));
    let row = |row: usize| bytes.get(row * n * size..)?.get(..(row + 1) * size);
    kept.then(|| (0..n).map(row).collect()).flatten()
}

/// Reads a packed matrix after its token, and fills the square.
pub(crate) fn read(
    source: &mut Source,
    into: &mut Matrix,
    (precision, upper): (Precision, Upper),
    limits: &Limits,
) -> Result<()> {
    let n = size(source, "rows")?;
    let place = source.offset();
    limits
        .matrix_bytes(precision.dtype(), n, n)
        .map_err(|e| e.file(source.name()).byte(place))?;
    let mut triangle = Matrix::default();
    let shape = (precision.dtype(), Rank::Vector, n * (n + 1) / 2, 1);
    source.read_matrix(&mut triangle, shape, ByteOrder::Little, limits)?;
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    square((&triangle, precision), n, into, upper, limits)
}

/// Fills a square of `n` rows from its lower triangle, row by row.
///
/// # Errors
/// It exceeds the limits.
pub(crate) fn square(
    (triangle, precision): (&Matrix, Precision),
    n: usize,
    into: &mut Matrix,
    upper: Upper,
    limits: &Limits,
) -> Result<()> {
    into.reset(triangle.dtype(), Rank::Matrix, n, n, limits)?;
    match precision {
        Precision::Single => fill(triangle, into, 0f32, upper),
        Precision::Double => fill(triangle, into, 0f64, upper),
    }
}

fn fill<T: Element>(triangle: &Matrix, into: &mut Matrix, zero: T, upper: Upper) -> Result<()> {
    let mut values = triangle.values::<T>()?.iter().copied();
    let n = into.cols();
    let out = into.values_mut::<T>()?;
    for row in 0..n {
        for col in 0..=row {
            let Some(value) = values.next() else {
                let message = format!("a packed matrix of {n} rows with too few values");
                return Err(Error::malformed(message));
            };
            out[col * n + row] = match upper {
                Upper::Mirrored => value,
                Upper::Zero => zero,
            };
            out[row * n + col] = value;
        }
    }
    Ok(())
}
