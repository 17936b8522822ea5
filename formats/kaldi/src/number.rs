//! Parsing of numbers in Kaldi's text objects, directly in a block of bytes.

use spr_core::model::Element;

/// The result of parsing the start of some bytes.
#[derive(Debug, PartialEq)]
pub(crate) enum Scan<T> {
    /// A number, and its length in bytes.
    Number(T, usize),
    /// A number that may continue after the last byte.
    Unfinished,
    /// No number, or one that the type cannot hold.
    Bad,
}

/// The element types of text matrices and vectors.
pub(crate) trait Real: Element {
    /// Returns the nearest float, if one operation in `f64` suffices to find it. A float that does
    /// not hold all digits, so that its own digits differ, is counted as `rounded`.
    fn from_decimal(mantissa: u64, exponent: i32, rounded: &mut u64) -> Option<Self>;
    /// Returns `true` if this, the nearest float to `digits`, holds all of them, where the last one
    /// counts `10^exponent`.
    fn holds(self, digits: &[u8], exponent: i32) -> bool;
    /// Negates the value.
    fn negated(self) -> Self;
}

/// The powers of ten that are exact in `f64`.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The powers of ten from -22 to 22, with their inverses; the negative ones are rounded.
const FACTORS: [[f64; 2]; 45] = {
    let mut factors = [[1.0; 2]; 45];
    let mut i = 1;
    while i < POWERS.len() {
        factors[22 - i] = [1.0 / POWERS[i], POWERS[i]];
        factors[22 + i] = [POWERS[i], 1.0 / POWERS[i]];
        i += 1;
    }
    factors
};

/// Half of the powers of ten from -22 to 22.
const HALVES: [f64; 45] = {
    let mut halves = [0.5; 45];
    let mut i = 1;
    while i < POWERS.len() {
        halves[22 - i] = 0.5 / POWERS[i];
        halves[22 + i] = 0.5 * POWERS[i];
        i += 1;
    }
    halves
};

/// Returns half of the value of the last digit, and a little more for the rounding of the
/// difference compared with it.
fn half(exponent: i32) -> f64 {
    let place = usize::try_from(exponent + 22).ok();
    place.and_then(|i| HALVES.get(i)).copied().unwrap_or(0.0) * TIES
}

const TIES: f64 = 1.000_001;

/// Returns the number of trailing zeros in decimal digits.
fn zeros(mut mantissa: u64) -> i32 {
    let mut zeros = 0;
    while mantissa > 0 && mantissa.is_multiple_of(10) {
        (mantissa, zeros) = (mantissa / 10, zeros + 1);
    }
    zeros
}

/// Converts digits to a float if that is exact. The conversion of a signed number is faster.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "no more than 53 bits")]
fn whole(mantissa: u64) -> Option<f64> {
    (mantissa <= 1 << 53).then_some(mantissa.cast_signed() as f64)
}

/// Returns `None`. Marked cold, so that the usual path is contiguous.
#[cold]
fn untold<T>() -> Option<T> {
    None
}

/// Returns `true` if `value`, the nearest to a number, holds all its digits.
#[cold]
fn is_held(value: f32, mantissa: u64, exponent: i32) -> bool {
    // Seven digits are always preserved.
    mantissa < 10_000_000
        || f64::from_decimal(mantissa, exponent, &mut 0).is_none_or(|wide| {
            let off = (wide - f64::from(value)).abs();
            off <= half(exponent) || off <= half(exponent + zeros(mantissa))
        })
}

impl Real for f64 {
    #[inline]
    fn from_decimal(mantissa: u64, exponent: i32, _: &mut u64) -> Option<Self> {
        let power = POWERS.get(usize::try_from(exponent.unsigned_abs()).ok()?)?;
        let digits = whole(mantissa)?;
        Some(if exponent < 0 {
            digits / power
        } else {
            digits * power
        })
    }

    fn holds(self, _: &[u8], _: i32) -> bool {
        true
    }

    #[inline]
    fn negated(self) -> Self {
        -self
    }
}

impl Real for f32 {
    /// The product is off by at most one unit in the last place of an `f64`. Rounding it again
    /// fails only if it is that close to the middle between two `f32`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "rounding is meant")]
    fn from_decimal(mantissa: u64, exponent: i32, rounded: &mut u64) -> Option<Self> {
        const BELOW: u64 = (1 << 29) - 1;
        const NEAR_HALF: u64 = (1 << 28) - 2;
        let [factor, back] = FACTORS.get(usize::try_from(exponent.saturating_add(22)).ok()?)?;
        let digits = whole(mantissa)?;
        let wide = digits * factor;
        if (wide.to_bits() & BELOW).wrapping_sub(NEAR_HALF) <= 4 {
            return untold();
        }
        let value = wide as Self;
        // Almost always true.
        let close = (f64::from(value) * back - digits).abs() <= 0.5;
        if !close {
            *rounded += u64::from(!is_held(value, mantissa, exponent));
        }
        Some(value)
    }

    #[cold]
    fn holds(self, digits: &[u8], exponent: i32) -> bool {
        let end = digits.iter().position(|b| matches!(b, b'e' | b'E'));
        let number = &digits[..end.unwrap_or(digits.len())];
        let zeros = number.iter().rev().filter(|b| **b != b'.');
        let zeros = zeros.take_while(|b| **b == b'0').count();
        let half =
            0.5 * TIES * 10f64.powi(exponent.saturating_add(i32::try_from(zeros).unwrap_or(0)));
        let wide = f64::parse(digits);
        wide.is_none_or(|wide| (wide - f64::from(self)).abs() <= half)
    }

    #[inline]
    fn negated(self) -> Self {
        -self
    }
}

/// Parses a float at the start of `bytes`: a digit, or a sign and a digit or point; infinities and
/// NaNs, which must end at white space. `last` means that nothing follows `bytes`. A float that
/// does not hold all digits is counted as `rounded`.
#[inline(always)]
pub(crate) fn real<T: Real>(bytes: &[u8], last: bool, rounded: &mut u64) -> Scan<T> {
    let negative = bytes.first() == Some(&b'-');
    let mut at = usize::from(negative);
    let start = at;
    let mut mantissa = 0u64;
    at = digits(bytes, at, &mut mantissa);
    let mut count = at - start;
    let mut exponent = 0i32;
    if bytes.get(at) == Some(&b'.') && (count > 0 || negative) {
        let point = at + 1;
        at = eights(bytes, point, &mut mantissa);
        count += at - point;
        exponent = -i32::try_from(at - point).unwrap_or(i32::MAX);
    }
    if count == 0 {
        return word(bytes, last);
    }
    let mut plain = count <= 19;
    if let Some(b'e' | b'E') = bytes.get(at) {
        let signed = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let start = at + 1 + signed;
        let mut value = 0u64;
        let end = digits(bytes, start, &mut value);
        if end == bytes.len() && !last {
            return Scan::Unfinished;
        }
        if end == start {
            return Scan::Bad;
        }
        plain &= end - start <= 4;
        let value = i32::try_from(value & 0xffff).unwrap_or(0);
        exponent = exponent.saturating_add(if bytes.get(at + 1) == Some(&b'-') {
            -value
        } else {
            value
        });
        at = end;
    }
    if at == bytes.len() && !last {
        return Scan::Unfinished;
    }
    let value = match plain {
        true => T::from_decimal(mantissa, exponent, rounded),
        false => None,
    };
    let value = match value {
        Some(value) if negative => Some(value.negated()),
        Some(value) => Some(value),
        None => {
            let value = T::parse(&bytes[..at]);
            let held = value.is_none_or(|value| value.holds(&bytes[..at], exponent));
            *rounded += u64::from(!held);
            value
        }
    };
    value.map_or(Scan::Bad, |value| Scan::Number(value, at))
}

/// Parses a word as C++'s streams do, by which Kaldi reads all numbers but those in brackets: like
/// [`real`], and with a plus sign or a point before the first digit as well.
pub(crate) fn streamed<T: Real>(word: &[u8], rounded: &mut u64) -> Option<T> {
    let after_sign = word.strip_prefix(b"+").filter(|rest| {
        let first = rest.first();
        first.is_some_and(|b| b.is_ascii_digit() || *b == b'.')
    });
    let plain = after_sign.unwrap_or(word);
    let whole = |bytes: &[u8], rounded: &mut u64| match real::<T>(bytes, true, rounded) {
        Scan::Number(value, len) if len == bytes.len() => Some(value),
        _ => None,
    };
    match plain.first() {
        // A point may follow a minus sign only.
        Some(b'.') => whole(&[b"-", plain].concat(), rounded).map(T::negated),
        _ => whole(plain, rounded),
    }
}

/// Adds the digits from `at` on to `value`, which wraps beyond 19 of them, and returns their end.
#[inline]
fn digits(bytes: &[u8], mut at: usize, value: &mut u64) -> usize {
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0'))
        && digit < 10
    {
        *value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    at
}

/// Does the same as [`digits`], faster if there are many: eight at a time.
#[inline]
fn eights(bytes: &[u8], mut at: usize, value: &mut u64) -> usize {
    const TENS: [u64; 9] = [
        1,
        10,
        100,
        1_000,
        10_000,
        100_000,
        1_000_000,
        10_000_000,
        100_000_000,
    ];
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let (n, number) = leading(u64::from_le_bytes(*chunk));
        *value = value.wrapping_mul(TENS[n]).wrapping_add(number);
        at += n;
        if n < 8 {
            return at;
        }
    }
    digits(bytes, at, value)
}

/// Returns the number of leading digits in eight characters, the first in the lowest byte, and
/// their value.
#[inline]
fn leading(text: u64) -> (usize, u64) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let digits = text ^ (0x30 * EACH);
    // The high bit of each byte beyond 9; a carry affects only bytes after the first of these.
    let others = (digits.wrapping_add(0x76 * EACH) | digits) & (0x80 * EACH);
    let n = others.trailing_zeros() / 8;
    // The digits move to the end, with zeros before them; then neighbours are combined.
    let digits = digits.checked_shl(64 - 8 * n).unwrap_or(0);
    let pairs = (digits.wrapping_mul((10 << 8) + 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul((100 << 16) + 1) >> 16) & 0x0000_ffff_0000_ffff;
    let number = fours.wrapping_mul((10_000 << 32) + 1) >> 32;
    (n as usize, number)
}

/// Parses `inf`, `infinity` or `nan` in any case and with any sign.
#[cold]
fn word<T: Real>(bytes: &[u8], last: bool) -> Scan<T> {
    let Some(end) = end_of_word(bytes, last) else {
        return Scan::Unfinished;
    };
    let word = &bytes[..end];
    let name = word.strip_prefix(b"-").or(word.strip_prefix(b"+"));
    let name = name.unwrap_or(word);
    let known = [&b"inf"[..], b"infinity", b"nan"];
    if !known.iter().any(|k| name.eq_ignore_ascii_case(k)) {
        return Scan::Bad;
    }
    T::parse(word).map_or(Scan::Bad, |value| Scan::Number(value, end))
}

/// Parses an `i32` that is a whole word.
#[inline]
pub(crate) fn integer(bytes: &[u8], last: bool) -> Scan<i32> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative || bytes.first() == Some(&b'+'));
    let mut value = 0u64;
    let at = digits(bytes, start, &mut value);
    match bytes.get(at) {
        None if !last => return Scan::Unfinished,
        Some(b) if !is_space(*b) => return Scan::Bad,
        _ => {}
    }
    // Without leading zeros, an i32 has at most ten digits.
    if at == start || (at - start > 10 && bytes[start..at - 10].iter().any(|b| *b != b'0')) {
        return Scan::Bad;
    }
    let value = i64::try_from(value).map(|v| if negative { -v } else { v });
    match value.map(i32::try_from) {
        Ok(Ok(value)) => Scan::Number(value, at),
        _ => Scan::Bad,
    }
}

/// Returns the end of the word at the start of `bytes`, unless it may continue after them.
pub(crate) fn end_of_word(bytes: &[u8], last: bool) -> Option<usize> {
    let end = bytes.iter().position(|b| is_space(*b));
    end.or(last.then_some(bytes.len()))
}

/// Returns `true` for white space as in C.
#[inline]
pub(crate) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number<T: Real>(text: &str) -> Option<(T, usize)> {
        match real(text.as_bytes(), true, &mut 0) {
            Scan::Number(value, len) => Some((value, len)),
            _ => None,
        }
    }

    #[test]
    fn digits_that_are_not_held_are_noticed() {
        fn held<T: Real>(text: &str) -> bool {
            let mut rounded = 0;
            let read = real::<T>(text.as_bytes(), true, &mut rounded);
            assert!(matches!(read, Scan::Number(..)), "{text}");
            rounded == 0
        }
        let yes = [
            "0.1",
            "16777216",
            "3.1415927",
            "0.10000000149011612",
            "1e-40",
            "1.401298e-45",
            "3.4028235e38",
            "-0",
            "0.000",
            "inf",
            "-nan",
            "1.234568e+08",
            "8.589973e+09",
            "0.30000001192092896",
            "71785890",
            "0.1000000000",
            "0.100000000000000000000000",
        ];
        let no = [
            "16777217",
            "7e-46",
            "-7e-46",
            "1e-50",
            "0.1234567890123",
            "3.141592653589793",
            "33.333333",
            "123456789012345678901234567890",
            "2147483647",
            "-0.30000000000000004",
        ];
        for text in yes {
            assert!(held::<f32>(text), "{text}");
        }
        for text in no {
            assert!(!held::<f32>(text), "{text}");
            assert!(held::<f64>(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn all_digits_that_a_float_needs_are_held(bits: u32) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            for text in [format!("{value}"), format!("{value:e}"), format!("{}", f64::from(value))] {
                let mut rounded = 0;
                let read = real::<f32>(text.as_bytes(), true, &mut rounded);
                prop_assert!(matches!(read, Scan::Number(..)) && rounded == 0, "{}", text);
            }
        }
    }

    #[test]
    fn takes_what_kaldi_takes() {
        for (text, value, len) in [
            ("1", 1.0, 1),
            ("-.5 ", -0.5, 3),
            ("5.]", 5.0, 2),
            ("1-2", 1.0, 1),
            ("12abc", 12.0, 2),
            ("1e-50 ", 0.0, 5),
            ("16777217", 16_777_216.0, 8),
            ("1.5e+3;", 1500.0, 6),
            ("-INF", f32::NEG_INFINITY, 4),
            ("infinity ", f32::INFINITY, 8),
            ("0.000000000000000000000000000001", 1e-30, 32),
            ("123456789012345678901234567890e-29", 1.234_567_9, 34),
        ] {
            assert_eq!(number::<f32>(text), Some((value, len)), "{text}");
        }
        assert!(number::<f32>("-nan ").unwrap().0.is_nan());
        assert_eq!(number::<f32>("1e-40").unwrap().0, 1e-40);
        assert!(number::<f32>("-0").unwrap().0.is_sign_negative());
        for text in [
            "", "-", "+1", ".5", "1e", "1e+", "x", "nan]", "1e50", "-e5", "1.#INF", "infx",
            "1e99999",
        ] {
            if text == "1.#INF" {
                assert_eq!(number::<f32>(text), Some((1.0, 2)));
            } else {
                assert_eq!(number::<f32>(text), None, "{text}");
            }
        }
    }

    #[test]
    fn words_are_read_as_streams_read_them() {
        for (word, value) in [
            ("1", 1.0),
            (".5", 0.5),
            ("-.5", -0.5),
            ("+.5", 0.5),
            ("+0.5", 0.5),
            ("+5", 5.0),
            ("5.", 5.0),
            (".5e1", 5.0),
            ("+1e-1", 0.1),
            (".12345678901234567890123", 0.123_456_79),
            ("inf", f32::INFINITY),
            ("-infinity", f32::NEG_INFINITY),
        ] {
            assert_eq!(
                streamed::<f32>(word.as_bytes(), &mut 0),
                Some(value),
                "{word}"
            );
        }
        for word in [
            "", ".", "+", "-", "+.", "-.", "+-1", "-+1", "++1", "..5", ".e1", ".5x", "+x", "1 ",
        ] {
            assert_eq!(streamed::<f32>(word.as_bytes(), &mut 0), None, "{word}");
        }
    }

    #[test]
    fn eight_digits_at_once() {
        let text = |chars: &[u8; 8]| leading(u64::from_le_bytes(*chars));
        assert_eq!(text(b"12345678"), (8, 12_345_678));
        assert_eq!(text(b"99999999"), (8, 99_999_999));
        for n in 0..8 {
            for other in (0..=255u8).filter(|b| !b.is_ascii_digit()) {
                for rest in [b'0', b'9', b'/', b':', 0, 0x7f, 0xff] {
                    let mut chars = *b"90817263";
                    chars[n] = other;
                    chars[n + 1..].fill(rest);
                    let number = (0..n).fold(0, |v, i| 10 * v + u64::from(chars[i] - b'0'));
                    assert_eq!(text(&chars), (n, number), "{chars:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn eights_are_digits(text in "[0-9]{0,30}[^0-9]{0,9}[0-9]{0,3}", start in 0u64..u64::MAX) {
            let (mut one, mut other) = (start, start);
            let end = digits(text.as_bytes(), 0, &mut one);
            prop_assert_eq!(eights(text.as_bytes(), 0, &mut other), end);
            prop_assert_eq!(one, other);
        }
    }

    #[test]
    fn waits_for_the_rest() {
        for text in ["1", "1.", "1.5", "1e", "1e-", "1e-5", "-", "na", ""] {
            assert_eq!(
                real::<f32>(text.as_bytes(), false, &mut 0),
                Scan::Unfinished,
                "{text}"
            );
        }
        assert_eq!(integer(b"12", false), Scan::Unfinished);
    }

    #[test]
    fn integers_are_words() {
        assert_eq!(integer(b"-12 3", false), Scan::Number(-12, 3));
        assert_eq!(integer(b"+7\n", false), Scan::Number(7, 2));
        assert_eq!(
            integer(b"00000000000000000000000000012\n", false),
            Scan::Number(12, 29)
        );
        assert_eq!(integer(b"-2147483648", true), Scan::Number(i32::MIN, 11));
        for text in [
            "2147483648",
            "1.0",
            "12a",
            "-",
            "",
            "99999999999999999999999",
            "1;",
        ] {
            assert_eq!(integer(text.as_bytes(), true), Scan::Bad, "{text}");
        }
    }

    proptest! {
        #[test]
        fn f32_is_the_nearest(digits in 0u64..u64::MAX, shift in 0u32..64, exponent in -60i32..45) {
            let text = format!("{}e{exponent}", digits >> shift);
            let expected: f32 = text.parse().unwrap();
            match number::<f32>(&text) {
                Some((value, _)) => prop_assert_eq!(value.to_bits(), expected.to_bits()),
                None => prop_assert!(expected.is_infinite()),
            }
        }

        #[test]
        fn f32_midpoints(bits in 0x0080_0000u32..0x7f00_0000, nudge in 0usize..3) {
            let middle = (f64::from(f32::from_bits(bits)) + f64::from(f32::from_bits(bits + 1))) / 2.0;
            let middle = f64::from_bits(middle.to_bits() + nudge as u64 - 1);
            let text = format!("{middle:e}");
            let expected: f32 = text.parse().unwrap();
            prop_assert_eq!(number::<f32>(&text).unwrap().0.to_bits(), expected.to_bits());
        }

        #[test]
        fn f64_is_the_nearest(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            for text in [format!("{value}"), format!("{value:e}"), format!("{value:.6}")] {
                let expected: f64 = text.parse().unwrap();
                prop_assert_eq!(number::<f64>(&text).unwrap().0.to_bits(), expected.to_bits());
            }
        }
    }
}
