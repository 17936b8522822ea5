//! Shortest texts of many `f32`, without branches on the digits of those of usual magnitude.

use std::ops::Range;

use super::text::print_f32;

/// The number of texts formatted together.
const BLOCK: usize = 64;
/// The size of the buffer for each text with its separator; no text is as long.
const SLOT: usize = 24;
const ZEROS: u64 = 0x3030_3030_3030_3030;
/// The biased exponents of usual floats: from 2^-13 to 2^23.
const USUAL: Range<u32> = 114..150;
/// The number of fractional bits of a scaled significand.
const PART: u32 = 37;
/// The range of positions of the point after a digit; below 1 there are zeros between.
const POINTS: Range<i8> = -3..8;

/// The factor that scales floats of one exponent to seven or eight digits before the point.
#[derive(Clone, Copy)]
struct Scale {
    /// A power of ten, shifted so that its product with twice a significand has [`PART`] fractional
    /// bits. It is at most 10^10 and thus exact.
    power: u64,
    /// The position of the decimal point with nine digits in total.
    point: i8,
}

#[expect(clippy::cast_possible_truncation, reason = "from -2 to 8")]
const SCALES: [Scale; (USUAL.end - USUAL.start) as usize] = {
    let mut scales = [const { Scale { power: 0, point: 0 } }; (USUAL.end - USUAL.start) as usize];
    let mut exponent = USUAL.start;
    while exponent < USUAL.end {
        // The number of fractional bits of twice a significand.
        let bits = 151 - exponent;
        // The position of the last bit among the digits; the factor is the logarithm of 2.
        let place = ((1 - bits.cast_signed()) * 315_653) >> 20;
        let power = 10u64.pow((-1 - place).cast_unsigned());
        scales[(exponent - USUAL.start) as usize] = Scale {
            power: power << (PART - bits),
            point: (9 + place) as i8,
        };
        exponent += 1;
    }
    scales
};

/// The layout of digits in a text, whose first byte is the lowest.
#[derive(Clone, Copy)]
struct Layout {
    /// The mask of digits that keep their position.
    kept: u64,
    /// The point, and zeros before the digits.
    fixed: u64,
    /// The shift of other digits in bits, and their mask.
    moved: u32,
    others: u64,
    /// The length of an integer, and the additional length of others.
    whole: usize,
    more: usize,
}

const LAYOUTS: [Layout; (POINTS.end - POINTS.start) as usize] = {
    const NONE: Layout = Layout {
        kept: 0,
        fixed: 0,
        moved: 0,
        others: u64::MAX,
        whole: 0,
        more: 0,
    };
    let mut layouts = [NONE; (POINTS.end - POINTS.start) as usize];
    let mut point = POINTS.start;
    while point < POINTS.end {
        let places = point.unsigned_abs() as u32;
        layouts[(point - POINTS.start).unsigned_abs() as usize] = match point > 0 {
            true => Layout {
                kept: (1 << (8 * places)) - 1,
                fixed: (b'.' as u64) << (8 * places),
                moved: 8,
                others: (u64::MAX << (8 * places)) << 8,
                whole: places as usize,
                more: 1,
            },
            false => Layout {
                fixed: u64::from_le_bytes(*b"0.000000") & ((1 << (8 * (places + 2))) - 1),
                moved: 8 * (places + 2),
                more: places as usize + 2,
                ..NONE
            },
        };
        point += 1;
    }
    layouts
};

/// The three digits of each number below 1000, the first in the lowest byte.
static TRIPLES: [u32; 1000] = {
    let mut triples = [0; 1000];
    let mut n = 0;
    while n < 1000 {
        triples[n as usize] = (n / 100) | ((n / 10 % 10) << 8) | ((n % 10) << 16);
        n += 1;
    }
    triples
};

/// A text being formatted.
#[derive(Clone, Copy, Default)]
struct Text {
    /// Nine digits as a number, padded with zeros; then the first eight, one per byte, the first in
    /// the lowest.
    digits: u64,
    ninth: u8,
    /// The number of digits without padding.
    used: u8,
    /// The position of the point; out of range for a number of unusual magnitude.
    point: i8,
}

/// Appends the text of each value followed by `end`, with `start` before each row.
pub(super) fn print_rows(values: &[f32], row: usize, start: &[u8], end: u8, out: &mut Vec<u8>) {
    let mut texts = [Text::default(); BLOCK];
    let mut other = Vec::new();
    let mut left = 0;
    for values in values.chunks(BLOCK) {
        // In steps, so that a processor works on many texts at once: the position of each depends
        // on those before it.
        for (text, value) in texts.iter_mut().zip(values) {
            (text.digits, text.point) = digits(value.to_bits()).unwrap_or_else(|| unusual(*value));
        }
        texts.iter_mut().take(values.len()).for_each(Text::separate);
        let mut at = out.len();
        let rows = values.len() / row.max(1) + 1;
        out.resize(at + SLOT * values.len() + start.len() * rows, 0);
        for (text, value) in texts.iter().zip(values) {
            if left == 0 {
                left = row;
                if let Some(place) = out.get_mut(at..at + start.len()) {
                    place.copy_from_slice(start);
                }
                at += start.len();
            }
            left = left.saturating_sub(1);
            let slot = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut);
            let Some(slot) = slot else { return };
            let len = text
                .lay_out(value.is_sign_negative(), slot)
                .unwrap_or_else(|| {
                    other.clear();
                    print_f32(*value, &mut other);
                    let len = other.len().min(SLOT - 1);
                    slot[..len].copy_from_slice(&other[..len]);
                    len
                });
            if let Some(place) = slot.get_mut(len) {
                *place = end;
            }
            at += len + 1;
        }
        out.truncate(at);
    }
}

/// Returns the digits of an unusual float: those of 0, or none.
#[cold]
fn unusual(value: f32) -> (u64, i8) {
    match value == 0.0 {
        true => (0, 1),
        false => (0, POINTS.end),
    }
}

impl Text {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "digits")]
    fn separate(&mut self) {
        let nine = self.digits as u32;
        let (thousands, millions) = (nine / 1000, nine / 1_000_000);
        let groups = [
            millions,
            thousands - millions * 1000,
            nine - thousands * 1000,
        ];
        let [first, middle, last] = groups.map(triple);
        let (eight, ninth) = (first | middle << 24 | last << 48, last >> 16);
        // The first digit is not one of the trailing zeros.
        let zeros = (eight >> 8 | ninth << 56).leading_zeros() / 8;
        (self.digits, self.ninth, self.used) = (eight, ninth as u8, 9 - zeros as u8);
    }

    /// Writes the text into `slot`, and returns its length, or `None` for a number of unusual
    /// magnitude.
    #[inline]
    fn lay_out(&self, negative: bool, slot: &mut [u8; SLOT]) -> Option<usize> {
        let layout = LAYOUTS.get(usize::try_from(self.point - POINTS.start).ok()?)?;
        let used = usize::from(self.used);
        let len = match used > layout.whole {
            true => used + layout.more,
            false => layout.whole,
        };
        let (eight, ninth) = (self.digits | ZEROS, u64::from(self.ninth | b'0'));
        let moved = layout.moved & 63;
        let start = eight & layout.kept | layout.fixed | (eight << moved) & layout.others;
        let rest = eight >> (64 - moved) | ninth << moved;
        let sign = usize::from(negative);
        slot[0] = b'-';
        slot[sign..sign + 8].copy_from_slice(&start.to_le_bytes());
        slot[sign + 8..sign + 16].copy_from_slice(&rest.to_le_bytes());
        Some(sign + len)
    }
}

#[inline]
fn triple(n: u32) -> u64 {
    TRIPLES
        .get(n as usize)
        .map_or(0, |digits| u64::from(*digits))
}

/// Returns the shortest digits that identify a float by its bits, the nearest of those, padded with
/// zeros to nine digits, and the position of the point.
///
/// Scaled by a power of ten it has seven or eight digits before the point. If an integer is so near
/// that no other float is nearer to it, its digits are used; otherwise one more is needed. Powers
/// of two have a neighbour at half the distance below, but that changes none of these.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "nine digits")]
fn digits(bits: u32) -> Option<(u64, i8)> {
    let (exponent, fraction) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    let scale = SCALES.get(exponent.wrapping_sub(USUAL.start) as usize)?;
    let Scale { power, point } = *scale;
    let significand = u64::from(fraction | 1 << 23);
    let scaled = 2 * significand * power;
    let part = scaled & ((1 << PART) - 1);
    // `power` is now half the distance to the next float. A number at exactly that distance is read
    // as this float if it is even. Comparisons would become branches.
    let odd = significand & 1;
    let up = (part + power - odd) >> PART;
    let down = 1 ^ below(power, part + odd);
    let whole = (scaled >> PART) + up;
    let next = match part == 1 << (PART - 2) {
        // Ties to even.
        true => 2,
        false => (part * 10 + (1 << (PART - 1))) >> PART,
    };
    let digits = whole * 10 + (next & (up | down).wrapping_sub(1));
    let eight = below(digits, 100_000_000);
    let nine = digits * (1 + 9 * eight);
    Some((nine, point - eight as i8))
}

/// Returns 1 if `a` is below `b`, otherwise 0; both are below 2^63.
#[inline]
fn below(a: u64, b: u64) -> u64 {
    a.wrapping_sub(b) >> 63
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f32], row: usize) {
        let mut out = b"before".to_vec();
        print_rows(values, row, b"\n-", b';', &mut out);
        let mut expected = b"before".to_vec();
        for (n, value) in values.iter().enumerate() {
            if n % row == 0 {
                expected.extend_from_slice(b"\n-");
            }
            print_f32(*value, &mut expected);
            expected.push(b';');
        }
        if out != expected {
            let [out, expected] = [out, expected].map(|text| String::from_utf8(text).unwrap());
            let mut pairs = out.split(';').zip(expected.split(';'));
            panic!("{:?}", pairs.find(|(a, b)| a != b));
        }
    }

    #[test]
    fn texts_are_those_of_single_floats() {
        // A prime step, so that all bits vary. All values have been compared once.
        let all = (0..u32::MAX).step_by(2503).map(f32::from_bits);
        check(&all.collect::<Vec<_>>(), 1000);
        let usual = (USUAL.start << 23..USUAL.end << 23).step_by(499);
        check(&usual.map(f32::from_bits).collect::<Vec<_>>(), 40);
        let powers = (0..255).map(|exponent| f32::from_bits(exponent << 23));
        check(&powers.collect::<Vec<_>>(), 1);
    }

    #[test]
    fn values_of_any_size_stand_together() {
        let values = [
            0.0,
            -0.0,
            1.0,
            -0.5,
            0.1,
            1e-6,
            -1e-5,
            8_388_607.5,
            1e7,
            1.5,
            100.0,
            -3.0,
        ];
        let odd = [
            f32::NAN,
            f32::NEG_INFINITY,
            f32::MIN,
            -f32::from_bits(1),
            -1.234_567_8e-6,
        ];
        let all = [&values[..], &odd].concat().repeat(7);
        for n in 0..all.len() {
            check(&all[n..], n % 9 + 1);
        }
    }
}
