//! Text from outside, so shown that it can't play tricks.

pub(crate) mod brief;
mod names;
pub(crate) mod nearest;
mod secrets;

use std::borrow::Cow;

pub use brief::brief;
use names::byte_of;
pub(crate) use names::bytes_of;
#[cfg(unix)]
pub(crate) use names::spelt;
pub use nearest::nearest;
pub(crate) use secrets::discreet;

/// The byte order mark that some editors write before UTF-8.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// Returns `head`, which starts a text, without a byte order mark.
pub(crate) fn unmarked(head: &[u8]) -> &[u8] {
    head.strip_prefix(BOM).unwrap_or(head)
}

/// Text from files and names of files may hold anything; on a terminal control characters, and
/// those that turn the direction of writing, are shown, not obeyed.
pub fn visible(text: &str) -> Cow<'_, str> {
    match text.chars().any(is_tricky) {
        true => harmless(text).into(),
        false => text.into(),
    }
}

/// A line of JSON in which such characters are written as JSON escapes them.
pub fn json_line(text: String) -> String {
    if !text.chars().any(is_tricky) {
        return text;
    }
    let show = |c: char| match (byte_of(c), is_tricky(c)) {
        (Some(byte), _) => format!("\\\\x{byte:02x}"),
        // All of them are of 16 bits, and within strings.
        (None, true) => format!("\\u{:04x}", u32::from(c)),
        (None, false) => c.to_string(),
    };
    text.chars().map(show).collect()
}

/// Text from a file with what could play tricks escaped: control characters, and those that turn
/// the direction of writing.
pub fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match (byte_of(c), is_tricky(c)) {
            (Some(byte), _) => safe.push_str(&format!("\\x{byte:02x}")),
            (None, true) => safe.extend(c.escape_default()),
            (None, false) => safe.push(c),
        }
    }
    safe
}

/// Returns `true` for a character that ends a line by Unicode's rules (UAX #14), and for Python's
/// `splitlines`: line feed, carriage return, vertical tab, form feed, U+0085, U+2028 and U+2029.
pub fn ends_line(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns `true` if a character changes the text around it, or is a byte order mark, which nobody sees.
fn is_tricky(c: char) -> bool {
    c.is_control()
        || byte_of(c).is_some()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        )
        || matches!(
            c,
            '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_is_harmless() {
        assert_eq!(harmless("a<b> \u{e4}"), "a<b> \u{e4}");
        assert_eq!(harmless("a\x1b[2J\u{202e}"), "a\\u{1b}[2J\\u{202e}");
    }
}
