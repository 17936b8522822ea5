//! Integers of sizes other than 32 bits, which are kept as bytes.

use spr_core::bytes::{ByteOrder, PutNumber as _};
use spr_core::{Error, Result};

/// The types: name, tag before the bytes, size in bytes, and whether they are signed.
const TYPES: &[(&str, u8, usize, bool)] = &[
    ("int8", 1, 1, true),
    ("int16", 2, 2, true),
    ("int64", 8, 8, true),
    ("uint8", 0xff, 1, false),
    ("uint16", 0xfe, 2, false),
    ("uint32", 0xfc, 4, false),
    ("uint64", 0xf8, 8, false),
];

/// The name of a list of 8-bit integers.
const BYTES: &str = "int8-vector";

/// Returns the numbers of an object of this kind, if it has any.
pub(crate) fn numbers(kind: &str, bytes: &[u8]) -> Option<Vec<i128>> {
    let value = bytes.strip_prefix(b"\0B")?;
    if kind == BYTES {
        let (_, pairs) = value.split_first_chunk::<5>()?;
        let pairs = pairs.as_chunks::<2>().0.iter();
        return Some(pairs.map(|[_, b]| i128::from(b.cast_signed())).collect());
    }
    let (_, _, size, signed) = TYPES.iter().find(|(name, ..)| *name == kind)?;
    let mut wide = [0; 8];
    wide.get_mut(..*size)?.copy_from_slice(value.get(1..)?);
    let unused = 64 - 8 * *size;
    let number = u64::from_le_bytes(wide) << unused;
    Some(vec![match signed {
        true => i128::from(number.cast_signed() >> unused),
        false => i128::from(number >> unused),
    }])
}

/// Encodes an object of this kind from the words of its text. Returns `None` if it has no such
/// form.
///
/// # Errors
/// The number of words is wrong, or a number is out of range.
pub(crate) fn encoded<'a>(
    kind: &str,
    mut words: impl Iterator<Item = &'a [u8]>,
) -> Option<Result<Vec<u8>>> {
    if kind == BYTES {
        let numbers: Result<Vec<_>> = words
            .map(|word| number(word, 1, true, "int8").map(|b| [1, b[0]]))
            .collect();
        return Some(numbers.and_then(|pairs| {
            let count = i32::try_from(pairs.len());
            let count = count.map_err(|_| Error::malformed("more than 2147483647 numbers"))?;
            let mut bytes = b"\0B\x04".to_vec();
            bytes.put_i32(count, ByteOrder::Little);
            bytes.extend(pairs.concat());
            Ok(bytes)
        }));
    }
    let (name, tag, size, signed) = TYPES.iter().find(|(name, ..)| *name == kind)?;
    let encoded = match (words.next(), words.next()) {
        (Some(word), None) => number(word, *size, *signed, name),
        _ => Err(Error::malformed(format!("expected one {name} on the line"))),
    };
    Some(encoded.map(|value| [&[0, b'B', *tag], &value[..*size]].concat()))
}

/// Encodes a number in the first `size` of eight bytes.
fn number(word: &[u8], size: usize, signed: bool, name: &str) -> Result<[u8; 8]> {
    let digits = std::str::from_utf8(word).ok();
    let value = digits.and_then(|digits| digits.parse::<i128>().ok());
    let bits = 8 * size;
    let range = match signed {
        true => -(1i128 << (bits - 1))..1i128 << (bits - 1),
        false => 0..1i128 << bits,
    };
    match value.filter(|value| range.contains(value)) {
        Some(value) => {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&value.to_le_bytes()[..8]);
            Ok(bytes)
        }
        None => {
            let shown = String::from_utf8_lossy(word);
            Err(Error::malformed(format!("'{shown}' is not an {name}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_others_are_refused() {
        let mut seen = 0;
        for (kind, good, bad) in [
            ("int8", ["-128", "127"], ["128", "-129"]),
            ("int16", ["-32768", "32767"], ["32768", "x"]),
            (
                "int64",
                ["-9223372036854775808", "9223372036854775807"],
                ["9223372036854775808", ""],
            ),
            ("uint8", ["0", "255"], ["-1", "256"]),
            ("uint16", ["0", "65535"], ["-1", "65536"]),
            ("uint32", ["0", "4294967295"], ["-1", "4294967296"]),
            (
                "uint64",
                ["0", "18446744073709551615"],
                ["-1", "18446744073709551616"],
            ),
            ("int8-vector", ["-128", "127"], ["128", "1.5"]),
        ] {
            let encode = |word: &str| encoded(kind, std::iter::once(word.as_bytes())).unwrap();
            for word in good {
                let numbers = numbers(kind, &encode(word).unwrap()).unwrap();
                assert_eq!(numbers, [word.parse::<i128>().unwrap()], "{kind}");
                seen += 1;
            }
            for word in bad {
                assert!(encode(word).is_err(), "{kind}: {word}");
                seen += 1;
            }
        }
        assert_eq!(seen, 8 * 4);
        let two = || [&b"1"[..], b"2"].into_iter();
        assert!(encoded("int16", two()).unwrap().is_err());
        let list = encoded("int8-vector", two()).unwrap().unwrap();
        assert_eq!(list, b"\0B\x04\x02\0\0\0\x01\x01\x01\x02");
        assert!(encoded("blob", two()).is_none() && numbers("blob", b"\0B").is_none());
    }
}
