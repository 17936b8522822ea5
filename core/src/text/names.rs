//! Names of files as text, whatever bytes they are made of.

use std::borrow::Cow;

/// The character that stands for byte 0x80. Those that follow stand for the bytes that follow. None
/// of them is in use by anybody; where a name has one all the same, its bytes are stood for.
const FIRST: u32 = 0x0010_fe80;
const LAST: u32 = 0x0010_feff;

/// The byte that a character stands for.
pub(crate) fn byte_of(c: char) -> Option<u8> {
    let code = u32::from(c);
    let byte = (FIRST..=LAST)
        .contains(&code)
        .then(|| code - FIRST + 0x80)?;
    u8::try_from(byte).ok()
}

/// Bytes as text from which [`bytes_of`] makes the same bytes: what is not UTF-8 is stood for.
#[cfg(any(unix, test))]
pub(crate) fn spelt(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.chars().any(|c| byte_of(c).is_some())
    {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len());
    let stand_in = |byte: &u8| char::from_u32(FIRST + u32::from(*byte) - 0x80);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match byte_of(c) {
                Some(_) => {
                    let own = c.to_string();
                    text.extend(own.as_bytes().iter().filter_map(stand_in));
                }
                None => text.push(c),
            }
        }
        text.extend(chunk.invalid().iter().filter_map(stand_in));
    }
    text.into()
}

/// The bytes that text [spells](spelt).
pub(crate) fn bytes_of(text: &str) -> Cow<'_, [u8]> {
    if !text.chars().any(|c| byte_of(c).is_some()) {
        return text.as_bytes().into();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{json_line, visible};

    #[test]
    fn every_name_is_text_and_back() {
        let mut tried = 0;
        for name in [
            &b"plain"[..],
            b"",
            b"\xff",
            b"a\xe9b.ark",
            "\u{e9}\u{10fe85}\u{10ffff}".as_bytes(),
            b"\xc3",
            b"\xf4\x8f\xba",
            &(0..=255).collect::<Vec<u8>>(),
        ] {
            assert_eq!(&*bytes_of(&spelt(name)), name);
            tried += 1;
        }
        assert_eq!(tried, 8);
        assert_eq!(visible(&spelt(b"a\xe9")), "a\\xe9");
        assert_eq!(
            json_line(format!("{{\"a\":\"{}\"}}", spelt(b"\xff"))),
            r#"{"a":"\\xff"}"#
        );
    }
}
