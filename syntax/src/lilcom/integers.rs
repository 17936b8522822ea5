//! Integers of drifting width.

use super::bits::{BitReader, BitWriter, low};

/// The largest width in bits.
const WIDEST: u32 = 32;
/// The start width from which one more bit is stored.
const LONG_START: u32 = 31;
/// The bits of the start width.
const START: u32 = 5;
/// The largest power of two of the length of a run of zeros.
const LONGEST_RUN: u32 = 30;
/// The bytes that one integer may take, start included.
pub(super) const LONGEST: usize = 8;

/// A reader of integers. Bytes are passed to each call.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntegerReader {
    pub(super) bits: BitReader,
    /// The widths of the integer before and of the next one.
    before: u32,
    width: u32,
    /// The zeros left of a run.
    run: u32,
    /// The first fault.
    pub(super) fault: Option<&'static str>,
}

impl IntegerReader {
    /// Reads the start width at byte `at`.
    pub(super) fn start(at: usize, bytes: &[u8]) -> Self {
        let mut bits = BitReader::new(at);
        let mut width = bits.take(START, bytes);
        if width == LONG_START {
            width += bits.take(1, bytes);
        }
        Self {
            bits,
            before: width,
            width,
            run: 0,
            fault: None,
        }
    }

    /// Reads an integer, without a meaning after a fault.
    #[inline]
    pub(super) fn next(&mut self, bytes: &[u8]) -> u32 {
        let width = self.width;
        if width == 0 {
            *self = self.zero(bytes);
            return 0;
        }
        self.bits.refill(bytes);
        let bits = self.bits.peek();
        // 0: the next width is the same; 1, 0: one less; 1, 1: one more.
        let moves = low(bits, 1);
        let up = low(bits >> 1, 1) & moves;
        let after = width + 2 * up - moves;
        if after > WIDEST {
            *self = self.fail("an integer of more than 32 bits");
            return 0;
        }
        // The highest bit of an integer that is not narrower than its neighbours is certain.
        let narrowing = u32::from(self.before <= width);
        let certain = narrowing & (up ^ 1);
        let stored = width - certain;
        let value = low(bits >> (1 + moves), stored) | (certain << (stored & 31));
        // In few steps, as the next integer waits for this sum.
        self.bits
            .skip((1 + width - narrowing) + moves + (up & narrowing));
        (self.before, self.width) = (width, after);
        value
    }

    /// Reads one of a run of zeros. By value, as are faults, so that a reader can stay in registers.
    #[inline(never)]
    fn zero(mut self, bytes: &[u8]) -> Self {
        if self.run == 0 {
            self.bits.refill(bytes);
            let power = self.bits.peek().trailing_zeros();
            if power > LONGEST_RUN {
                return self.fail("a run of more than 2^31 zeros");
            }
            self.bits.skip(power + 1);
            self.run = (1 << power) | self.bits.take(power, bytes);
        }
        self.run -= 1;
        self.before = 0;
        self.width = u32::from(self.run == 0);
        self
    }

    #[cold]
    fn fail(mut self, fault: &'static str) -> Self {
        self.fault.get_or_insert(fault);
        self
    }
}

/// Appends all integers of a stream, fewer than 2^31.
pub(super) fn write(integers: &[u32], out: &mut BitWriter) {
    let widths = widths(integers);
    let Some(&first) = widths.first() else {
        return;
    };
    let first = u32::from(first);
    out.put(first.min(LONG_START), START);
    if first >= LONG_START {
        out.put(first - LONG_START, 1);
    }
    let mut before = first;
    let mut n = 0;
    while let (Some(&value), Some(&width)) = (integers.get(n), widths.get(n)) {
        let width = u32::from(width);
        if width == 0 {
            let run = widths[n..].iter().take_while(|width| **width == 0).count();
            write_run(run, out);
            n += run;
        } else {
            let after = widths.get(n + 1).map_or(width, |after| u32::from(*after));
            match after.cmp(&width) {
                std::cmp::Ordering::Equal => out.put(0, 1),
                std::cmp::Ordering::Less => out.put(1, 2),
                std::cmp::Ordering::Greater => out.put(3, 2),
            }
            let certain = u32::from(before <= width && after <= width);
            let stored = width - certain;
            out.put(low(u64::from(value), stored), stored);
            n += 1;
        }
        before = width;
    }
}

/// Appends a run of zeros.
fn write_run(run: usize, out: &mut BitWriter) {
    let power = run.ilog2();
    out.put(0, power);
    out.put(1, 1);
    out.put(low(run as u64, power), power);
}

/// Returns the widths of integers: at least as many bits as they need, and from one to the next a
/// step of one at most.
fn widths(integers: &[u32]) -> Vec<u8> {
    let mut widths = Vec::with_capacity(integers.len());
    let mut last = 0u8;
    for value in integers {
        #[expect(clippy::cast_possible_truncation, reason = "at most 32")]
        let needed = (u32::BITS - value.leading_zeros()) as u8;
        last = needed.max(last.saturating_sub(1));
        widths.push(last);
    }
    last = 0;
    for width in widths.iter_mut().rev() {
        last = last.saturating_sub(1).max(*width);
        *width = last;
    }
    widths
}
