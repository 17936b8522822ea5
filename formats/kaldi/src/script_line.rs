//! Lines of tables and script files: a key and a value, which in a script file is the place of an
//! object.

use std::borrow::Cow;
use std::ops;

use spr_core::bytes::{Location, Locator};
use spr_core::model::{Key, is_word_byte};
use spr_core::{Error, Result};

use crate::number::is_space;
use crate::range::Range;
use crate::specifier::rxfilename;

/// The ends of names of HDF5 files.
const HDF5_NAMES: [&str; 3] = [".h5", ".hdf5", ".hdf"];

/// The byte ranges of key and value in a line.
#[derive(Debug, PartialEq)]
pub(crate) struct LineParts {
    pub(crate) key: ops::Range<usize>,
    /// The text after the key, without surrounding white space; possibly empty.
    pub(crate) rest: ops::Range<usize>,
}

impl LineParts {
    /// Splits a line.
    ///
    /// # Errors
    /// It is blank, or the key is not a word.
    pub(crate) fn of(line: &[u8]) -> Result<Self> {
        let start = line.iter().position(|b| !is_space(*b));
        let last = line.iter().rposition(|b| !is_space(*b));
        let (Some(start), Some(last)) = (start, last) else {
            return Err(Error::malformed("a blank line"));
        };
        let end = last + 1;
        let inside = line.get(start..end).unwrap_or_default();
        let word = inside.iter().take_while(|b| !is_space(**b));
        let key = start..start + word.count();
        let word = line.get(key.clone()).unwrap_or_default();
        if let Some(byte) = word.iter().find(|byte| !is_word_byte(**byte)) {
            return Err(Error::malformed(format!("byte 0x{byte:02x} in the key")));
        }
        let behind = line.get(key.end..end).unwrap_or_default();
        let blanks = behind.iter().take_while(|b| is_space(**b)).count();
        Ok(Self {
            rest: key.end + blanks..end,
            key,
        })
    }
}

/// Splits a line of a script file into key and value, without surrounding white space.
///
/// # Errors
/// One of them is missing, or the key is not a word. The error names the key if it is known.
pub(crate) fn split(line: &[u8]) -> Result<(&[u8], Cow<'_, str>)> {
    let parts = LineParts::of(line)?;
    let key = line.get(parts.key).unwrap_or_default();
    match line.get(parts.rest).unwrap_or_default() {
        [] => {
            let error = Error::malformed("no file name follows the key");
            Err(error.utterance(&Key::from(key)))
        }
        rest => Ok((key, text_of(rest))),
    }
}

/// Decodes a file name, which need not be UTF-8.
pub(crate) fn text_of(name: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(name) {
        Ok(text) => text.into(),
        Err(_) => match Location::of_bytes(name) {
            Some(name) => name.to_string().into(),
            None => String::from_utf8_lossy(name),
        },
    }
}

/// The object that a line of a script file names.
#[derive(Debug, PartialEq)]
pub(crate) struct Target<'a> {
    /// The place as written.
    pub(crate) place: &'a str,
    /// The place without `entry`.
    file: &'a str,
    /// The key of the object in the HDF5 file that it is in, as ESPnet's scripts have it.
    pub(crate) entry: Option<&'a str>,
    /// The range of the object, unless all of it is meant.
    pub(crate) range: Option<Range>,
}

/// Splits `place[range]`. Without a range it is `None`.
///
/// # Errors
/// A bracket closes, and none opens behind a place.
pub(crate) fn split_range(text: &str) -> Result<(&str, Option<&str>)> {
    let Some(inside) = text.strip_suffix(']') else {
        return Ok((text, None));
    };
    match inside.split_once('[') {
        Some((place, range)) if !place.is_empty() => Ok((place, Some(range))),
        _ => Err(Error::malformed(
            "']' after a file name, but no range before it",
        )),
    }
}

/// Splits `file.h5:key`, of which a key may have more colons. A command may name such an entry itself.
fn split_entry(place: &str) -> Option<(&str, &str)> {
    let is_command = place.ends_with('|');
    let colons = place.match_indices(':').map(|(at, _)| at);
    let parts = colons.map(|at| (&place[..at], &place[at + 1..]));
    parts
        .filter(|_| !is_command)
        .find(|(file, key)| !key.is_empty() && HDF5_NAMES.iter().any(|end| file.ends_with(end)))
}

impl<'a> Target<'a> {
    /// Parses the text after the key.
    ///
    /// # Errors
    /// The range is malformed.
    pub(crate) fn parse(rest: &'a str) -> Result<Self> {
        let (place, range) = split_range(rest)?;
        let entry = split_entry(place);
        Ok(Self {
            place,
            file: entry.map_or(place, |(file, _)| file),
            entry: entry.map(|(_, key)| key),
            range: range.map(Range::parse).transpose()?,
        })
    }

    /// Returns the location of the object, or of the HDF5 file that it is in.
    ///
    /// # Errors
    /// Kaldi would not read from it.
    pub(crate) fn locator(&self) -> Result<Locator> {
        rxfilename(self.file)
    }
}

/// Parses the text after the key as the location of an object.
///
/// # Errors
/// It is malformed, or Kaldi would not read from it.
pub(crate) fn locator(rest: &str) -> Result<Locator> {
    Target::parse(rest)?.locator()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_key_and_a_rest() {
        for (line, key, rest) in [
            ("a b", "a", "b"),
            ("a  b  c\t", "a", "b  c"),
            (" a b\r", "a", "b"),
            ("a", "a", ""),
            ("a ", "a", ""),
            ("\u{fc}-1\tx", "\u{fc}-1", "x"),
        ] {
            let parts = LineParts::of(line.as_bytes()).unwrap();
            assert_eq!(
                (&line[parts.key], &line[parts.rest]),
                (key, rest),
                "{line:?}"
            );
        }
        for (line, fault) in [
            ("", "blank line"),
            (" \t", "blank line"),
            ("a\x01 b", "0x01"),
        ] {
            let error = LineParts::of(line.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(fault), "{line:?}: {error}");
        }
        assert!(
            split(b"a ")
                .unwrap_err()
                .to_string()
                .contains("no file name")
        );
    }

    #[test]
    fn lines_of_script_files_name_places() {
        let file = |name: &str| Locator::file(name);
        let at = |name: &str, byte| Locator::FileAt(name.into(), byte);
        for (line, place) in [
            ("a x.ark:12", at("x.ark", 12)),
            ("a  x.ark:12[0:5]\r", at("x.ark", 12)),
            ("a d/x.ark", file("d/x.ark")),
            ("a x:y.ark", file("x:y.ark")),
            ("a d:/x.h5:a:7[0:5]", file("d:/x.h5")),
            ("a x.h5", file("x.h5")),
            ("a cat x |", Locator::Command("cat x".to_owned())),
            ("a get x.h5:7 |", Locator::Command("get x.h5:7".to_owned())),
        ] {
            let (key, rest) = split(line.as_bytes()).unwrap();
            assert_eq!((key, locator(&rest).unwrap()), (&b"a"[..], place), "{line}");
        }
        assert_eq!(Target::parse("d:/x.h5:a:7").unwrap().entry, Some("a:7"));
        for rest in ["x.ark:12[0-5]", "x.ark]", "|x"] {
            assert!(locator(rest).is_err(), "{rest}");
        }
    }
}
