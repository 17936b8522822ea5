//! The numbers after a header.

pub(crate) mod binary;
mod coder;
mod codes;
pub(crate) mod text;

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{CastStats, Matrix, Rank};
use spr_core::number::companding::Companding;
use spr_core::{Limits, Result};

pub(crate) use coder::{Body, unpacked};

use crate::vocabulary::{Encoding, StoredType};

/// The number of bytes inspected or buffered at a time.
const BLOCK: usize = 64 << 10;

/// The layout of numbers in a file.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) stored: StoredType,
    pub(crate) encoding: Encoding,
    /// The number of rows; `None` for all that exist.
    pub(crate) rows: Option<u64>,
    pub(crate) cols: u64,
    /// Whether the values are requested; otherwise only their number.
    pub(crate) values: bool,
}

/// Reads all rows, and returns whether data follow them.
///
/// # Errors
/// There are too few, or as for [`binary::read`] and [`text::read`].
pub(crate) fn read(
    source: &mut Source,
    into: &mut Matrix,
    layout: Layout,
    limits: &Limits,
) -> Result<bool> {
    let Layout { rows, cols, .. } = layout;
    match (layout.encoding, layout.stored) {
        (Encoding::Text, stored) => {
            text::read(source, into, (stored.dtype(), rows, cols), limits)?;
            text::more(source)
        }
        (Encoding::Binary(order), StoredType::Plain(dtype)) => {
            match rows.filter(|_| !layout.values) {
                Some(rows) => {
                    source.pass_matrix(into, (dtype, Rank::Matrix, rows, cols), limits)?;
                }
                None => binary::read(source, into, (dtype, rows, cols), order, limits)?,
            }
            Ok(!source.at_end()?)
        }
        (Encoding::Binary(_), StoredType::Coded(code)) => {
            codes::read(source, into, code, (rows, cols), limits)?;
            Ok(!source.at_end()?)
        }
    }
}

/// A writer of numbers, plain or as codes.
pub(crate) struct Printer {
    encoding: Encoding,
    code: Option<Companding>,
    /// A buffer.
    block: Vec<u8>,
}

impl Printer {
    pub(crate) fn new(encoding: Encoding, code: Option<Companding>) -> Self {
        Self {
            encoding,
            code,
            block: Vec::new(),
        }
    }

    /// Writes all of `matrix`, and returns the loss by codes.
    pub(crate) fn write(&mut self, matrix: &Matrix, body: &mut Body<'_>) -> Result<CastStats> {
        match (self.code, self.encoding) {
            (Some(code), _) => return codes::write(matrix, code, &mut self.block, body),
            (None, Encoding::Binary(order)) => {
                binary::write(matrix, order, &mut self.block, body)?;
            }
            (None, Encoding::Text) => text::write(matrix, &mut self.block, body)?,
        }
        Ok(CastStats::default())
    }
}

/// Guesses the encoding of data that are `length` bytes long if binary: big-endian if that is their
/// length, otherwise text if they look like it, otherwise big-endian. The flag marks a guess that
/// is uncertain.
pub(crate) fn guess(source: &mut Source, length: Option<u64>) -> Result<(Encoding, bool)> {
    let remaining = source.remaining();
    let head = source.peek(BLOCK)?;
    let whole = (head.len() < BLOCK).then_some(head.len() as u64);
    let there = remaining.or(whole);
    Ok(if length.is_some() && length == there {
        (Encoding::Binary(ByteOrder::Big), false)
    } else if text::looks_like(head) {
        (Encoding::Text, true)
    } else {
        (Encoding::Binary(ByteOrder::Big), true)
    })
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_by_length_and_looks() {
        const BIG: Encoding = Encoding::Binary(ByteOrder::Big);
        for (data, length, expected) in [
            (&b"1 2\n"[..], Some(4), (BIG, false)),
            (b"1 2\n", Some(8), (Encoding::Text, true)),
            (b"1 2\n", None, (Encoding::Text, true)),
            (b"-nan 1e-5 +inf\n", Some(12), (Encoding::Text, true)),
            (b"\x3f\x80\0\0", Some(8), (BIG, true)),
            (b"\x3f\x80\0\0", None, (BIG, true)),
            (b"", Some(0), (BIG, false)),
        ] {
            let mut source = Source::from_bytes("x", data.to_vec()).unwrap();
            assert_eq!(guess(&mut source, length).unwrap(), expected, "{data:?}");
        }
    }
}
