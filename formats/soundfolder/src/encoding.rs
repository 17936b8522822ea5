//! Decoding of the text of tables.

use spr_core::format::{OptionSpec, Options};
use spr_core::{Error, Result};
use spr_syntax::lines::BOM;

/// The option for text that is not Unicode.
pub(crate) const ENCODING: OptionSpec = OptionSpec {
    name: "encoding",
    value: "utf8|utf16|latin1",
    help: "how a table is encoded; without it UTF-8, or UTF-16 where it has a byte order mark",
};

/// The encoding of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    /// By its byte order mark, without one little-endian.
    Utf16,
    Latin1,
}

impl Encoding {
    /// Returns the encoding that the options set.
    ///
    /// # Errors
    /// The value is unknown.
    pub(crate) fn of(options: &Options) -> Result<Option<Self>> {
        let words = [
            ("utf8", Self::Utf8),
            ("utf16", Self::Utf16),
            ("latin1", Self::Latin1),
        ];
        options.choice(ENCODING.name, &words)
    }
}

const BIG: &[u8] = b"\xfe\xff";
const LITTLE: &[u8] = b"\xff\xfe";

/// Converts a table to UTF-8 and removes the byte order mark. Bytes that are not UTF-8 remain, so that
/// the fault is that of their line.
///
/// # Errors
/// UTF-16 is truncated or invalid.
pub(crate) fn decode(bytes: Vec<u8>, encoding: Option<Encoding>) -> Result<Vec<u8>> {
    let has_mark = bytes.starts_with(BIG) || bytes.starts_with(LITTLE);
    match encoding {
        Some(Encoding::Latin1) => {
            let text: String = bytes.iter().map(|b| char::from(*b)).collect();
            Ok(text.into_bytes())
        }
        Some(Encoding::Utf16) => utf16(&bytes),
        None if has_mark => utf16(&bytes),
        Some(Encoding::Utf8) | None => Ok(match bytes.strip_prefix(BOM) {
            Some(rest) => rest.to_vec(),
            None => bytes,
        }),
    }
}

fn utf16(bytes: &[u8]) -> Result<Vec<u8>> {
    let (units, unit): (_, fn([u8; 2]) -> u16) = match bytes.strip_prefix(BIG) {
        Some(units) => (units, u16::from_be_bytes),
        None => (
            bytes.strip_prefix(LITTLE).unwrap_or(bytes),
            u16::from_le_bytes,
        ),
    };
    let (pairs, rest) = units.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Error::truncated(
            "the file ends inside a character of UTF-16",
        ));
    }
    let text = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)));
    let text = text.collect::<Result<String, _>>();
    let text = text.map_err(|_| Error::malformed("the text is not valid UTF-16"))?;
    Ok(text.into_bytes())
}

/// Decodes as much of the first bytes of a file as is whole.
pub(crate) fn glance(head: &[u8]) -> Vec<u8> {
    let is_wide = head.starts_with(BIG) || head.starts_with(LITTLE);
    let len = if is_wide { head.len() & !1 } else { head.len() };
    decode(head[..len].to_vec(), None).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_give_the_same_text() {
        let wide = |order: fn(u16) -> [u8; 2]| "\u{feff}ä,1\n".encode_utf16().flat_map(order);
        let big: Vec<u8> = wide(u16::to_be_bytes).collect();
        let little: Vec<u8> = wide(u16::to_le_bytes).collect();
        for (bytes, encoding) in [
            ("ä,1\n".as_bytes(), None),
            ("\u{feff}ä,1\n".as_bytes(), None),
            (b"\xe4,1\n", Some(Encoding::Latin1)),
            (&big, None),
            (&little, None),
            (&little[2..], Some(Encoding::Utf16)),
        ] {
            let text = decode(bytes.to_vec(), encoding).unwrap();
            assert_eq!(text, "ä,1\n".as_bytes(), "{bytes:?}");
        }
        for bytes in [&big[..5], b"\xff\xfe\x00\xd8"] {
            assert!(decode(bytes.to_vec(), None).is_err(), "{bytes:?}");
        }
    }
}
