//! Numbers in text: the shortest digits that read back to the same value, and parsing from bytes.

/// Appends the shortest decimal text of `value` that reads back to the same `f32`.
///
/// Whole numbers have no point (`3`, not `3.0`); non-finite ones are `nan`, `inf` and `-inf`.
#[inline]
pub fn print_f32(value: f32, out: &mut Vec<u8>) {
    if value.is_finite() {
        print_finite(zmij::Buffer::new().format_finite(value), out);
    } else {
        out.extend_from_slice(non_finite(value.is_nan(), value > 0.0));
    }
}

/// Appends the shortest decimal text of `value` that reads back to the same `f64`.
#[inline]
pub(crate) fn print_f64(value: f64, out: &mut Vec<u8>) {
    if value.is_finite() {
        print_finite(zmij::Buffer::new().format_finite(value), out);
    } else {
        out.extend_from_slice(non_finite(value.is_nan(), value > 0.0));
    }
}

#[inline]
fn print_finite(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.extend_from_slice(bytes.strip_suffix(b".0").unwrap_or(bytes));
}

fn non_finite(nan: bool, positive: bool) -> &'static [u8] {
    match (nan, positive) {
        (true, _) => b"nan",
        (_, true) => b"inf",
        (_, false) => b"-inf",
    }
}

/// Parses all of `text` as an `f32`; a finite text beyond the type's range is `None`, not infinity.
pub fn parse_f32(text: &[u8]) -> Option<f32> {
    let value: f32 = fast_float2::parse(text).ok()?;
    (!value.is_infinite() || names_infinity(text)).then_some(value)
}

/// Parses all of `text` as an `f64`; a finite text beyond the type's range is `None`, not infinity.
pub fn parse_f64(text: &[u8]) -> Option<f64> {
    let value: f64 = fast_float2::parse(text).ok()?;
    (!value.is_infinite() || names_infinity(text)).then_some(value)
}

fn names_infinity(text: &[u8]) -> bool {
    !text.iter().any(u8::is_ascii_digit)
}

/// Parses all of `text` as a decimal integer with an optional sign.
pub(crate) fn parse_int(text: &[u8]) -> Option<i128> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 30 {
        return None;
    }
    let mut value = 0i128;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i128::from(digit - b'0');
    }
    Some(if negative { -value } else { value })
}

/// Parses all of `text` as an integer of type `T`.
pub fn parse_integer<T: TryFrom<i128>>(text: &[u8]) -> Option<T> {
    T::try_from(parse_int(text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text32(value: f32) -> String {
        let mut out = Vec::new();
        print_f32(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn prints_the_shortest_text() {
        for (value, text) in [(0.1, "0.1"), (3.0, "3"), (-0.0, "-0"), (1e-7, "1e-7")] {
            assert_eq!(text32(value), text);
        }
        assert_eq!(text32(f32::NEG_INFINITY), "-inf");
        assert_eq!(text32(f32::NAN), "nan");
    }

    #[test]
    fn refuses_what_is_no_number_or_too_large() {
        for text in ["", "1e50", "0x10", "1,2", "12abc", "1d5", "--1"] {
            assert_eq!(parse_f32(text.as_bytes()), None, "{text}");
        }
        for text in ["", "+", "1.0", "99999999999999999999999999999999", "0x10"] {
            assert_eq!(parse_int(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse_integer::<i32>(b"-2147483648"), Some(i32::MIN));
        assert_eq!(parse_integer::<u8>(b"256"), None);
    }

    proptest! {
        #[test]
        fn f32_reads_back(bits: u32) {
            let value = f32::from_bits(bits);
            let back = parse_f32(text32(value).as_bytes()).unwrap();
            prop_assert!(back.to_bits() == bits || value.is_nan());
        }

        #[test]
        fn f64_reads_back(bits: u64) {
            let value = f64::from_bits(bits);
            let mut out = Vec::new();
            print_f64(value, &mut out);
            let back = parse_f64(&out).unwrap();
            prop_assert!(back.to_bits() == bits || value.is_nan());
        }
    }
}
