//! Utterance names.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The name of an utterance: any bytes, usually UTF-8.
///
/// It displays as text that is safe on a terminal: control characters are escaped and bytes that
/// are not UTF-8 are shown as the replacement character.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(#[serde(with = "serde_bytes")] Vec<u8>);

impl Key {
    /// The key of utterance `n` in a data set without names: `utt000000`, `utt000001`, …
    pub fn generated(n: u64) -> Self {
        Self(format!("utt{n:06}").into_bytes())
    }

    /// The bytes, exactly as stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The key as text, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Checks that it is one word: not empty, every byte a [word byte](is_word_byte). This is what
    /// Kaldi demands of keys.
    ///
    /// # Errors
    /// It is not; the error names the byte.
    pub fn check_word(&self) -> Result<()> {
        match self.0.iter().find(|b| !is_word_byte(**b)) {
            Some(b) => Err(Error::unfit(format!(
                "the key holds byte 0x{b:02x}, which the format can't hold"
            ))),
            None if self.0.is_empty() => Err(Error::unfit(
                "the key is empty, which the format can't hold",
            )),
            None => Ok(()),
        }
    }

    /// Replaces the bytes and keeps the allocation.
    pub fn set(&mut self, bytes: &[u8]) {
        self.0.clear();
        self.0.extend_from_slice(bytes);
    }
}

/// Whether a byte may stand in a word: printable ASCII but the blank, or 0x80 to 0xFE.
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
