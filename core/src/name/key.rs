//! Keys of utterances.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of an utterance: any bytes, usually UTF-8.
///
/// It displays as text that is safe on a terminal: control characters are escaped and bytes that
/// are not UTF-8 are shown as the replacement character.
///
/// ```
/// use spr_core::model::Key;
///
/// let key = Key::from("ann-1");
/// assert_eq!((key.as_str(), key.as_bytes()), (Some("ann-1"), &b"ann-1"[..]));
/// // Two names that differ stay different, whatever their encoding.
/// let (a, b) = (Key::from(&b"\xe9"[..]), Key::from(&b"\xe8"[..]));
/// assert!(a != b && a.as_str().is_none());
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(#[serde(with = "serde_bytes")] Vec<u8>);

impl Key {
    /// Returns the key of utterance `n` in a data set without keys: `utt000000`, `utt000001`, …
    pub fn generated(n: u64) -> Self {
        Self(format!("utt{n:06}").into_bytes())
    }

    /// Returns the bytes exactly as stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the key as text, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Replaces the bytes and keeps the allocation.
    pub fn set(&mut self, bytes: &[u8]) {
        self.0.clear();
        self.0.extend_from_slice(bytes);
    }
}

/// Returns `true` if a byte may occur in a word: printable ASCII except the blank, or 0x80 to 0xFE.
pub fn is_word_byte(b: u8) -> bool {
    !matches!(b, 0..=b' ' | 0x7f | 0xff)
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<&[u8]> for Key {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Key {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in String::from_utf8_lossy(&self.0).chars() {
            if c.is_control() {
                write!(f, "{}", c.escape_default())?;
            } else {
                write!(f, "{c}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_safely() {
        assert_eq!(Key::from("a\x1b[31m").to_string(), "a\\u{1b}[31m");
        assert_eq!(Key::from(&b"\xff"[..]).to_string(), "\u{fffd}");
        assert_eq!(Key::generated(7).to_string(), "utt000007");
    }
}
