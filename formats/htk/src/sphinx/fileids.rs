//! Sphinx's lists of files: `FILE`, or `FILE FIRST LAST NAME`, without the common folder and
//! extension.

use spr_core::bytes::Location;
use spr_core::format::{OptionSpec, Options};
use spr_core::model::Key;
use spr_core::{Error, Result};

use crate::frames::Frames;
use crate::list::{self, Entry};

pub(super) const FOLDER: OptionSpec = OptionSpec {
    name: "cepdir",
    value: "FOLDER",
    help: "for a list of files: the folder that they are in, as Sphinx's -cepdir",
};

pub(super) const EXTENSION: OptionSpec = OptionSpec {
    name: "cepext",
    value: ".EXT",
    help: "for a list of files: what their names end in, as Sphinx's -cepext (.mfc)",
};

pub(super) const WRITTEN: OptionSpec = OptionSpec {
    name: "fileids",
    value: "PATH",
    help: "beside a folder, write a list of its files for Sphinx",
};

/// The extension of lists.
pub(super) const ENDING: &str = "fileids";

/// The remedy for two lines with the same key.
pub(super) const TWICE: &str = "keys=paths keeps the folders of files";

/// The rules by which lines give files and keys.
pub(super) struct Naming {
    folder: Option<Location>,
    ending: String,
    keys: list::Naming,
}

impl Naming {
    /// Parses the options.
    ///
    /// # Errors
    /// An option is invalid.
    pub(super) fn of(options: &Options) -> Result<Self> {
        Ok(Self {
            folder: options.get(FOLDER.name).map(Location::from),
            ending: options.get(EXTENSION.name).unwrap_or(".mfc").to_owned(),
            keys: list::Naming::of(options)?,
        })
    }

    /// Parses a line, and returns `None` if it is blank.
    ///
    /// # Errors
    /// The line is invalid.
    pub(super) fn parse(&self, line: &[u8]) -> Result<Option<Entry>> {
        let words = line.split(u8::is_ascii_whitespace);
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        let (path, frames, name) = match *words {
            [] => return Ok(None),
            [path] => (path, None, None),
            [path, first, last] => (path, frames(first, last)?, None),
            [path, first, last, name] => (path, frames(first, last)?, Some(name)),
            _ => {
                let message = "expected a file, or a file, two numbers of frames and a name";
                return Err(Error::malformed(message));
            }
        };
        let file = [path, self.ending.as_bytes()].concat();
        let file = Location::of_bytes(&file)
            .ok_or_else(|| Error::malformed("the name of the file is not UTF-8"))?;
        let last = path.rsplit(|b| *b == b'/').next().unwrap_or(path);
        let own = match self.keys {
            list::Naming::Names => last,
            list::Naming::Paths => path,
        };
        Ok(Some(Entry {
            key: Key::from(name.unwrap_or(own)),
            file: match &self.folder {
                Some(folder) => folder.join(file),
                None => file,
            },
            frames,
        }))
    }
}

/// Returns the range of frames, or `None` for all, which Sphinx writes as 0 and -1.
fn frames(first: &[u8], last: &[u8]) -> Result<Option<Frames>> {
    let number = |word| std::str::from_utf8(word).ok()?.parse().ok();
    match (number(first), number(last), last) {
        (Some(0), _, b"-1") => Ok(None),
        (Some(first), Some(last), _) if first <= last => Ok(Some(Frames { first, last })),
        _ => {
            let message = "expected the numbers of the first and the last frame behind the file";
            Err(Error::malformed(message))
        }
    }
}

/// Returns the line for the file of a key.
///
/// # Errors
/// The key is not a single word.
pub(super) fn line(key: &Key) -> Result<Vec<u8>> {
    key.check_word()?;
    Ok(key.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(pairs: &[(&str, &str)]) -> Naming {
        let info = &crate::sphinx::INFO;
        Naming::of(&Options::new(info, pairs.iter().copied()).unwrap()).unwrap()
    }

    #[test]
    fn lines_name_files_without_what_all_have() {
        let all = Some(Frames { first: 3, last: 9 });
        for (pairs, line, key, file, frames) in [
            (&[][..], "a/b.c", "b.c", "a/b.c.mfc", None),
            (
                &[("cepdir", "d"), ("cepext", ".ft")],
                "a/b\r",
                "b",
                "d/a/b.ft",
                None,
            ),
            (&[("keys", "paths")], "a/b", "a/b", "a/b.mfc", None),
            (&[], "a/b 3 9 u", "u", "a/b.mfc", all),
            (&[], "a/b\t3 9", "b", "a/b.mfc", all),
            (&[], "a/b 0 -1 u", "u", "a/b.mfc", None),
        ] {
            let entry = naming(pairs).parse(line.as_bytes()).unwrap().unwrap();
            assert_eq!(entry.key, Key::from(key), "{line}");
            assert_eq!(entry.file, file.into(), "{line}");
            assert_eq!(entry.frames, frames, "{line}");
        }
        assert!(naming(&[]).parse(b"  ").unwrap().is_none());
        for line in [
            "a 1",
            "a 1 2 b c",
            "a x y b",
            "a 5 4 b",
            "a 3 -1 b",
            "a -1 3 b",
        ] {
            assert!(naming(&[]).parse(line.as_bytes()).is_err(), "{line}");
        }
    }
}
