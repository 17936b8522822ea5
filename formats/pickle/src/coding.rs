//! The encodings of byte strings in a pickle.

use crate::latin1::{self, Fault};

/// The encoding of a byte string in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringCoding {
    /// Unencoded.
    Raw,
    /// Each byte is a character up to U+00FF, in UTF-8.
    Utf8,
    /// Python 2's `'..\n..\x00'`, without the quotes.
    Escaped,
    /// Each byte is a character up to U+00FF, written as itself or as `\u00ff`.
    RawUnicode,
}

impl StringCoding {
    /// Returns the largest number of bytes that encode one.
    pub(crate) fn widest(self) -> u64 {
        match self {
            Self::Raw => 1,
            Self::Utf8 => 2,
            Self::Escaped => 4,
            Self::RawUnicode => 10,
        }
    }

    /// Decodes the start of `from`, and returns the number of bytes consumed: all if it is the
    /// `last` block, otherwise all but a possibly incomplete sequence.
    pub(crate) fn decode(self, from: &[u8], last: bool, out: &mut Vec<u8>) -> Result<usize, Fault> {
        match self {
            Self::Raw => {
                out.extend_from_slice(from);
                Ok(from.len())
            }
            Self::Utf8 => latin1::decode(from, last, out),
            Self::Escaped => decode_escaped(from, last, out),
            Self::RawUnicode => decode_raw_unicode(from, last, out),
        }
    }
}

fn decode_escaped(from: &[u8], last: bool, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let mut i = 0;
    while let Some(&byte) = from.get(i) {
        if byte != b'\\' {
            let run = memchr::memchr(b'\\', &from[i..]).unwrap_or(from.len() - i);
            out.extend_from_slice(&from[i..i + run]);
            i += run;
            continue;
        }
        if !last && from.len() - i < 4 {
            break;
        }
        let Some(&letter) = from.get(i + 1) else {
            return Err((i, "a string ends in a backslash"));
        };
        let mut used = 2;
        match letter {
            b'\\' | b'\'' | b'"' => out.push(letter),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b't' => out.push(b'\t'),
            b'n' => out.push(b'\n'),
            b'v' => out.push(11),
            b'f' => out.push(12),
            b'r' => out.push(b'\r'),
            b'x' => match from.get(i + 2..i + 4).and_then(hex) {
                Some(value) => {
                    out.push(value.to_le_bytes()[0]);
                    used = 4;
                }
                None => return Err((i, "\\x without two hexadecimal digits")),
            },
            b'0'..=b'7' => {
                let digits = from[i + 1..].iter().take(3);
                let digits = digits.take_while(|d| (b'0'..=b'7').contains(d));
                let value = digits
                    .clone()
                    .fold(0u32, |v, d| v * 8 + u32::from(d - b'0'));
                out.push(value.to_le_bytes()[0]);
                used = 1 + digits.count();
            }
            other => out.extend_from_slice(&[b'\\', other]),
        }
        i += used;
    }
    Ok(i)
}

fn decode_raw_unicode(from: &[u8], last: bool, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let mut i = 0;
    while let Some(&byte) = from.get(i) {
        if byte != b'\\' {
            let run = memchr::memchr(b'\\', &from[i..]).unwrap_or(from.len() - i);
            out.extend_from_slice(&from[i..i + run]);
            i += run;
            continue;
        }
        if !last && from.len() - i < 10 {
            break;
        }
        let (value, used) = raw_unicode_escape(&from[i..]).map_err(|e| (i, e))?;
        match value {
            Some(value) => match u8::try_from(value) {
                Ok(byte) => out.push(byte),
                Err(_) => {
                    return Err((
                        i,
                        "text that should hold bytes has a character beyond U+00FF",
                    ));
                }
            },
            None => out.extend_from_slice(&from[i..i + used]),
        }
        i += used;
    }
    Ok(i)
}

/// Returns the character of an escape at the start of `from`, if there is one, and its length. A
/// backslash before anything but `u` and `U` stands for itself, like the character after it.
fn raw_unicode_escape(from: &[u8]) -> Result<(Option<u32>, usize), &'static str> {
    let digits = match from.get(1) {
        Some(b'u') => 4,
        Some(b'U') => 8,
        Some(_) => return Ok((None, 2)),
        None => return Ok((None, 1)),
    };
    match from.get(2..2 + digits).and_then(hex) {
        Some(value) => Ok((Some(value), 2 + digits)),
        None => Err("\\u without its hexadecimal digits"),
    }
}

/// Converts a `RawUnicode` string to UTF-8. Invalid characters, such as half a surrogate pair,
/// become U+FFFD.
pub(crate) fn raw_unicode_text(from: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut text = String::with_capacity(from.len());
    let mut i = 0;
    while let Some(&byte) = from.get(i) {
        if byte != b'\\' {
            text.push(char::from(byte));
            i += 1;
            continue;
        }
        let (value, used) = raw_unicode_escape(&from[i..]).map_err(|e| (i, e))?;
        match value {
            Some(value) => text.push(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)),
            None => text.extend(from[i..i + used].iter().map(|&b| char::from(b))),
        }
        i += used;
    }
    Ok(text.into_bytes())
}

fn hex(digits: &[u8]) -> Option<u32> {
    let mut value = 0;
    for &digit in digits {
        value = value << 4 | char::from(digit).to_digit(16)?;
    }
    Some(value)
}

/// Appends `bytes` as characters up to U+00FF, on one line of a text pickle.
pub(crate) fn encode_raw_unicode(bytes: &[u8], out: &mut Vec<u8>) {
    for &byte in bytes {
        match byte {
            0 => out.extend_from_slice(b"\\u0000"),
            b'\n' => out.extend_from_slice(b"\\u000a"),
            b'\r' => out.extend_from_slice(b"\\u000d"),
            0x1a => out.extend_from_slice(b"\\u001a"),
            b'\\' => out.extend_from_slice(b"\\u005c"),
            other => out.push(other),
        }
    }
}

/// Appends `text` on one line of a text pickle.
pub(crate) fn encode_raw_unicode_text(text: &str, out: &mut Vec<u8>) {
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte) => encode_raw_unicode(&[byte], out),
            Err(_) if c <= '\u{ffff}' => {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes());
            }
            Err(_) => out.extend_from_slice(format!("\\U{:08x}", u32::from(c)).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(coding: StringCoding, from: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::new();
        let used = coding.decode(from, true, &mut out)?;
        assert_eq!(used, from.len());
        Ok(out)
    }

    #[test]
    fn decodes_what_python_writes() {
        assert_eq!(
            all(StringCoding::Escaped, br#"a\\\'\"\n\r\t\x00\xfF\7\101\q."#).unwrap(),
            b"a\\'\"\n\r\t\x00\xff\x07A\\q."
        );
        assert_eq!(
            all(
                StringCoding::RawUnicode,
                b"\xe9\\u000a\\\\u0041\\U000000ff\\"
            )
            .unwrap(),
            b"\xe9\n\\\\u0041\xff\\"
        );
        assert_eq!(
            all(StringCoding::Utf8, b"a\xc2\x80\xc3\xbf").unwrap(),
            b"a\x80\xff"
        );
        assert_eq!(
            raw_unicode_text(b"\xe9\\u0416").unwrap(),
            "\u{e9}\u{416}".as_bytes()
        );
    }

    #[test]
    fn refuses_what_holds_no_bytes() {
        for (coding, text, at) in [
            (StringCoding::Utf8, &b"a\xd0\x96"[..], 1),
            (StringCoding::Utf8, b"a\xc2", 1),
            (StringCoding::Utf8, b"a\xc2a", 1),
            (StringCoding::RawUnicode, b"a\\u0416", 1),
            (StringCoding::RawUnicode, b"\\u00", 0),
            (StringCoding::Escaped, b"ab\\", 2),
            (StringCoding::Escaped, b"ab\\xg0", 2),
        ] {
            assert_eq!(all(coding, text).unwrap_err().0, at, "{coding:?} {text:?}");
        }
    }

    proptest! {
        #[test]
        fn blocks_make_no_difference(bytes: Vec<u8>, step in 1usize..20) {
            for coding in [StringCoding::Utf8, StringCoding::RawUnicode] {
                let mut text = Vec::new();
                if coding == StringCoding::Utf8 {
                    latin1::encode(&bytes, &mut text);
                    prop_assert_eq!(text.len() as u64, latin1::encoded_len(&bytes));
                } else {
                    encode_raw_unicode(&bytes, &mut text);
                    prop_assert!(!text.contains(&b'\n'));
                }
                let (mut out, mut pending) = (Vec::new(), Vec::new());
                let blocks = text.chunks(step).count();
                for (i, block) in text.chunks(step).enumerate() {
                    pending.extend_from_slice(block);
                    let used = coding.decode(&pending, i + 1 == blocks, &mut out).unwrap();
                    pending.drain(..used);
                }
                prop_assert_eq!(&out, &bytes);
                prop_assert!(pending.is_empty());
            }
        }
    }
}
