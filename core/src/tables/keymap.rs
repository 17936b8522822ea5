//! Maps of keys, such as Kaldi's `utt2spk`.

use std::collections::HashMap;

use crate::bytes::{Env, Locator, MemoryCounter, Source};
use crate::error::{Error, Result};
use crate::model::{Key, Limits, is_word_byte};

/// A table of lines `key value`, such as `utt2spk`, in memory.
///
/// ```
/// use spr_core::{KeyMap, Limits, bytes::Source, model::Key};
/// let source = Source::from_bytes("utt2spk", b"ann-1 ann\nann-2 ann\n".to_vec())?;
/// let speakers = KeyMap::read(source, &Limits::default())?;
/// assert_eq!(speakers.get(&Key::from("ann-2"))?, &Key::from("ann"));
/// assert!(speakers.get(&Key::from("bob-1")).is_err());
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KeyMap {
    name: String,
    values: HashMap<Key, Key>,
}

impl KeyMap {
    /// Opens a table and reads all its lines.
    ///
    /// # Errors
    /// The file cannot be opened, or as for [`read`](Self::read).
    pub fn open(at: &Locator, env: &Env) -> Result<Self> {
        Self::read(env.open(at)?, &env.limits)
    }

    /// Reads all lines.
    ///
    /// # Errors
    /// A line does not have two words, or a key is repeated.
    pub fn read(mut source: Source, limits: &Limits) -> Result<Self> {
        let mut map = Self {
            name: source.name().to_owned(),
            values: HashMap::new(),
        };
        let (mut line, mut number) = (Vec::new(), 0);
        let mut held = MemoryCounter::new("a table of keys");
        while source.line(&mut line, limits)? {
            number += 1;
            held.add(2 * size_of::<Key>() + line.len(), &source, limits)?;
            let place = |e: Error| e.file(source.name()).line(number);
            let mut words = line
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty());
            let (Some(key), Some(value), None) = (words.next(), words.next(), words.next()) else {
                return Err(place(Error::malformed(
                    "a line is two words, a key and a value",
                )));
            };
            if let Some(b) = key.iter().chain(value).find(|b| !is_word_byte(**b)) {
                return Err(place(Error::malformed(format!("byte 0x{b:02x} in a word"))));
            }
            let (key, value) = (Key::from(key), Key::from(value));
            if let Some(before) = map.values.insert(key.clone(), value) {
                let message = format!("appears twice, before with {before}");
                return Err(place(Error::malformed(message).utterance(&key)));
            }
        }
        Ok(map)
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value of `key`.
    ///
    /// # Errors
    /// There is none; the error [can continue](Error::can_continue).
    pub fn get(&self, key: &Key) -> Result<&Key> {
        self.values.get(key).ok_or_else(|| {
            Error::unfit(format!("is not in {}", self.name))
                .utterance(key)
                .continuable()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn lines_of_two_words_only() {
        let read = |text: &str| {
            let source = Source::from_bytes("map", text.as_bytes().to_vec()).unwrap();
            KeyMap::read(source, &Limits::default())
        };
        assert!(read("a b\r\nc  d \n").is_ok());
        for (text, place) in [
            ("a b\n\n", "map:2"),
            ("a\n", "map:1"),
            ("a b c", "map:1"),
            ("a b\na c\n", "map:2: utterance a"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(
                error.kind_and_place(),
                (ErrorKind::Malformed, place.to_owned())
            );
        }
    }
}
