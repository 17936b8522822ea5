//! Encoding of compressed matrices, byte for byte as in Kaldi.
//!
//! Every step rounds to `f32` or `f64` where Kaldi's does; a fused multiply-add would change bytes.

use spr_core::bytes::{ByteOrder, PutNumber};
use spr_core::model::{CastStats, Dtype, Matrix, Rank};
use spr_core::{Error, Limits, Result};

use crate::changes::changes;
use crate::compressed::{Compression, ValueRange};

/// Kaldi's compression methods by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// 1: like 2, or like 3 for up to 8 rows.
    Automatic,
    /// 2: `CM`.
    Speech,
    /// 3: `CM2` over the range of the matrix.
    TwoBytes,
    /// 4: `CM2` over -32768 to 32767.
    SignedWords,
    /// 5: `CM3` over the range of the matrix.
    OneByte,
    /// 6: `CM3` over 0 to 255.
    UnsignedBytes,
    /// 7: `CM3` over 0 to 1.
    ZeroToOne,
}

impl Method {
    /// The methods with their names in options.
    pub(crate) const NAMES: &'static [(&'static str, Self)] = &[
        ("auto", Self::Automatic),
        ("1", Self::Automatic),
        ("2", Self::Speech),
        ("3", Self::TwoBytes),
        ("4", Self::SignedWords),
        ("5", Self::OneByte),
        ("6", Self::UnsignedBytes),
        ("7", Self::ZeroToOne),
    ];

    /// Returns the compression, and the range if it is fixed.
    fn compression(self, rows: usize) -> (Compression, Option<ValueRange>) {
        let span = |min, range| Some(ValueRange { min, range });
        match self {
            Self::Automatic if rows <= 8 => (Compression::Words, None),
            Self::Automatic | Self::Speech => (Compression::Columns, None),
            Self::TwoBytes => (Compression::Words, None),
            Self::SignedWords => (Compression::Words, span(-32768.0, 65535.0)),
            Self::OneByte => (Compression::Bytes, None),
            Self::UnsignedBytes => (Compression::Bytes, span(0.0, 255.0)),
            Self::ZeroToOne => (Compression::Bytes, span(0.0, 1.0)),
        }
    }
}

/// The number of columns encoded together, where a row of them is one cache line.
const BLOCK: usize = 16;
/// The number of rows transposed together.
const TILE: usize = 16;

/// A matrix to be compressed, with its header.
pub(crate) struct CompressionPlan {
    /// The matrix as f32.
    matrix: Matrix,
    /// The original matrix, if it was f64.
    wide: Option<Matrix>,
    compression: Compression,
    span: ValueRange,
    /// Whether values may be out of range.
    fixed: bool,
}

impl CompressionPlan {
    /// Prepares `matrix`, which must be f32 or f64.
    ///
    /// # Errors
    /// The range of values is not finite, or the object would be larger than Kaldi can read.
    pub(crate) fn new(matrix: &Matrix, method: Method) -> Result<Self> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let (compression, fixed) = method.compression(rows);
        let limits = Limits {
            max_alloc: u64::MAX,
            ..Limits::default()
        };
        let mut single = Matrix::default();
        single.reset(Dtype::F32, Rank::Matrix, rows, cols, &limits)?;
        let values = single.values_mut::<f32>()?;
        match matrix.as_slice::<f64>() {
            Some(wide) => {
                for (value, wide) in values.iter_mut().zip(wide) {
                    *value = narrow(*wide);
                }
            }
            None => values.copy_from_slice(matrix.values()?),
        }
        let span = match fixed {
            Some(span) => span,
            None => ValueRange::of(values)?,
        };
        let planned = Self {
            matrix: single,
            wide: (matrix.dtype() == Dtype::F64).then(|| matrix.clone()),
            compression,
            span,
            fixed: fixed.is_some(),
        };
        match i32::try_from(planned.payload().saturating_add(64)) {
            Ok(_) => Ok(planned),
            Err(_) => Err(too_large(rows, cols)),
        }
    }

    /// Returns the memory that the matrix takes until it is encoded, in bytes.
    pub(crate) fn size(&self) -> usize {
        let wide = self.wide.as_ref();
        self.matrix.as_bytes().len() + wide.map_or(0, |wide| wide.as_bytes().len())
    }

    /// Compares the values with `decoded`.
    fn stats(&self, decoded: &[f32]) -> Result<CastStats> {
        let ValueRange { min, range } = self.span;
        let span = match self.fixed {
            true => (f64::from(min), f64::from(min) + f64::from(range)),
            false => (f64::NEG_INFINITY, f64::INFINITY),
        };
        Ok(match &self.wide {
            Some(wide) => changes(wide.values()?, decoded, |value: f64| value, span),
            None => changes(
                self.matrix.values()?,
                decoded,
                |value: f32| value.into(),
                span,
            ),
        })
    }

    /// Returns the number of bytes after the header.
    fn payload(&self) -> usize {
        let (rows, cols) = (self.matrix.rows(), self.matrix.cols());
        match self.compression {
            Compression::Columns => rows.saturating_add(8).saturating_mul(cols),
            Compression::Words => rows.saturating_mul(cols).saturating_mul(2),
            Compression::Bytes => rows.saturating_mul(cols),
        }
    }
}

/// An encoder of matrices with reusable buffers.
#[derive(Default)]
pub(crate) struct Encoder {
    /// The values column by column.
    columns: Vec<f32>,
    ranks: Ranks,
    words: Vec<u16>,
    codes: Vec<u8>,
    percentiles: Vec<u16>,
    /// The decoded values.
    decoded: Vec<f32>,
}

impl Encoder {
    /// Appends the object to `out`, from its token on, and returns the loss.
    ///
    /// # Errors
    /// The matrix does not match the plan.
    pub(crate) fn encode(
        &mut self,
        planned: &CompressionPlan,
        out: &mut Vec<u8>,
    ) -> Result<CastStats> {
        let (matrix, span) = (&planned.matrix, planned.span);
        let values = matrix.values::<f32>()?;
        out.reserve(planned.payload() + 32);
        out.extend_from_slice(planned.compression.token().as_bytes());
        out.push(b' ');
        out.put_f32(span.min, ByteOrder::Little);
        out.put_f32(span.range, ByteOrder::Little);
        for n in [matrix.rows(), matrix.cols()] {
            let n = i32::try_from(n);
            let n = n.map_err(|_| Error::unfit("more than 2147483647 rows or columns"))?;
            out.put_i32(n, ByteOrder::Little);
        }
        self.decoded.resize(values.len(), 0.0);
        match planned.compression {
            Compression::Columns => {
                self.columns(span, values, matrix.cols(), out);
                let (rows, decoded) = (matrix.rows(), &mut self.decoded);
                span.columns(&self.percentiles, &self.codes, rows, decoded);
            }
            Compression::Words => {
                self.words.resize(values.len(), 0);
                span.to_words(values, &mut self.words);
                let words = self.words.iter();
                out.extend(words.flat_map(|word| word.to_le_bytes()));
                span.words(&self.words, &mut self.decoded);
            }
            Compression::Bytes => {
                let start = out.len();
                out.resize(start + values.len(), 0);
                span.to_bytes(values, &mut out[start..]);
                span.bytes(&out[start..], &mut self.decoded);
            }
        }
        planned.stats(&self.decoded)
    }

    /// Appends the percentiles of all columns, then the codes column by column.
    fn columns(&mut self, span: ValueRange, values: &[f32], cols: usize, out: &mut Vec<u8>) {
        let rows = values.len() / cols;
        self.columns.resize(BLOCK * rows, 0.0);
        self.percentiles.clear();
        self.codes.clear();
        self.codes.reserve(values.len());
        for first in (0..cols).step_by(BLOCK) {
            let width = BLOCK.min(cols - first);
            for (tile, values) in values.chunks(TILE * cols).enumerate() {
                let mut block = [[0f32; BLOCK]; TILE];
                for (block, row) in block.iter_mut().zip(values.chunks_exact(cols)) {
                    block[..width].copy_from_slice(&row[first..first + width]);
                }
                let columns = self.columns.chunks_exact_mut(rows).take(width);
                for (c, column) in columns.enumerate() {
                    let column = &mut column[tile * TILE..];
                    match column.first_chunk_mut::<TILE>() {
                        Some(column) => *column = block.map(|row| row[c]),
                        None => {
                            let places = column.iter_mut().zip(&block);
                            places.for_each(|(place, row)| *place = row[c]);
                        }
                    }
                }
            }
            for column in self.columns.chunks_exact(rows).take(width) {
                let percentiles = self.ranks.percentiles(span, column);
                self.percentiles.extend(percentiles);
                for p in percentiles {
                    out.put_u16(p, ByteOrder::Little);
                }
                let quarters = Quarters::new(percentiles.map(|p| span.percentile(p)));
                let start = self.codes.len();
                self.codes.resize(start + rows, 0);
                for (code, value) in self.codes[start..].iter_mut().zip(column) {
                    *code = quarters.code(*value);
                }
            }
        }
        out.extend_from_slice(&self.codes);
    }
}

impl ValueRange {
    /// Returns the range from the smallest to the largest value. As in Kaldi, a NaN counts only if
    /// it comes first.
    fn of(values: &[f32]) -> Result<Self> {
        let first = values.first().copied().unwrap_or_default();
        let (mut least, mut greatest) = ([first; BLOCK], [first; BLOCK]);
        let (blocks, rest) = values.as_chunks::<BLOCK>();
        for block in blocks {
            for ((value, least), greatest) in block.iter().zip(&mut least).zip(&mut greatest) {
                *least = if *value < *least { *value } else { *least };
                *greatest = if *value > *greatest {
                    *value
                } else {
                    *greatest
                };
            }
        }
        let lower = |a: f32, b: &f32| if *b < a { *b } else { a };
        let higher = |a: f32, b: &f32| if *b > a { *b } else { a };
        let mut min = least.iter().chain(rest).fold(first, lower);
        let mut max = greatest.iter().chain(rest).fold(first, higher);
        if min == 0.0 {
            // Of several zeros the first one counts, with its sign.
            min = values.iter().copied().find(|v| *v == 0.0).unwrap_or(min);
        }
        if max == min {
            max = narrow(f64::from(min) + (1.0 + f64::from(min).abs()));
        }
        let range = max - min;
        match range.is_finite() {
            true => Ok(Self { min, range }),
            false => Err(Error::unfit(format!(
                "values from {min} to {max}, whose range can't be compressed"
            ))),
        }
    }

    /// Returns the nearest of `top` steps with Kaldi's rounding: `share * top + 0.499`, truncated.
    #[inline]
    fn step(self, value: f32, top: f32) -> u32 {
        let share = (value - self.min) / self.range;
        // NaN becomes 0.
        let share = if share > 0.0 { share } else { 0.0 };
        let share = if share < 1.0 { share } else { 1.0 };
        let share = share * top;
        let (even, n) = nearest(share);
        // The difference is exact, and no float lies between this bound and 1 - 0.499.
        n - u32::from(even > share && share - (even - 1.0) <= 0.501)
    }

    fn to_words(self, values: &[f32], words: &mut [u16]) {
        for (word, value) in words.iter_mut().zip(values) {
            let [low, high, ..] = self.step(*value, 65535.0).to_le_bytes();
            *word = u16::from_le_bytes([low, high]);
        }
    }

    fn to_bytes(self, values: &[f32], bytes: &mut [u8]) {
        for (byte, value) in bytes.iter_mut().zip(values) {
            [*byte, ..] = self.step(*value, 255.0).to_le_bytes();
        }
    }
}

/// A finder of order statistics in a column.
#[derive(Default)]
struct Ranks {
    /// The values of the column relative to the range of the matrix, which have the same order.
    words: Vec<u16>,
    near: Vec<u16>,
}

impl Ranks {
    /// Returns the strictly increasing percentiles 0, 25, 75 and 100 of a column.
    fn percentiles(&mut self, span: ValueRange, column: &[f32]) -> [u16; 4] {
        let rows = column.len();
        self.words.resize(rows, 0);
        span.to_words(column, &mut self.words);
        let found = if rows >= 5 {
            let starts = self.starts();
            let words = self.words.iter().copied();
            let (p0, p100) = (
                words.clone().fold(u16::MAX, u16::min),
                words.fold(0, u16::max),
            );
            let quarter = rows / 4;
            let (p25, p75) = (self.nth(quarter, &starts), self.nth(3 * quarter, &starts));
            [Some(p0), p25, p75, Some(p100)]
        } else {
            self.words.sort_unstable();
            [0, 1, 2, 3].map(|i| self.words.get(i).copied())
        };
        let [p0, p25, p75, p100] = found;
        let next = |p: Option<u16>, before: u16| p.unwrap_or(0).max(before.saturating_add(1));
        let p0 = p0.unwrap_or(0).min(65532);
        let p25 = next(p25, p0).min(65533);
        let p75 = next(p75, p25).min(65534);
        [p0, p25, p75, next(p100, p75)]
    }

    /// Counts the words by first byte. Neighbours are similar, so that a single counter would stall
    /// on itself.
    fn starts(&self) -> [u32; 256] {
        let mut counters = [[0u32; 256]; 4];
        for words in self.words.chunks(counters.len()) {
            for (counter, word) in counters.iter_mut().zip(words) {
                counter[usize::from(word >> 8)] += 1;
            }
        }
        let [mut starts, others @ ..] = counters;
        for counter in &others {
            starts
                .iter_mut()
                .zip(counter)
                .for_each(|(sum, n)| *sum += n);
        }
        starts
    }

    /// Returns the word that `rank` others precede in order.
    fn nth(&mut self, mut rank: usize, starts: &[u32; 256]) -> Option<u16> {
        let mut starts = (0u16..).zip(starts);
        let (start, _) = starts.find(|(_, count)| match rank.checked_sub(**count as usize) {
            Some(rest) => {
                rank = rest;
                false
            }
            None => true,
        })?;
        self.near.clear();
        let is_near = |word: &u16| word >> 8 == start;
        // Most words do not match, and are skipped several per step.
        for words in self.words.chunks(BLOCK) {
            if words.iter().fold(false, |any, word| any | is_near(word)) {
                let near = words.iter().copied().filter(is_near);
                self.near.extend(near);
            }
        }
        let (_, found, _) = self.near.select_nth_unstable(rank);
        Some(*found)
    }
}

/// The three intervals between the decoded percentiles of a column: start, width, codes.
struct Quarters {
    p25: f32,
    p75: f32,
    starts: [f32; 3],
    widths: [f32; 3],
}

impl Quarters {
    fn new([p0, p25, p75, p100]: [f32; 4]) -> Self {
        Self {
            p25,
            p75,
            starts: [p0, p25, p75],
            widths: [p25 - p0, p75 - p25, p100 - p75],
        }
    }

    /// Returns the code of a value, without branches so that several are coded per step.
    #[inline]
    fn code(&self, value: f32) -> u8 {
        let [low, middle, high] = self.starts;
        let [wide, wider, widest] = self.widths;
        let (start, width, codes, first) = if value < self.p75 {
            (middle, wider, 128.0, 64)
        } else {
            (high, widest, 63.0, 192)
        };
        let (start, width, codes, first) = if value < self.p25 {
            (low, wide, 64.0, 0)
        } else {
            (start, width, codes, first)
        };
        let step = (value - start) / width * codes;
        // For an interval without width, Kaldi's conversion to an integer gets an invalid quotient,
        // and the result is the first code of the interval.
        let step = if step < 2_147_483_648.0 { step } else { 0.0 };
        let step = if step > 0.0 { step } else { 0.0 };
        let step = if step < codes { step } else { codes };
        let (even, n) = nearest(step);
        let [code, ..] = (first + n + u32::from(step - even >= 0.5)).to_le_bytes();
        code
    }
}

/// Rounds a number from 0 to 65535 to the nearest integer, ties to even, as both types. An addition
/// that leaves no bits for a fraction is faster than a conversion.
#[inline]
fn nearest(value: f32) -> (f32, u32) {
    const NO_FRACTION: f32 = 8_388_608.0;
    let sum = value + NO_FRACTION;
    (sum - NO_FRACTION, sum.to_bits() & 0xffff)
}

#[expect(clippy::cast_possible_truncation, reason = "rounding is meant")]
fn narrow(value: f64) -> f32 {
    value as f32
}

fn too_large(rows: usize, cols: usize) -> Error {
    Error::unfit(format!(
        "a matrix of {rows} rows and {cols} columns, which is too large to compress"
    ))
}
