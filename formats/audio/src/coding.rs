//! Encodings of samples.

use spr_core::bytes::{ByteOrder, Source, swap_in_place};
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::number::companding::Companding;
use spr_core::{Error, ErrorKind, Limits, Result};

/// The number of bytes that are decoded at once of a whole file.
const STEP: usize = 256 << 10;
/// The same if the end is not known.
const STREAM_STEP: usize = 64 << 10;
/// The number of bytes by which checked blocks overlap.
pub(crate) const AHEAD: usize = 16;
/// The smallest number of bytes that a source reads at once.
const SMALL: usize = 32 << 10;

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

    /// Returns the element type of decoded samples.
    fn dtype(self) -> Dtype {
        match self {
            Self::Plain(dtype) => dtype,
            Self::Packed24 => Dtype::I32,
            Self::Law(_) => Dtype::I16,
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

    /// Decodes the samples whose codes are at the end of `out`, and fills it with them.
    fn decode(self, out: &mut [u8], order: ByteOrder) {
        match self {
            Self::Plain(dtype) if order != ByteOrder::NATIVE => swap_in_place(out, dtype.size()),
            Self::Plain(_) => {}
            Self::Law(law) => {
                let table: [i16; 256] = std::array::from_fn(|n| law.decode(low_byte(n)));
                expand(out, |[code]| table[usize::from(code)].to_ne_bytes());
            }
            Self::Packed24 => expand(out, |[a, b, c]| {
                let sample = match order {
                    ByteOrder::Little => i32::from_le_bytes([0, a, b, c]),
                    ByteOrder::Big => i32::from_be_bytes([a, b, c, 0]),
                };
                sample.to_ne_bytes()
            }),
        }
    }
}

fn low_byte(n: usize) -> u8 {
    n.to_le_bytes()[0]
}

/// Fills `out` with the samples of `S` bytes whose codes of `C` bytes are at its end. A sample takes
/// the place of codes that were decoded before.
fn expand<const C: usize, const S: usize>(out: &mut [u8], decode: impl Fn([u8; C]) -> [u8; S]) {
    let samples = out.len() / S;
    let codes = samples * (S - C);
    for n in 0..samples {
        let mut code = [0; C];
        code.copy_from_slice(&out[codes + n * C..][..C]);
        out[n * S..][..S].copy_from_slice(&decode(code));
    }
}

/// Samples without compression, which are read in blocks.
pub(crate) struct PlainSamples {
    pub(crate) coding: SampleCoding,
    pub(crate) channels: u64,
    pub(crate) order: ByteOrder,
    pub(crate) amount: Amount,
    /// The sum of the samples so far, if it is computed.
    pub(crate) sum: Option<u16>,
    /// The byte at which they start.
    start: u64,
    /// The number of the sample that is read next.
    next: u64,
}

impl PlainSamples {
    /// Takes the samples at the position of `source`.
    pub(crate) fn new(
        source: &Source,
        (coding, channels): (SampleCoding, u64),
        order: ByteOrder,
        amount: Amount,
    ) -> Self {
        Self {
            coding,
            channels,
            order,
            amount,
            sum: None,
            start: source.offset(),
            next: 0,
        }
    }

    /// Returns the size of one sample of all channels in bytes.
    pub(crate) fn block(&self) -> u64 {
        self.channels.saturating_mul(self.coding.width())
    }

    /// Returns the number of samples up to the one that is read next.
    pub(crate) fn read_so_far(&self) -> u64 {
        self.next
    }

    /// Counts samples that go on to the end of a source of known size.
    ///
    /// # Errors
    /// The source ends inside a sample.
    pub(crate) fn count(&mut self, source: &Source) -> Result<()> {
        if let (Amount::ToEnd, Some(bytes)) = (self.amount, source.remaining()) {
            if !bytes.is_multiple_of(self.block()) {
                return Err(inside(source, source.offset() + bytes));
            }
            self.amount = Amount::Rows(bytes / self.block());
        }
        Ok(())
    }

    /// Returns an error for samples that end before the `expected` number.
    pub(crate) fn cut_short(&self, source: &Source, expected: u64, found: u64) -> Error {
        let message =
            format!("the file ends here: expected {expected} samples a channel, found {found}");
        let end = self
            .start
            .saturating_add(found.saturating_mul(self.block()));
        let error = Error::new(ErrorKind::Truncated, message);
        error.file(source.name()).byte(end)
    }

    /// Reads all samples into `into`.
    ///
    /// # Errors
    /// Samples are missing, or exceed `limits`.
    pub(crate) fn read_all(
        &mut self,
        source: &mut Source,
        into: &mut Matrix,
        limits: &Limits,
    ) -> Result<()> {
        self.count(source)?;
        if let Amount::Rows(rows) = self.amount {
            let bytes = limits.matrix_bytes(self.coding.dtype(), rows, self.channels);
            bytes.map_err(|e| e.file(source.name()).byte(source.offset()))?;
            source.expect(rows.saturating_mul(self.block()))?;
        }
        into.start(Dtype::U8, Rank::Matrix, 0);
        let most = STEP / usize::try_from(self.block()).unwrap_or(STEP);
        while self.read(source, most.max(1), into, limits)? {}
        Ok(())
    }

    /// Appends up to `most` samples per channel to `into`, and sets its type and channels if it is
    /// empty. Returns `false` at the end.
    ///
    /// # Errors
    /// Samples are missing, or exceed `limits`.
    pub(crate) fn read(
        &mut self,
        source: &mut Source,
        most: usize,
        into: &mut Matrix,
        limits: &Limits,
    ) -> Result<bool> {
        let dtype = self.coding.dtype();
        let placed = |e: Error| e.file(source.name()).byte(source.offset());
        let block = limits.matrix_bytes(Dtype::U8, 1, self.block());
        let block = block.map_err(placed)?;
        if into.is_empty() {
            let row = limits.matrix_bytes(dtype, 1, self.channels);
            into.start(dtype, Rank::Matrix, row.map_err(placed)? / dtype.size());
        }
        let rows = match self.amount {
            Amount::Rows(all) => {
                let left = usize::try_from(all.saturating_sub(self.next));
                left.unwrap_or(usize::MAX).min(most)
            }
            Amount::ToEnd => self.rows_ahead(source, most, block, |_| Ok(()))?,
            Amount::Checked(check) => self.rows_ahead(source, most, block, check)?,
        };
        if rows == 0 {
            return Ok(false);
        }
        let out = source.grow(into, rows, limits)?;
        let codes = out.len() - rows * block;
        self.fill(source, &mut out[codes..])?;
        self.coding.decode(out, self.order);
        self.sum = self.sum.map(|before| before.wrapping_add(sum(out)));
        self.next += rows as u64;
        Ok(true)
    }

    /// Returns the number of samples, up to `most`, before an end that is not known in advance.
    fn rows_ahead(
        &self,
        source: &mut Source,
        most: usize,
        block: usize,
        check: Check,
    ) -> Result<usize> {
        let step = most.min((STREAM_STEP / block).max(1)).saturating_mul(block);
        let there = source.peek(step + AHEAD)?;
        let (len, checked) = (there.len(), check(there));
        checked.map_err(|e| e.file(source.name()).byte(self.start))?;
        match len.min(step) / block {
            0 if len > 0 => Err(inside(source, source.offset() + len as u64)),
            rows => Ok(rows),
        }
    }

    /// Fills `codes`, and reads no more bytes than that.
    fn fill(&self, source: &mut Source, codes: &mut [u8]) -> Result<()> {
        if codes.len() < SMALL {
            source.expect_jump();
            source.peek(codes.len())?;
        }
        let filled = source.fill(codes);
        filled.map_err(|e| match (e.kind(), self.amount) {
            (ErrorKind::Truncated, Amount::Rows(rows)) => {
                let expected = rows.saturating_mul(self.block());
                let found = source.offset().saturating_sub(self.start);
                let message =
                    format!("the file ends here: expected {expected} bytes, found {found}");
                source.error(ErrorKind::Truncated, message)
            }
            _ => e,
        })
    }

    /// Moves to sample `to`, and returns it; `None` if they are only read from the first to the last.
    ///
    /// # Errors
    /// There is no such sample.
    pub(crate) fn seek(&mut self, source: &mut Source, to: u64) -> Result<Option<u64>> {
        let is_counted = matches!(self.amount, Amount::Rows(_));
        if !is_counted || self.sum.is_some() || !source.can_seek() {
            return Ok(None);
        }
        let at = to.saturating_mul(self.block()).saturating_add(self.start);
        source.seek(at)?;
        self.next = to;
        Ok(Some(to))
    }
}

fn inside(source: &Source, end: u64) -> Error {
    Error::new(ErrorKind::Truncated, "the file ends inside a sample")
        .file(source.name())
        .byte(end)
}

/// Computes the sum modulo 65536 of samples of 16 bits.
pub(crate) fn sum(samples: &[u8]) -> u16 {
    let samples = samples.as_chunks().0.iter();
    samples.fold(0, |sum, sample| {
        sum.wrapping_add(u16::from_ne_bytes(*sample))
    })
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
    for part in bytes.chunks(STREAM_STEP) {
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
        let mut plain = PlainSamples::new(&source, (coding, 2), order, Amount::ToEnd);
        plain.read_all(&mut source, &mut samples, &limits)?;
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
