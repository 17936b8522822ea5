//! Decoding of compressed matrices, bit for bit as in Kaldi; [`encode`](crate::encode) is the
//! inverse.
//!
//! Every step rounds to `f32` or `f64` where Kaldi's does; a fused multiply-add would change bits.

/// The coding of a compressed matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// `CM`: a byte per number, relative to four percentiles of its column.
    Columns,
    /// `CM2`: 16 bits per number, relative to the range of the matrix.
    Words,
    /// `CM3`: a byte per number, relative to the range of the matrix.
    Bytes,
}

impl Compression {
    /// Returns the token in the file.
    pub(crate) fn token(self) -> &'static str {
        match self {
            Self::Columns => "CM",
            Self::Words => "CM2",
            Self::Bytes => "CM3",
        }
    }
}

/// The range of values that the codes of a matrix cover.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ValueRange {
    pub(crate) min: f32,
    pub(crate) range: f32,
}

/// The number of columns decoded together, so that their tables and a row of each stay in the L1
/// cache.
const BLOCK: usize = 16;
/// The number of rows decoded together; a fixed size needs no bounds checks.
const TILE: usize = 16;

impl ValueRange {
    /// Decodes `CM2`, row-major.
    pub(crate) fn words(self, codes: &[u16], out: &mut [f32]) {
        let step = narrow(f64::from(self.range) * (1.0 / 65535.0));
        for (code, out) in codes.iter().zip(out) {
            *out = self.min + f32::from(*code) * step;
        }
    }

    /// Decodes `CM3`, row-major.
    pub(crate) fn bytes(self, codes: &[u8], out: &mut [f32]) {
        let step = narrow(f64::from(self.range) * (1.0 / 255.0));
        for (code, out) in codes.iter().zip(out) {
            *out = self.min + f32::from(*code) * step;
        }
    }

    /// Decodes `CM`, with four `percentiles` per column and column-major `codes`, to row-major
    /// `out`.
    pub(crate) fn columns(self, percentiles: &[u16], codes: &[u8], rows: usize, out: &mut [f32]) {
        let cols = percentiles.len() / 4;
        if rows == 0 || cols == 0 {
            return;
        }
        let mut tables = [[0f32; 256]; BLOCK];
        let blocks = percentiles
            .chunks(4 * BLOCK)
            .zip(codes.chunks(rows * BLOCK));
        for (block, (percentiles, codes)) in blocks.enumerate() {
            let width = percentiles.len() / 4;
            for (table, p) in tables.iter_mut().zip(percentiles.as_chunks().0) {
                self.table(p, table);
            }
            let first = block * BLOCK;
            let mut columns = [&[][..]; BLOCK];
            for (column, codes) in columns.iter_mut().zip(codes.chunks(rows)) {
                *column = codes;
            }
            for (tile, out) in out.chunks_mut(TILE * cols).enumerate() {
                let mut values = [[0f32; BLOCK]; TILE];
                for ((c, column), table) in columns[..width].iter().enumerate().zip(&tables) {
                    let codes = &column[tile * TILE..];
                    let row =
                        |(row, code): (&mut [f32; BLOCK], &u8)| row[c] = table[usize::from(*code)];
                    match codes.first_chunk::<TILE>() {
                        Some(codes) => values.iter_mut().zip(codes).for_each(row),
                        None => values.iter_mut().zip(codes).for_each(row),
                    }
                }
                for (out, values) in out.chunks_exact_mut(cols).zip(&values) {
                    match out[first..].first_chunk_mut::<BLOCK>() {
                        Some(out) if width == BLOCK => *out = *values,
                        _ => out[first..first + width].copy_from_slice(&values[..width]),
                    }
                }
            }
        }
    }

    /// Returns the value of a percentile.
    pub(crate) fn percentile(self, p: u16) -> f32 {
        let scale = self.range * 1.525_902_2e-5;
        self.min + scale * f32::from(p)
    }

    /// Computes the values of all codes of a column with percentiles 0, 25, 75 and 100.
    fn table(self, percentiles: &[u16; 4], table: &mut [f32; 256]) {
        let [p0, p25, p75, p100] = percentiles.map(|p| self.percentile(p));
        let (first, rest) = table.split_at_mut(65);
        let (middle, last) = rest.split_at_mut(128);
        stretch(p0, p25, (0, 1.0 / 64.0), first);
        stretch(p25, p75, (1, 1.0 / 128.0), middle);
        stretch(p75, p100, (1, 1.0 / 63.0), last);
    }
}

/// Computes the values of the codes between two percentiles, where `first` is the code of the first
/// value.
fn stretch(from: f32, to: f32, (first, share): (u8, f64), values: &mut [f32]) {
    let width = to - from;
    for (value, n) in values.iter_mut().zip(first..) {
        *value = narrow(f64::from(from) + f64::from(width * f32::from(n)) * share);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding is meant")]
fn narrow(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_the_range() {
        let span = ValueRange {
            min: -2.0,
            range: 4.0,
        };
        let mut out = [0.0; 2];
        span.words(&[0, 65535], &mut out);
        assert_eq!(out, [-2.0, 2.0]);
        span.bytes(&[0, 255], &mut out);
        assert_eq!(out, [-2.0, 2.0]);
    }

    #[test]
    fn columns_are_transposed() {
        // 18 columns of 3 rows exceed a block; column c has codes 0, 64 and 255.
        let span = ValueRange {
            min: 0.0,
            range: 65535.0,
        };
        let percentiles: Vec<u16> = (0..18u16)
            .flat_map(|c| [c, 100 + c, 200 + c, 300 + c])
            .collect();
        let codes: Vec<u8> = [0, 64, 255].repeat(18);
        let mut out = vec![0.0; 54];
        span.columns(&percentiles, &codes, 3, &mut out);
        for c in 0..18u16 {
            let c_ = usize::from(c);
            for (row, base) in [(0, 0), (1, 100), (2, 300)] {
                let value = out[row * 18 + c_];
                assert!(
                    (value - f32::from(base + c)).abs() < 0.01,
                    "{row} {c} {value}"
                );
            }
        }
    }
}
