//! Formatting with Kaldi's seven digits, as by C's `%.7g`.

use spr_core::model::{CastStats, Element};

use crate::kind::Precision;

/// The number of significant digits.
const DIGITS: usize = 7;
/// Powers of ten from 1e-6 on: the position of the first digit in numbers that take the fast path.
const PLACES: [f64; 14] = [
    1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
];
/// The powers of ten that are exact as floats.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
/// The factors that scale numbers to seven digits before the point.
const SCALES: [f64; 13] = [
    1e12, 1e11, 1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0,
];

/// A float type in Kaldi's text.
pub(crate) trait SevenDigits: Element {
    /// Appends the value with seven significant digits, and counts the loss when it is read back in
    /// a precision.
    fn print_seven(self, precision: Precision, out: &mut Vec<u8>, stats: &mut CastStats);

    /// Counts the loss of a value that is formatted with all digits.
    fn read_back(self, precision: Precision, stats: &mut CastStats);
}

impl SevenDigits for f32 {
    fn print_seven(self, _: Precision, out: &mut Vec<u8>, stats: &mut CastStats) {
        let printed = print(f64::from(self), out);
        stats.count(self, narrow(printed));
    }

    fn read_back(self, _: Precision, _: &mut CastStats) {}
}

impl SevenDigits for f64 {
    fn print_seven(self, precision: Precision, out: &mut Vec<u8>, stats: &mut CastStats) {
        let printed = print(self, out);
        match precision {
            Precision::Single => stats.count(self, narrow(printed)),
            Precision::Double => stats.count(self, printed),
        }
    }

    fn read_back(self, precision: Precision, stats: &mut CastStats) {
        if precision == Precision::Single {
            stats.count(self, narrow(self));
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding is meant")]
fn narrow(value: f64) -> f32 {
    value as f32
}

/// Appends the value, and returns the value of the text.
fn print(value: f64, out: &mut Vec<u8>) -> f64 {
    let sign = if value.is_sign_negative() { -1.0 } else { 1.0 };
    if value.is_sign_negative() {
        out.push(b'-');
    }
    let value = value.abs();
    if value == 0.0 {
        out.push(b'0');
        sign * value
    } else if !value.is_finite() {
        out.extend_from_slice(if value.is_nan() { b"nan" } else { b"inf" });
        sign * value
    } else {
        let (digits, place) = fast(value).unwrap_or_else(|| slow(value));
        lay_out(digits, place, out);
        sign * said(digits, place)
    }
}

/// Returns the number with these seven digits, the first one at `place`.
fn said(digits: u32, place: i32) -> f64 {
    let power = place - 6;
    // Both numbers are exact, so that there is only one rounding.
    match (EXACT.get(power.unsigned_abs() as usize), power < 0) {
        (Some(exact), true) => f64::from(digits) / exact,
        (Some(exact), false) => f64::from(digits) * exact,
        (None, _) => format!("{digits}e{power}").parse().unwrap_or(f64::NAN),
    }
}

/// Returns seven digits and the power of ten of the first, if a single multiplication is certain to
/// be exact enough.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 1e7"
)]
fn fast(value: f64) -> Option<(u32, i32)> {
    let place = PLACES.partition_point(|p| *p <= value).checked_sub(1)?;
    let scaled = value * SCALES.get(place)?;
    let whole = scaled as u32;
    let rest = scaled - f64::from(whole);
    // The product is off by at most 1e-9. A fraction too near to one half, or one that belongs to
    // the next power, is left to exact arithmetic.
    if (rest - 0.5).abs() < 1e-6 || !(999_999.5..9_999_999.0).contains(&scaled) {
        return None;
    }
    Some((whole + u32::from(rest > 0.5), place as i32 - 6))
}

/// Does the same as [`fast`], exactly.
fn slow(value: f64) -> (u32, i32) {
    let text = format!("{value:.*e}", DIGITS - 1);
    let (digits, place) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.bytes().filter(u8::is_ascii_digit);
    let digits = digits.fold(0, |n, d| n * 10 + u32::from(d - b'0'));
    (digits, place.parse().unwrap_or(0))
}

/// Writes `digits`, the first of which counts tens to the power `place`.
fn lay_out(mut digits: u32, place: i32, out: &mut Vec<u8>) {
    let mut text = [b'0'; DIGITS];
    for digit in text.iter_mut().rev() {
        *digit += u8::try_from(digits % 10).unwrap_or(0);
        digits /= 10;
    }
    let len = text.iter().rposition(|d| *d != b'0').map_or(1, |i| i + 1);
    let text = &text[..len];
    match usize::try_from(place) {
        Ok(place) if place < DIGITS => {
            let whole = place + 1;
            out.extend_from_slice(&text[..whole.min(len)]);
            if len > whole {
                out.push(b'.');
                out.extend_from_slice(&text[whole..]);
            } else {
                out.resize(out.len() + whole - len, b'0');
            }
        }
        Err(_) if place >= -4 => {
            out.extend_from_slice(&b"0.0000"[..2 + (place.unsigned_abs() as usize - 1)]);
            out.extend_from_slice(text);
        }
        _ => {
            out.push(text[0]);
            if len > 1 {
                out.push(b'.');
                out.extend_from_slice(&text[1..]);
            }
            let sign = if place < 0 { '-' } else { '+' };
            out.extend_from_slice(format!("e{sign}{:02}", place.unsigned_abs()).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(value: f64) -> String {
        let mut out = Vec::new();
        print(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn prints_as_c_does() {
        for (value, expected) in [
            (0.1, "0.1"),
            (1e-7, "1e-07"),
            (123_456_789.0, "1.234568e+08"),
            (1e7, "1e+07"),
            (1e6, "1000000"),
            (f64::from(9_999_999.5f32), "1e+07"),
            (16_777_216.0, "1.677722e+07"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (0.000_999_999_96, "0.001"),
            (-0.0, "-0"),
            (f64::from(f32::MAX), "3.402823e+38"),
            (f64::from(f32::from_bits(1)), "1.401298e-45"),
            (1e300, "1e+300"),
            (-1234.5678, "-1234.568"),
            (100.0, "100"),
            (0.5, "0.5"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
            // Ties are rounded to even.
            (1_234_566.5, "1234566"),
            (1_234_567.5, "1234568"),
            (16_777_205.0, "1.67772e+07"),
            (16_777_215.0, "1.677722e+07"),
            (0.000_001, "1e-06"),
            (999_999.97, "1000000"),
        ] {
            assert_eq!(text(value), expected);
        }
    }

    proptest! {
        #[test]
        fn fast_is_exact(bits: u32, place in -8i32..9) {
            // Mostly in the range of the fast path, with seven to nine digits.
            let value = f64::from(bits) * 10f64.powi(place - 9);
            let single: f32 = format!("{value}").parse().unwrap();
            for value in [value, f64::from(single)] {
                if let Some(fast) = fast(value) {
                    prop_assert_eq!(fast, slow(value), "{}", value);
                }
            }
        }

        #[test]
        fn reads_back_within_seven_digits(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let expected: f64 = format!("{value:.6e}").parse().unwrap();
            let mut out = Vec::new();
            let said = print(value, &mut out);
            prop_assert_eq!(text(value).parse::<f64>().unwrap(), expected);
            prop_assert_eq!(said, expected);
        }
    }
}
