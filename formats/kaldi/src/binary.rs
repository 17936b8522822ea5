//! The content of binary objects after their marks and tokens.

use spr_core::bytes::{ByteOrder, PutNumber as _, Source};
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::{Error, Limits, Result};

use crate::compressed::{Compression, ValueRange};
use crate::recognise::{GROUP, TAG};
use crate::text::truncated;

/// A reader of compressed matrices with a reusable buffer for their codes.
#[derive(Default)]
pub(crate) struct Decoder {
    codes: Matrix,
    percentiles: Matrix,
    span: ValueRange,
}

impl Decoder {
    /// Reads a compressed matrix after its token.
    pub(crate) fn read(
        &mut self,
        source: &mut Source,
        into: &mut Matrix,
        compression: Compression,
        limits: &Limits,
    ) -> Result<()> {
        let (span, rows, cols) = header(source, into, limits)?;
        self.span = span;
        if rows == 0 {
            return Ok(());
        }
        if compression == Compression::Columns {
            let shape = (Dtype::U16, Rank::Matrix, cols, 4);
            source.read_matrix(&mut self.percentiles, shape, ByteOrder::Little, limits)?;
        }
        let code = match compression {
            Compression::Words => Dtype::U16,
            Compression::Columns | Compression::Bytes => Dtype::U8,
        };
        let shape = (code, Rank::Matrix, rows, cols);
        source.read_matrix(&mut self.codes, shape, ByteOrder::Little, limits)?;
        let (rows, cols) = (self.codes.rows(), self.codes.cols());
        into.reset(Dtype::F32, Rank::Matrix, rows, cols, limits)?;
        let out = into.values_mut()?;
        match compression {
            Compression::Columns => {
                span.columns(self.percentiles.values()?, self.codes.values()?, rows, out);
            }
            Compression::Words => span.words(self.codes.values()?, out),
            Compression::Bytes => span.bytes(self.codes.values()?, out),
        }
        Ok(())
    }
}

/// Reads the range, rows and columns; skips the rest of an empty matrix.
fn header(
    source: &mut Source,
    into: &mut Matrix,
    limits: &Limits,
) -> Result<(ValueRange, u64, u64)> {
    let span = ValueRange {
        min: source.read_f32(ByteOrder::Little)?,
        range: source.read_f32(ByteOrder::Little)?,
    };
    let rows = source.read_i32(ByteOrder::Little)?;
    let cols = source.read_i32(ByteOrder::Little)?;
    let (rows, cols) = (
        count(source, rows, "rows")?,
        count(source, cols, "columns")?,
    );
    check_shape(source, (rows, cols))?;
    if rows == 0 {
        into.start(Dtype::F32, Rank::Matrix, 0);
        // Kaldi itself writes four bytes more in an empty matrix than it reads. No key starts with
        // byte 0.
        if source.peek(4)? == [0; 4] {
            source.skip(4)?;
        }
    }
    let place = source.offset();
    let sized = |e: Error| e.file(source.name()).byte(place);
    limits.matrix_bytes(Dtype::F32, rows, cols).map_err(sized)?;
    Ok((span, rows, cols))
}

impl Decoder {
    /// Skips a compressed matrix after its token; sets the shape of `into`.
    pub(crate) fn pass(
        source: &mut Source,
        into: &mut Matrix,
        compression: Compression,
        limits: &Limits,
    ) -> Result<()> {
        let (_, rows, cols) = header(source, into, limits)?;
        if rows == 0 {
            return Ok(());
        }
        if compression == Compression::Columns {
            source.pass_matrix(into, (Dtype::U16, Rank::Matrix, cols, 4), limits)?;
        }
        let code = match compression {
            Compression::Words => Dtype::U16,
            Compression::Columns | Compression::Bytes => Dtype::U8,
        };
        source.pass_matrix(into, (code, Rank::Matrix, rows, cols), limits)?;
        let (rows, cols) = (into.rows(), into.cols());
        into.reset(Dtype::F32, Rank::Matrix, rows, cols, limits)
            .map(drop)
    }

    /// Returns the last matrix as stored, from its token on.
    pub(crate) fn stored(&self, compression: Compression) -> Result<Vec<u8>> {
        let mut bytes = format!("{} ", compression.token()).into_bytes();
        bytes.put_f32(self.span.min, ByteOrder::Little);
        bytes.put_f32(self.span.range, ByteOrder::Little);
        for n in [self.codes.rows(), self.codes.cols()] {
            let n = i32::try_from(n).map_err(|_| Error::limit("more than 2147483647 rows"))?;
            bytes.put_i32(n, ByteOrder::Little);
        }
        let words = |m: &Matrix, bytes: &mut Vec<u8>| -> Result<()> {
            let words = m.values::<u16>()?.iter();
            words.for_each(|w| bytes.put_u16(*w, ByteOrder::Little));
            Ok(())
        };
        match compression {
            Compression::Columns => words(&self.percentiles, &mut bytes)?,
            Compression::Words => words(&self.codes, &mut bytes)?,
            Compression::Bytes => {}
        }
        if compression != Compression::Words {
            bytes.extend_from_slice(self.codes.as_bytes());
        }
        Ok(bytes)
    }
}

/// Reads a tagged count.
pub(crate) fn size(source: &mut Source, what: &str) -> Result<u64> {
    let place = source.offset();
    let [tag, bytes @ ..] = source.array::<GROUP>()?;
    if tag != TAG {
        let message = format!(
            "the number of {what} is not a 32-bit integer: expected byte 0x04, found 0x{tag:02x}"
        );
        return Err(Error::malformed(message).file(source.name()).byte(place));
    }
    count(source, ByteOrder::Little.read_i32(bytes), what)
}

fn count(source: &Source, n: i32, what: &str) -> Result<u64> {
    u64::try_from(n).map_err(|_| source.malformed(format!("the header says {n} {what}")))
}

/// Checks that a matrix with rows has columns.
pub(crate) fn check_shape(source: &Source, (rows, cols): (u64, u64)) -> Result<()> {
    if rows > 0 && cols == 0 {
        let message = format!("matrix header says {rows} rows of {cols} columns");
        return Err(source.malformed(message));
    }
    Ok(())
}

/// Reads `n` tagged integers into one column.
pub(crate) fn integers(
    source: &mut Source,
    into: &mut Matrix,
    n: u64,
    limits: &Limits,
) -> Result<()> {
    const STEP: usize = 8192;
    let place = |source: &Source, e: Error| e.file(source.name()).byte(source.offset());
    let n = limits
        .matrix_bytes(Dtype::I32, n, 1)
        .map_err(|e| place(source, e))?
        / 4;
    into.start(Dtype::I32, Rank::Vector, 1);
    let mut left = n;
    while left > 0 {
        let step = left.min(STEP);
        source.hold("a vector", into.as_bytes().len() as u64, limits)?;
        let bytes = source.peek(step * GROUP)?;
        let (groups, _) = bytes.as_chunks::<GROUP>();
        if groups.len() < step {
            let got = n - left + groups.len();
            let message = format!("the file ends here: expected {n} numbers, found {got}");
            return Err(truncated(source, message));
        }
        let mut tags = 0;
        let out = into.extend_rows(step, limits)?;
        for ([tag, value @ ..], out) in groups.iter().zip(out.as_chunks_mut::<4>().0) {
            tags |= tag ^ TAG;
            *out = i32::from_le_bytes(*value).to_ne_bytes();
        }
        if tags != 0 {
            let message = "a number of the vector is not tagged as a 32-bit integer";
            return Err(source.malformed(message));
        }
        source.skip((step * GROUP) as u64)?;
        left -= step;
    }
    Ok(())
}
