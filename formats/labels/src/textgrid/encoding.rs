//! Decoding of text: UTF-16 with a byte order mark, UTF-8, otherwise Latin-1.

use spr_core::{Error, Result};
use spr_syntax::lines::BOM;

const BIG: &[u8] = b"\xfe\xff";
const LITTLE: &[u8] = b"\xff\xfe";

/// Decodes the text of a file as Praat does.
///
/// # Errors
/// UTF-16 is truncated or invalid; the error names the byte.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String> {
    if let Some(units) = bytes.strip_prefix(BIG) {
        return utf16(units, u16::from_be_bytes);
    }
    if let Some(units) = bytes.strip_prefix(LITTLE) {
        return utf16(units, u16::from_le_bytes);
    }
    match String::from_utf8(bytes) {
        Ok(text) => match text.strip_prefix('\u{feff}') {
            Some(rest) => Ok(rest.to_owned()),
            None => Ok(text),
        },
        Err(error) => {
            let bytes = error.into_bytes();
            let bytes = bytes.strip_prefix(BOM).unwrap_or(&bytes);
            Ok(bytes.iter().map(|b| char::from(*b)).collect())
        }
    }
}

/// Decodes UTF-16 units.
pub(super) fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Error::truncated(
            "the file ends inside a character of UTF-16",
        ));
    }
    let units = pairs.iter().map(|pair| unit(*pair));
    let text: std::result::Result<String, _> = char::decode_utf16(units).collect();
    text.map_err(|_| Error::malformed("the text is not proper UTF-16"))
}

/// Decodes the visible part of the text in the first bytes of a file.
pub(super) fn glance(head: &[u8]) -> String {
    let whole = head.get(..head.len() & !1).unwrap_or_default();
    if head.starts_with(BIG) || head.starts_with(LITTLE) {
        return decode(whole.to_vec()).unwrap_or_default();
    }
    String::from_utf8_lossy(head).into_owned()
}

/// Encodes text as big-endian UTF-16 with a byte order mark, as Praat does.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_be_bytes);
    BIG.iter().copied().chain(units).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding() {
        let text = "\u{dc}ber \u{1f600}";
        let of = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<_>>();
        for bytes in [
            text.as_bytes().to_vec(),
            [BOM, text.as_bytes()].concat(),
            [BIG, &of(u16::to_be_bytes)].concat(),
            [LITTLE, &of(u16::to_le_bytes)].concat(),
        ] {
            assert_eq!(decode(bytes).unwrap(), text);
        }
        assert_eq!(decode(b"\xdcber".to_vec()).unwrap(), "\u{dc}ber");
        for broken in [&b"\xfe\xff\0"[..], b"\xfe\xff\xd8\x00\0a"] {
            assert!(decode(broken.to_vec()).is_err());
        }
    }
}
