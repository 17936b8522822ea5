//! Binary vectors, element by element without padding.

use spr_core::bytes::{ByteOrder, Source, swap_in_place};
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::{ErrorKind, Limits, Result};

use super::{BLOCK, Body};

/// Reads a matrix of `shape`. An open number of rows extends to the end of the file.
///
/// # Errors
/// The data are truncated; the error contains the expected number of bytes.
pub(crate) fn read(
    source: &mut Source,
    into: &mut Matrix,
    shape: (Dtype, Option<u64>, u64),
    order: ByteOrder,
    limits: &Limits,
) -> Result<()> {
    let (dtype, rows, cols) = shape;
    let vector = cols.saturating_mul(dtype.size() as u64);
    // An incomplete vector counts, and is then reported as truncated.
    let rows = rows.or_else(|| {
        source
            .remaining()
            .map(|bytes| bytes.div_ceil(vector.max(1)))
    });
    match rows {
        Some(rows) => source.read_matrix(into, (dtype, Rank::Matrix, rows, cols), order, limits),
        None => read_open(source, into, (dtype, cols), order, limits),
    }
}

fn read_open(
    source: &mut Source,
    into: &mut Matrix,
    (dtype, cols): (Dtype, u64),
    order: ByteOrder,
    limits: &Limits,
) -> Result<()> {
    let size = dtype.size();
    into.start(dtype, Rank::Vector, 1);
    loop {
        let there = source.peek(BLOCK)?.len();
        if there < size {
            break;
        }
        let step = source.grow(into, there / size, limits)?;
        source.fill(step)?;
        if order != ByteOrder::NATIVE {
            swap_in_place(step, size);
        }
    }
    let odd = source.peek(size)?.len() as u64;
    let values = into.len() as u64;
    let over = values.checked_rem(cols).unwrap_or(values) * size as u64 + odd;
    if over > 0 {
        let vector = cols.saturating_mul(size as u64);
        source.skip(odd)?;
        return Err(source.error(
            ErrorKind::Truncated,
            format!("the file ends inside a vector: expected {vector} bytes, found {over}"),
        ));
    }
    reshape(into, cols)
}

/// Reshapes the elements to rows of `cols`.
pub(super) fn reshape(into: &mut Matrix, cols: u64) -> Result<()> {
    let cols = usize::try_from(cols).unwrap_or(usize::MAX);
    let rows = into.len().checked_div(cols).unwrap_or(0);
    into.reshape(Rank::Matrix, rows, cols)
}

/// Writes all elements; `block` is a buffer.
pub(crate) fn write(
    matrix: &Matrix,
    order: ByteOrder,
    block: &mut Vec<u8>,
    body: &mut Body<'_>,
) -> Result<()> {
    if order == ByteOrder::NATIVE || matrix.dtype().size() == 1 {
        return body.put(matrix.as_bytes());
    }
    for chunk in matrix.as_bytes().chunks(BLOCK) {
        block.clear();
        block.extend_from_slice(chunk);
        swap_in_place(block, matrix.dtype().size());
        body.put(block)?;
    }
    Ok(())
}
