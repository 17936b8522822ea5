//! Samples stored as 8-bit codes.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{CastStats, Dtype, Matrix};
use spr_core::number::companding::Companding;
use spr_core::{Limits, Result};

use super::{BLOCK, Body, binary};

/// Decodes samples. An open number of rows extends to the end of the file.
///
/// # Errors
/// As for [`binary::read`].
pub(super) fn read(
    source: &mut Source,
    into: &mut Matrix,
    code: Companding,
    (rows, cols): (Option<u64>, u64),
    limits: &Limits,
) -> Result<()> {
    let mut codes = Matrix::default();
    let shape = (Dtype::U8, rows, cols);
    binary::read(source, &mut codes, shape, ByteOrder::NATIVE, limits)?;
    let (rank, rows, cols) = (codes.rank(), codes.rows(), codes.cols());
    let bytes = codes.as_bytes().len() * size_of::<i16>();
    source.hold("sound", bytes as u64, limits)?;
    let reset = into.reset(Dtype::I16, rank, rows, cols, limits);
    reset.map_err(|e| e.file(source.name()))?;
    let samples = into.values_mut::<i16>()?;
    for (sample, byte) in samples.iter_mut().zip(codes.as_bytes()) {
        *sample = code.decode(*byte);
    }
    Ok(())
}

/// Writes the nearest code of each sample, and returns the loss.
///
/// # Errors
/// The samples are not `i16`.
pub(super) fn write(
    matrix: &Matrix,
    code: Companding,
    block: &mut Vec<u8>,
    body: &mut Body<'_>,
) -> Result<CastStats> {
    let mut stats = CastStats::default();
    for chunk in matrix.values::<i16>()?.chunks(BLOCK) {
        block.clear();
        block.extend(chunk.iter().map(|sample| {
            let byte = code.encode(*sample);
            // As floats, which may lie between others: no sample is out of range of the codes.
            stats.count(f32::from(*sample), f32::from(code.decode(byte)));
            byte
        }));
        body.put(block)?;
    }
    Ok(stats)
}
