//! Byte strings in JSON: a string if they are UTF-8, otherwise `{"bytes":"hex"}`; and decimal
//! numbers with all their digits.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use spr_core::model::Decimal;
use spr_core::{Error, Result};

#[derive(Deserialize)]
struct Plain<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bytes<'a> {
    #[serde(borrow)]
    bytes: Cow<'a, str>,
}

/// Decodes a byte string; `what` names it in errors.
pub(crate) fn read<'a>(raw: &'a RawValue, what: &str) -> Result<Cow<'a, [u8]>> {
    let refuse = || {
        Error::malformed(format!(
            "{what} is neither a string nor {{\"bytes\":\"hex\"}}"
        ))
    };
    let text = raw.get();
    if text.starts_with('"') {
        let Plain(text) = serde_json::from_str(text).map_err(|_| refuse())?;
        return Ok(match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        });
    }
    if !text.starts_with('{') {
        return Err(refuse());
    }
    let Bytes { bytes } = serde_json::from_str(text).map_err(|_| refuse())?;
    unhex(bytes.as_bytes()).map(Cow::Owned).ok_or_else(refuse)
}

/// Decodes `{"bytes":"hex"}`.
pub(crate) fn read_hex(raw: &RawValue, what: &str) -> Result<Vec<u8>> {
    match raw.get().starts_with('{') {
        true => read(raw, what).map(Cow::into_owned),
        false => Err(Error::malformed(format!(
            "{what} is not {{\"bytes\":\"hex\"}}"
        ))),
    }
}

/// Appends `bytes` as `{"bytes":"hex"}`.
pub(crate) fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"bytes\":\"");
    for byte in bytes {
        out.extend([byte >> 4, byte & 15].map(|d| b"0123456789abcdef"[usize::from(d)]));
    }
    out.extend_from_slice(b"\"}");
}

/// Appends `bytes` as JSON.
pub(crate) fn write(bytes: &[u8], out: &mut Vec<u8>) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return write_hex(bytes, out);
    };
    out.push(b'"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend([b'\\', c as u8]),
            '\n' => out.extend_from_slice(b"\\n"),
            '\t' => out.extend_from_slice(b"\\t"),
            c if is_tricky(c) => out.extend(format!("\\u{:04x}", u32::from(c)).into_bytes()),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

/// Returns `true` if a character affects the surrounding text on a terminal, or is a line break for
/// some programs. All of these have 16 bits.
fn is_tricky(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        )
        || matches!(c, '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

fn unhex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |c: u8| {
        char::from(c)
            .to_digit(16)
            .and_then(|d| u8::try_from(d).ok())
    };
    let (pairs, rest) = digits.as_chunks::<2>();
    let bytes = pairs
        .iter()
        .map(|[a, b]| Some(digit(*a)? << 4 | digit(*b)?));
    if rest.is_empty() {
        bytes.collect()
    } else {
        None
    }
}

/// Reads a decimal number, or a string with one that JSON cannot represent (`.5`).
pub(crate) fn read_decimal(raw: &RawValue, what: &str) -> Result<Decimal> {
    let refuse = || Error::malformed(format!("{what} is not a number: {}", raw.get()));
    let text = match raw.get().strip_prefix('"') {
        None => raw.get(),
        Some(rest) => rest.strip_suffix('"').ok_or_else(refuse)?,
    };
    Decimal::parse(text).ok_or_else(refuse)
}

/// Appends a decimal with all its digits.
pub(crate) fn write_decimal(value: Decimal, out: &mut Vec<u8>) {
    out.extend_from_slice(value.to_string().as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn bytes_read_back() {
        for (bytes, text) in [
            (&b"A-03"[..], r#""A-03""#),
            (b"", r#""""#),
            (b"a\"\\\n\x01\x7f", r#""a\"\\\n\u0001\u007f""#),
            ("é\u{1f600}".as_bytes(), "\"é\u{1f600}\""),
            (
                "a\u{202e}\u{2066}\u{2028}".as_bytes(),
                r#""a\u202e\u2066\u2028""#,
            ),
            (b"\xff\x00a", r#"{"bytes":"ff0061"}"#),
        ] {
            let mut out = Vec::new();
            write(bytes, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
            assert_eq!(*read(&raw(text), "the key").unwrap(), *bytes);
        }
        assert_eq!(*read(&raw(r#""\u00e9\/""#), "").unwrap(), *"é/".as_bytes());
        assert_eq!(*read(&raw(r#"{"bytes":"FF"}"#), "").unwrap(), [0xff]);
    }

    #[test]
    fn refuses_what_is_no_text() {
        for text in [
            "1",
            "null",
            r#"["ff"]"#,
            r#"{"bytes":"f"}"#,
            r#"{"bytes":"fg"}"#,
            r#"{"bytes":"ff","x":1}"#,
            r#"{}"#,
            r#""\ud800""#,
        ] {
            let error = read(&raw(text), "the key").unwrap_err();
            assert!(error.message().starts_with("the key is neither"), "{error}");
        }
    }

    #[test]
    fn decimals_keep_their_digits() {
        for (digits, text) in [
            ("0.010", "0.010"),
            ("5e-3", "0.005"),
            (".5", "0.5"),
            ("+1", "1"),
            ("007", "7"),
            ("0.123456789012345678", "0.123456789012345678"),
        ] {
            let mut out = Vec::new();
            write_decimal(Decimal::parse(digits).unwrap(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
            assert_eq!(read_decimal(&raw(text), "").unwrap().to_string(), text);
        }
        assert_eq!(
            read_decimal(&raw(r#"".5""#), "").unwrap(),
            Decimal::new(5, -1)
        );
        for text in ["true", "\"\"", "\"nan\"", "[1]", "1e999"] {
            assert!(read_decimal(&raw(text), "").is_err(), "{text}");
        }
    }
}
