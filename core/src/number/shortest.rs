//! The shortest text of an `f32` of usual size, with no branch that depends on its digits.

use std::ops::Range;

/// Bytes that a text is put together in.
const SLOT: usize = 24;
/// The biased exponents of what is printed here: from 2^-13 to 2^23.
const USUAL: Range<u32> = 114..150;
/// Bits behind the point of a scaled significand.
const PART: u32 = 37;
/// Behind which digit the point may stand; below 1 there are zeros between.
const POINTS: Range<i32> = -3..8;

/// What brings floats of one exponent to seven or eight digits before the point.
#[derive(Clone, Copy)]
struct Scale {
    /// A power of ten, shifted so that twice a significand times it has [`PART`] bits behind its
    /// point. No power is above 10^10, so that nothing is cut off.
    power: u64,
    /// The place of the decimal point where there are nine digits in all.
    point: i32,
}

const SCALES: [Scale; (USUAL.end - USUAL.start) as usize] = {
    let mut scales = [const { Scale { power: 0, point: 0 } }; (USUAL.end - USUAL.start) as usize];
    let mut exponent = USUAL.start;
    while exponent < USUAL.end {
        // Twice a significand has so many bits behind its point.
        let bits = 151 - exponent;
        // Where the last bit stands among the digits; the factor is the logarithm of 2.
        let place = ((1 - bits.cast_signed()) * 315_653) >> 20;
        let power = 10u64.pow((-1 - place).cast_unsigned());
        scales[(exponent - USUAL.start) as usize] = Scale {
            power: power << (PART - bits),
            point: 9 + place,
        };
        exponent += 1;
    }
    scales
};

/// Where digits stand in a text, whose first byte is the lowest.
#[derive(Clone, Copy)]
struct Layout {
    /// The digits that keep their place.
    kept: u64,
    /// The point, and zeros before the digits.
    fixed: u64,
    /// By how many bits others are moved, and those that are meant.
    moved: u32,
    others: u64,
    /// How long a whole number is, and what else adds to that of its digits.
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
        let places = point.unsigned_abs();
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

/// Appends the text of `value`; `false` if it is not one that is printed here: very small or large,
/// 0 or a power of two.
#[inline]
#[must_use]
pub(super) fn print(value: f32, out: &mut Vec<u8>) -> bool {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    let Some((nine, point)) = digits(value.to_bits()) else {
        return false;
    };
    let layout = usize::try_from(point - POINTS.start);
    let Some(layout) = layout.ok().and_then(|i| LAYOUTS.get(i)) else {
        return false;
    };
    let (thousands, millions) = (nine / 1000, nine / 1_000_000);
    let groups = [
        millions,
        thousands - millions * 1000,
        nine - thousands * 1000,
    ];
    let [first, middle, last] = groups.map(triple);
    let (eight, ninth) = (first | middle << 24 | last << 48, last >> 16);
    // The first is none of the zeros at the end.
    let used = 9 - ((eight >> 8 | ninth << 56).leading_zeros() / 8) as usize;
    let len = match used > layout.whole {
        true => used + layout.more,
        false => layout.whole,
    };
    let (eight, ninth) = (eight | ZEROS, ninth | ZEROS);
    let moved = layout.moved & 63;
    let start = eight & layout.kept | layout.fixed | (eight << moved) & layout.others;
    let end = eight >> (64 - moved) | ninth << moved;
    let (at, sign) = (out.len(), usize::from(value.is_sign_negative()));
    out.extend_from_slice(&[b'-'; SLOT]);
    if let Some(slot) = out.get_mut(at + sign..at + sign + 16) {
        slot[..8].copy_from_slice(&start.to_le_bytes());
        slot[8..].copy_from_slice(&end.to_le_bytes());
    }
    out.truncate(at + sign + len);
    true
}

#[inline]
fn triple(n: u32) -> u64 {
    TRIPLES
        .get(n as usize)
        .map_or(0, |digits| u64::from(*digits))
}

/// The shortest digits that tell a float by its bits, of those the nearest, with zeros behind them
/// to make nine, and where the point stands.
///
/// Scaled by a power of ten it has seven or eight digits before the point. If a whole number is so
/// near that no other float is nearer to it, its digits will do; else one more is needed.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "nine digits")]
fn digits(bits: u32) -> Option<(u32, i32)> {
    let (exponent, fraction) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    let scale = SCALES.get(exponent.wrapping_sub(USUAL.start) as usize)?;
    if fraction == 0 {
        // The float below is nearer than the one above.
        return None;
    }
    let Scale { power, point } = *scale;
    let significand = u64::from(fraction | 1 << 23);
    let scaled = 2 * significand * power;
    let part = scaled & ((1 << PART) - 1);
    // Half the distance to the next float is `power` by now; what is just as far away is read as
    // this float if it is even.
    let odd = significand & 1;
    let up = part + power - odd >= 1 << PART;
    let down = part + odd <= power;
    let whole = (scaled + power - odd) >> PART;
    let next = match part == 1 << (PART - 2) {
        // Of two that are as near the even one.
        true => 2,
        false => (part * 10 + (1 << (PART - 1))) >> PART,
    };
    let digits = whole * 10 + (next & u64::from(up | down).wrapping_sub(1));
    let eight = digits < 100_000_000;
    let nine = match eight {
        true => digits * 10,
        false => digits,
    };
    Some((nine as u32, point - i32::from(eight)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_zmij_prints() {
        let mut out = Vec::new();
        let mut printed = 0;
        // A prime, so that all bits vary. Once they were all compared.
        for value in (0..u32::MAX).step_by(2503).map(f32::from_bits) {
            out.clear();
            if print(value, &mut out) {
                let expected = zmij::Buffer::new().format_finite(value).to_owned();
                let expected = expected.strip_suffix(".0").unwrap_or(&expected);
                assert_eq!(String::from_utf8_lossy(&out), expected);
                printed += 1;
            } else {
                assert!(out.is_empty());
            }
        }
        assert!(printed > 200_000, "{printed}");
    }

    #[test]
    fn what_is_not_usual_is_left() {
        let mut out = Vec::new();
        for value in [
            0.0,
            -0.0,
            1.0,
            0.5,
            1e-5,
            1e7,
            f32::NAN,
            f32::INFINITY,
            f32::MAX,
        ] {
            assert!(!print(value, &mut out), "{value}");
        }
        assert!(out.is_empty());
    }
}
