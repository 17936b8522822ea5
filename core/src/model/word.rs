//! Keys that are words, and keys that are paths.

use crate::error::{Error, Remedy, Result};
use crate::name::{Key, is_word_byte};
use crate::text::BOM;

impl Key {
    /// Checks that it is a word: not empty, with [word bytes](is_word_byte) only, as Kaldi requires
    /// of keys, and without a byte order mark before it, which would be skipped at the start of a
    /// file.
    ///
    /// # Errors
    /// It is not; the error names the byte.
    pub fn check_word(&self) -> Result<()> {
        let refused = |message: String| Err(Error::not_held(message).suggest(Remedy::RenameKeys));
        match self.as_bytes().iter().find(|b| !is_word_byte(**b)) {
            Some(b) => refused(format!("the key holds byte 0x{b:02x}")),
            None if self.as_bytes().starts_with(BOM) => {
                refused("the key starts with a byte order mark".to_owned())
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
        if bytes.contains(&0) {
            return refused("it holds a NUL byte");
        }
        match cfg!(windows) && !is_name_on_windows(bytes) {
            true => refused("Windows has no such names"),
            false => Ok(()),
        }
    }
}

/// Returns `true` if all parts of a path are names that Windows keeps as they are: `a:b` would be a
/// hidden stream of the file `a`, the point at the end of `a.` would be lost, and `nul` is a device.
fn is_name_on_windows(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').all(|part| {
        let plain = |byte: &u8| *byte >= b' ' && !br#"<>:"\|?*"#.contains(byte);
        let ends_well = !matches!(part.last(), Some(b'.' | b' '));
        let stem = part.split(|byte| *byte == b'.').next().unwrap_or(part);
        part.iter().all(plain) && ends_well && !is_device(stem.trim_ascii_end())
    })
}

/// Returns `true` for names that Windows gives to devices in every folder.
fn is_device(stem: &[u8]) -> bool {
    let is = |name: &[u8]| stem.eq_ignore_ascii_case(name);
    let is_port = match stem {
        [port @ .., b'1'..=b'9'] => [&b"com"[..], b"lpt"]
            .iter()
            .any(|name| port.eq_ignore_ascii_case(name)),
        _ => false,
    };
    is_port || [&b"con"[..], b"prn", b"aux", b"nul"].into_iter().any(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_in_text() {
        for (key, is_word) in [
            ("a", true),
            ("a\u{feff}", true),
            ("é", true),
            ("", false),
            ("a b", false),
            ("\u{feff}a", false),
        ] {
            assert_eq!(Key::from(key).check_word().is_ok(), is_word, "{key:?}");
        }
    }

    #[test]
    fn names_that_windows_changes_are_told() {
        for name in [
            "a", "d/a-1", "é", "com", "com10", "nula", "a.b", ".a", "con-1",
        ] {
            assert!(is_name_on_windows(name.as_bytes()), "{name}");
        }
        for name in [
            "a:b", r"a\b", "a?", "a.", "a ", "d./a", "nul", "NUL.x", "com1", "d/lpt9.y", "a\tb",
            "aux .x",
        ] {
            assert!(!is_name_on_windows(name.as_bytes()), "{name}");
        }
    }
}
