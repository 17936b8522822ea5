//! Encodings of samples.

use spr_core::bytes::{ByteOrder, Source, swap_in_place};
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::number::companding::Companding;
use spr_core::{Error, ErrorKind, Limits, Result};

const STEP: usize = 64 << 10;
/// The number of bytes by which checked blocks overlap.
pub(crate) const AHEAD: usize = 16;

/// The encoding of one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SampleCoding {
    /// The element type of the model, unchanged.
    Plain(Dtype),
    /// Three bytes, the upper ones of an `i32`.
    Packed24,
    /// A logarithmic code of an `i16`.
    Law(Companding),
}

/// The number of samples.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Amount {
    /// This number of samples per channel.
    Rows(u64),
    /// The rest of the source.
    ToEnd,
    /// The rest of the source, where each block, with up to [`AHEAD`] bytes of the next, passes
    /// this check.
    Checked(Check),
}

/// Rejects bytes that must not occur among samples.
pub(crate) type Check = fn(&[u8]) -> Result<()>;

impl SampleCoding {
    /// Returns the size of an encoded sample in bytes.
    pub(crate) fn width(self) -> u64 {
        match self {
            Self::Plain(dtype) => dtype.size() as u64,
            Self::Packed24 => 3,
            Self::Law(_) => 1,
        }
    }

    /// Returns the name of the encoding that reading undoes, if there is one.
    pub(crate) fn coder(self) -> Option<&'static str> {
        match self {
            Self::Plain(_) => None,
            Self::Packed24 => Some("24-bit"),
            Self::Law(Companding::MuLaw) => Some("mu-law"),
            Self::Law(Companding::ALaw) => Some("A-law"),
        }
    }

    /// Reads the samples of `channels` channels.
    ///
    /// # Errors
    /// Samples are missing, or exceed `limits`.
    pub(crate) fn read(
        self,
        source: &mut Source,
        into: &mut Matrix,
        channels: u64,
        order: ByteOrder,
        amount: Amount,
        limits: &Limits,
    ) -> Result<()> {
        let mut codes = Matrix::default();
        let mut bytes = |width| {
            let shape = (Dtype::U8, channels * width);
            read_plain(source, &mut codes, shape, order, amount, limits)?;
            Ok::<_, Error>((codes.rows(), codes.cols()))
        };
        match self {
            Self::Plain(dtype) => {
                let shape = (dtype, channels);
                return read_plain(source, into, shape, order, amount, limits);
            }
            Self::Law(law) => {
                let (rows, cols) = bytes(1)?;
                let table: [i16; 256] = std::array::from_fn(|n| law.decode(low_byte(n)));
                into.reset(Dtype::I16, Rank::Matrix, rows, cols, limits)
                    .map_err(|e| e.file(source.name()).byte(source.offset()))?;
                for (sample, code) in into.values_mut::<i16>()?.iter_mut().zip(codes.as_bytes()) {
                    *sample = table[usize::from(*code)];
                }
            }
            Self::Packed24 => {
                let (rows, cols) = bytes(3)?;
                into.reset(Dtype::I32, Rank::Matrix, rows, cols / 3, limits)
                    .map_err(|e| e.file(source.name()).byte(source.offset()))?;
                let codes = codes.as_bytes().as_chunks().0;
                for (sample, &[a, b, c]) in into.values_mut::<i32>()?.iter_mut().zip(codes) {
                    *sample = match order {
                        ByteOrder::Little => i32::from_le_bytes([0, a, b, c]),
                        ByteOrder::Big => i32::from_be_bytes([a, b, c, 0]),
                    };
                }
            }
        }
        Ok(())
    }
}

fn low_byte(n: usize) -> u8 {
    n.to_le_bytes()[0]
}

fn read_plain(
    source: &mut Source,
    into: &mut Matrix,
    (dtype, cols): (Dtype, u64),
    order: ByteOrder,
    amount: Amount,
    limits: &Limits,
) -> Result<()> {
    let block = cols * dtype.size() as u64;
    let rows = match (amount, source.remaining()) {
        (Amount::Rows(rows), _) => rows,
        (Amount::ToEnd, Some(bytes)) => {
            if !bytes.is_multiple_of(block) {
                return Err(inside(source, source.offset() + bytes));
            }
            bytes / block
        }
        (Amount::ToEnd, None) => {
            return read_stream(source, into, (dtype, cols), order, (|_| Ok(()), limits));
        }
        (Amount::Checked(check), _) => {
            return read_stream(source, into, (dtype, cols), order, (check, limits));
        }
    };
    source.read_matrix(into, (dtype, Rank::Matrix, rows, cols), order, limits)
}

/// Reads samples up to an end that is not known in advance.
fn read_stream(
    source: &mut Source,
    into: &mut Matrix,
    (dtype, cols): (Dtype, u64),
    order: ByteOrder,
    (check, limits): (Check, &Limits),
) -> Result<()> {
    let start = source.offset();
    let name = source.name().to_owned();
    let placed = |e: Error| e.file(&name).byte(start);
    let block = limits.matrix_bytes(dtype, 1, cols).map_err(placed)?;
    let cols = block / dtype.size();
    into.start(dtype, Rank::Matrix, cols);
    let step = STEP.max(block);
    loop {
        let there = source.peek(step + AHEAD)?;
        check(there).map_err(placed)?;
        let rows = there.len().min(step) / block;
        if rows == 0 {
            return match there.len() as u64 {
                0 => Ok(()),
                rest => Err(inside(source, source.offset() + rest)),
            };
        }
        source.hold("audio", into.as_bytes().len() as u64, limits)?;
        let out = into.extend_rows(rows, limits);
        let out = out.map_err(|e| e.file(source.name()).byte(source.offset()))?;
        source.fill(out)?;
        if order != ByteOrder::NATIVE {
            swap_in_place(out, dtype.size());
        }
    }
}

fn inside(source: &Source, end: u64) -> Error {
    Error::new(ErrorKind::Truncated, "the file ends inside a sample")
        .file(source.name())
        .byte(end)
}

/// Passes encoded samples to `put` in the byte order `order`.
pub(crate) fn write(
    samples: &Matrix,
    order: ByteOrder,
    block: &mut Vec<u8>,
    put: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let bytes = samples.as_bytes();
    if order == ByteOrder::NATIVE {
        return put(bytes);
    }
    for part in bytes.chunks(STEP) {
        block.clear();
        block.extend_from_slice(part);
        swap_in_place(block, samples.dtype().size());
        put(block)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(coding: SampleCoding, bytes: &[u8], order: ByteOrder, known: bool) -> Result<Matrix> {
        let mut source = match known {
            true => Source::from_bytes("x", bytes.to_vec())?,
            false => Source::from_reader("x", Box::new(std::io::Cursor::new(bytes.to_vec())))?,
        };
        let mut samples = Matrix::default();
        let limits = Limits::default();
        coding.read(&mut source, &mut samples, 2, order, Amount::ToEnd, &limits)?;
        Ok(samples)
    }

    #[test]
    fn every_coding_to_the_end_of_files_and_pipes() {
        let (little, big) = (ByteOrder::Little, ByteOrder::Big);
        for known in [true, false] {
            let packed = [1, 2, 3, 0, 0, 0x80];
            let m = read(SampleCoding::Packed24, &packed, little, known).unwrap();
            assert_eq!(m.as_slice::<i32>(), Some(&[0x0302_0100, i32::MIN][..]));
            let m = read(SampleCoding::Packed24, &packed, big, known).unwrap();
            assert_eq!(m.as_slice::<i32>(), Some(&[0x0102_0300, 0x8000][..]));
            let law = SampleCoding::Law(Companding::ALaw);
            let m = read(law, &[0xd5, 0x55], little, known).unwrap();
            assert_eq!(m.as_slice::<i16>(), Some(&[8, -8][..]));
            let plain = SampleCoding::Plain(Dtype::I16);
            let m = read(plain, &[0, 1, 0, 2], big, known).unwrap();
            assert_eq!((m.rows(), m.as_slice::<i16>()), (1, Some(&[1, 2][..])));
            assert_eq!(read(plain, &[], big, known).unwrap().rows(), 0);
            for (coding, n) in [(plain, 5), (law, 1), (SampleCoding::Packed24, 9)] {
                let error = read(coding, &[0; 9][..n], little, known).unwrap_err();
                assert_eq!(
                    error.to_string(),
                    format!("x@{n}: the file ends inside a sample")
                );
            }
        }
    }
}
