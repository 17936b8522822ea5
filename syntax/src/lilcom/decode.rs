//! The values of a stream.

use spr_core::bytes::Source;
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::{Error, ErrorKind, Limits, Result};

use super::header::{Header, HeaderFault};
use super::integers::{IntegerReader, LONGEST};
use super::{SCALE, power, signed};

/// The values that are decoded before the end of the data is looked at.
const BATCH: usize = 2048;
/// The bytes that are looked at ahead.
const WINDOW: usize = 64 << 10;
/// The bytes in front of the position that are kept, as some of their bits may not have been read.
const KEPT: usize = 8;

/// A stream whose header was read.
pub struct Decoder<'a> {
    source: &'a mut Source,
    header: Header,
    integers: IntegerReader,
    /// The bytes from the position of the source on, and whether the source ends after them.
    window: Vec<u8>,
    ended: bool,
}

impl<'a> Decoder<'a> {
    /// Reads the header of the stream at the position of `source`.
    ///
    /// # Errors
    /// It is not the header of a stream.
    pub fn open(source: &'a mut Source) -> Result<Self> {
        let (start, head) = (source.offset(), source.peek(Header::LONGEST)?);
        let parsed = Header::parse(head);
        let (header, integers) = parsed.map_err(|fault| {
            let error = match fault {
                HeaderFault::Short => Error::truncated("the file ends in the header of lilcom"),
                HeaderFault::Wrong(what) => Error::malformed(what),
                HeaderFault::Version(n) => {
                    Error::unsupported(format!("lilcom data of version {n}, expected version 0"))
                }
            };
            error.file(source.name()).byte(start)
        })?;
        Ok(Self {
            source,
            header,
            integers,
            window: Vec::new(),
            ended: false,
        })
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the values into `into`, a vector or matrix if the stream is one, otherwise a vector
    /// of all values with the last axis fastest. The source is left after the stream.
    ///
    /// # Errors
    /// The stream is damaged, ends early, or holds more than `limits` allow.
    pub fn read(mut self, into: &mut Matrix, limits: &Limits) -> Result<()> {
        let values = self.header.shape.iter().try_fold(1u64, |n, size| {
            n.checked_mul(*size)
                .filter(|n| n.checked_mul(size_of::<f32>() as u64).is_some())
        });
        let values = values.ok_or_else(|| self.source.error(ErrorKind::Limit, self.too_many()))?;
        let sized = limits.matrix_bytes(Dtype::F32, values, 1);
        sized.map_err(|e| e.file(self.source.name()).byte(self.source.offset()))?;
        let cols = to_usize(self.header.shape.last().copied().unwrap_or(1));
        let rows = to_usize(values) / cols;
        into.start(Dtype::F32, Rank::Vector, 1);
        self.advance()?;
        let mut row = RowReader::new(&self.header);
        let per_batch = (BATCH / cols).max(1);
        for first in (0..rows).step_by(per_batch) {
            let batch = per_batch.min(rows - first);
            let mut left = batch * cols;
            while left > 0 {
                let step = left.min(BATCH);
                self.source.grow(into, step, limits)?;
                let all = into.values_mut::<f32>()?;
                let start = all.len() - step;
                let mut at = start;
                while at < all.len() {
                    let end = all.len().min((at / cols + 1) * cols);
                    row.read(at, &mut all[..end], &mut self.integers, &self.window);
                    at = end;
                }
                self.advance()?;
                left -= step;
            }
        }
        self.end()?;
        match *self.header.shape {
            [rows, cols] => into.reshape(Rank::Matrix, to_usize(rows), to_usize(cols)),
            _ => Ok(()),
        }
    }

    fn too_many(&self) -> String {
        let sizes: Vec<_> = self.header.shape.iter().map(u64::to_string).collect();
        format!("an array of {} values", sizes.join(" x "))
    }

    /// Checks what was read, and looks at further bytes if there are fewer than a batch may take.
    fn advance(&mut self) -> Result<()> {
        const NEEDED: usize = BATCH * LONGEST + KEPT;
        if !self.window.is_empty() || self.ended {
            self.check()?;
            if self.ended || self.window.len().saturating_sub(self.integers.bits.at) >= NEEDED {
                return Ok(());
            }
        }
        let passed = self.integers.bits.at.saturating_sub(KEPT);
        self.source.skip(passed as u64)?;
        self.integers.bits.at -= passed;
        let next = self.source.peek(WINDOW)?;
        self.ended = next.len() < WINDOW;
        self.window.clear();
        self.window.extend_from_slice(next);
        Ok(())
    }

    /// Checks that there was no fault, and that the data go as far as they were read.
    fn check(&self) -> Result<()> {
        let used = self.integers.bits.used();
        let place = |e: Error, used: usize| {
            let at = self.source.offset() + used as u64;
            e.file(self.source.name()).byte(at)
        };
        if used > self.window.len() && self.ended {
            let error = Error::truncated("the file ends in lilcom data");
            return Err(place(error, self.window.len()));
        }
        match self.integers.fault {
            Some(fault) => Err(place(Error::malformed(fault), used)),
            None => Ok(()),
        }
    }

    fn end(&mut self) -> Result<()> {
        self.check()?;
        self.source.skip(self.integers.bits.used() as u64)
    }
}

/// Converts a size that was checked against the limits, which are sizes in memory.
fn to_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// Decodes values of a row, each from the ones before along all axes.
struct RowReader {
    tick: f32,
    /// The size of the last axis, and its coefficient.
    cols: usize,
    last: f32,
    /// Of the other axes with a coefficient: size, values from one element to the next, coefficient.
    axes: Vec<(usize, usize, f32)>,
    /// The part of the prediction that the value before in the row makes.
    carried: f32,
}

impl RowReader {
    fn new(header: &Header) -> Self {
        let mut stride = 1;
        let mut axes = Vec::new();
        let sized = header.shape.iter().map(|size| to_usize(*size));
        for (size, coefficient) in sized.zip(&header.coefficients).rev() {
            axes.push((size, stride, weight(*coefficient)));
            stride *= size;
        }
        let (cols, _, last) = axes[0];
        axes.remove(0);
        axes.reverse();
        axes.retain(|(_, _, weight)| *weight != 0.0);
        Self {
            tick: power(header.tick),
            cols,
            last,
            axes,
            carried: 0.0,
        }
    }

    /// Decodes the values of one row from `at` to the end of `all`.
    fn read(&mut self, at: usize, all: &mut [f32], integers: &mut IntegerReader, bytes: &[u8]) {
        let (tick, last) = (self.tick, self.last);
        let mut carried = match at % self.cols {
            0 => 0.0,
            _ => self.carried,
        };
        let is_inner =
            |(size, stride, _): &&(usize, usize, f32)| !(at / stride).is_multiple_of(*size);
        let mut inner = self.axes.iter().filter(is_inner);
        let (past, row) = all.split_at_mut(at);
        // A copy, so that it can stay in registers.
        let mut own = *integers;
        let mut next = || signed(own.next(bytes)) as f32 * tick;
        match (inner.next(), inner.next()) {
            (None, _) => {
                for value in row {
                    *value = carried + next();
                    carried = *value * last;
                }
            }
            (Some((_, stride, weight)), None) => {
                let (back, weight) = (&past[at - stride..], *weight);
                // A row that is cut in batches is longer than what lies between, if the axis is
                // the last but one.
                for (value, back) in row.iter_mut().zip(back) {
                    *value = carried + back * weight + next();
                    carried = *value * last;
                }
            }
            _ => {
                for n in at..at + row.len() {
                    let mut predicted = carried;
                    for (_, stride, weight) in self.axes.iter().filter(is_inner) {
                        predicted += past[n - stride] * weight;
                    }
                    row[n - at] = predicted + next();
                    carried = row[n - at] * last;
                }
            }
        }
        self.carried = carried;
        *integers = own;
    }
}

/// Returns the weight that a coefficient stands for.
fn weight(coefficient: i32) -> f32 {
    coefficient as f32 / SCALE
}
