//! Keys that are words, and keys that are paths.

use crate::error::{Error, Remedy, Result};
use crate::name::{Key, is_word_byte};

impl Key {
    /// Checks that it is a word: not empty, with [word bytes](is_word_byte) only. Kaldi requires
    /// that of keys.
    ///
    /// # Errors
    /// It is not; the error names the byte.
    pub fn check_word(&self) -> Result<()> {
        match self.as_bytes().iter().find(|b| !is_word_byte(**b)) {
            Some(b) => {
                let error = Error::not_held(format!("the key holds byte 0x{b:02x}"));
                Err(error.suggest(Remedy::RenameKeys))
            }
            None if self.as_bytes().is_empty() => Err(Error::not_held("the key is empty")),
            None => Ok(()),
        }
    }

    /// Checks that it is the path of a file below a folder: parts between slashes, none of them
    /// empty, `.` or `..`.
    ///
    /// # Errors
    /// It is not; the error says why.
    pub(crate) fn check_path(&self) -> Result<()> {
        let refused = |why| Err(Error::unfit(format!("the key can't be a file name: {why}")));
        let bytes = self.as_bytes();
        let mut parts = bytes.split(|byte| *byte == b'/');
        if bytes.starts_with(b"/") || parts.clone().any(|part| matches!(part, b"." | b"..")) {
            return refused("it leads out of the folder");
        }
        if parts.any(<[u8]>::is_empty) {
            return refused("a part of it is empty");
        }
        match bytes.contains(&0) {
            true => refused("it holds a NUL byte"),
            false => Ok(()),
        }
    }
}
