//! Renaming of utterances.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use regex::bytes::{Regex, RegexBuilder};

use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, Utterance};
use crate::tables::KeyMap;

/// A change of a key.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub enum KeyChange {
    /// Replaces the matches of a regular expression, or the first one.
    Replace {
        /// The regular expression.
        regex: Regex,
        /// The replacement: `${1}` is a group, `$$` a dollar.
        by: Vec<u8>,
        /// Whether all matches are replaced.
        all: bool,
    },
    /// Adds a prefix.
    Prefix(Vec<u8>),
    /// Adds a suffix.
    Suffix(Vec<u8>),
    /// Looks the key up in a table.
    Map(KeyMap),
}

impl KeyChange {
    /// Parses the syntax of `sed`: `s/REGEX/TEXT/`, with any ASCII character as delimiter, and `g`
    /// and `i` after them. In the text `&` is the match and `\1` its first group.
    ///
    /// ```
    /// use spr_core::model::Key;
    /// use spr_core::stage::KeyChange;
    /// let change = KeyChange::sed(r"s/^(\w+) (\d+)$/\2_\1/")?;
    /// assert_eq!(change.apply(&Key::from("ann 7"))?, Key::from("7_ann"));
    /// # Ok::<(), spr_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The syntax is invalid.
    pub fn sed(text: &str) -> Result<Self> {
        let wrong = |why: String| Error::usage(format!("'{text}': {why}"));
        let form = || wrong("expected s/REGEX/TEXT/, as sed has it".to_owned());
        let rest = text.strip_prefix('s').ok_or_else(form)?;
        let bar = rest.chars().next().ok_or_else(form)?;
        if !bar.is_ascii_punctuation() || bar == '\\' {
            return Err(form());
        }
        let mut parts = split(&rest[1..], bar);
        let [flags, by, regex] = [parts.pop(), parts.pop(), parts.pop()];
        let (Some(flags), Some(by), Some(regex)) = (flags, by, regex) else {
            return Err(form());
        };
        if !parts.is_empty() {
            return Err(form());
        }
        if let Some(flag) = flags.chars().find(|flag| !"gi".contains(*flag)) {
            return Err(wrong(format!("there is no flag '{flag}', only g and i")));
        }
        let built = RegexBuilder::new(&regex)
            .case_insensitive(flags.contains('i'))
            .build();
        let regex = built.map_err(|e| {
            let why = e.to_string();
            let why = why.lines().last().unwrap_or_default();
            wrong(why.trim_start_matches("error: ").to_owned())
        })?;
        let by = groups(&by, regex.captures_len()).map_err(wrong)?;
        Ok(Self::Replace {
            regex,
            by,
            all: flags.contains('g'),
        })
    }

    /// Returns the new key for `key`.
    ///
    /// # Errors
    /// A table does not contain it; the error [can continue](Error::can_continue).
    pub fn apply(&self, key: &Key) -> Result<Key> {
        let bytes = key.as_bytes();
        Ok(match self {
            Self::Replace { regex, by, all } => {
                let count = usize::from(!all);
                Key::from(&*regex.replacen(bytes, count, by.as_slice()))
            }
            Self::Prefix(prefix) => Key::from(&*[prefix, bytes].concat()),
            Self::Suffix(suffix) => Key::from(&*[bytes, suffix].concat()),
            Self::Map(map) => map.get(key)?.clone(),
        })
    }
}

/// Splits text at delimiters that do not follow a backslash.
fn split(text: &str, bar: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let next = if c == bar {
            parts.push(String::new());
            continue;
        } else if c == '\\' {
            match chars.next() {
                Some(c) if c == bar => c.to_string(),
                Some(c) => format!("\\{c}"),
                None => "\\".to_owned(),
            }
        } else {
            c.to_string()
        };
        if let Some(part) = parts.last_mut() {
            part.push_str(&next);
        }
    }
    parts
}

/// Converts a replacement to the library's syntax, where `count` groups exist, including the whole
/// match.
fn groups(text: &str, count: usize) -> Result<Vec<u8>, String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("${0}"),
            '$' => out.push_str("$$"),
            '\\' => match chars.next() {
                Some(digit) if digit.is_ascii_digit() => {
                    let group = digit.to_digit(10).unwrap_or_default() as usize;
                    if group >= count {
                        return Err(format!("there is no group {group}"));
                    }
                    out.push_str(&format!("${{{group}}}"));
                }
                Some('t') => out.push('\t'),
                Some('$') => out.push_str("$$"),
                Some(other) => out.push(other),
                None => return Err("a backslash stands at the end".to_owned()),
            },
            other => out.push(other),
        }
    }
    Ok(out.into_bytes())
}

/// Renames utterances. Two different keys must not become the same: that is an error, which [can
/// continue](Error::can_continue). A few bytes per key are kept in memory.
pub struct Rename {
    inner: Box<dyn Reader>,
    changes: Vec<KeyChange>,
    /// The old key of each new one, both as hashes.
    made: HashMap<u128, u64>,
    hashers: [RandomState; 2],
    info: DatasetInfo,
}

impl Rename {
    /// Applies these changes in sequence to the keys of `inner`.
    pub fn new(inner: Box<dyn Reader>, changes: Vec<KeyChange>) -> Self {
        Self {
            info: inner.info().clone(),
            inner,
            changes,
            made: HashMap::new(),
            hashers: [RandomState::new(), RandomState::new()],
        }
    }

    /// Returns the new key of an utterance.
    fn name(&mut self, old: &Key, starts: bool) -> Result<Key> {
        let mut new = old.clone();
        for change in &self.changes {
            new = change.apply(&new)?;
        }
        let refuse = |message: &str| Err(Error::unfit(message.to_owned()).continuable());
        if new.as_bytes().is_empty() {
            return refuse("nothing is left of its name");
        }
        let [a, b] = self.hashers.each_ref().map(|hasher| hasher.hash_one(&new));
        let made = u128::from(a) << 64 | u128::from(b);
        let from = self.hashers[0].hash_one(old);
        match starts && *self.made.entry(made).or_insert(from) != from {
            true => refuse(&format!("would be called {new}, as another is by now")),
            false => Ok(new),
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Rename {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if !self.inner.read(utt)? {
            return Ok(false);
        }
        let starts = utt.starts();
        let new = self.name(&utt.key, starts);
        utt.key = new.map_err(|e| e.utterance(&utt.key))?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::stage::tests::{List, utterance};

    fn apply(text: &str, key: &str) -> String {
        let change = KeyChange::sed(text).unwrap();
        change.apply(&key.into()).unwrap().to_string()
    }

    #[test]
    fn names_change_as_sed_changes_them() {
        for (text, old, new) in [
            ("s/ /_/", "a b c", "a_b c"),
            ("s/ /_/g", "a b c", "a_b_c"),
            ("s|/|-|g", "x/y/z", "x-y-z"),
            (r"s/\//-/", "x/y", "x-y"),
            (r"s/(.*)-(.*)/\2\1/", "ann-7", "7ann"),
            ("s/b/[&]/", "abc", "a[b]c"),
            (r"s/b/\&/", "abc", "a&c"),
            ("s/b/$1/", "abc", "a$1c"),
            ("s/B//i", "abc", "ac"),
            (r"s,\.wav$,,", "a.wav", "a"),
        ] {
            assert_eq!(apply(text, old), new, "{text}");
        }
    }

    #[test]
    fn what_is_no_change_is_refused() {
        for text in [
            "a/b/c/", "s/b", "s/a/b", "s/a/b/c/", "s", "s/a/b/x", "s/(/b/", r"s/a/\1/",
        ] {
            let error = KeyChange::sed(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Usage, "{text}: {error}");
        }
    }

    #[test]
    fn two_names_never_become_one() {
        let list = List::of(["a 1", "a_1", "b", "b"].map(|key| utterance(key, &[0.0], 1)));
        let changes = vec![
            KeyChange::sed("s/ /_/").unwrap(),
            KeyChange::Prefix(b"x-".to_vec()),
            KeyChange::Suffix(b".s".to_vec()),
        ];
        let mut reader = Rename::new(list, changes);
        let mut utt = Utterance::default();
        let mut said = Vec::new();
        for _ in 0..4 {
            said.push(match reader.read(&mut utt) {
                Ok(_) => utt.key.to_string(),
                Err(error) => error.kind_and_place().1,
            });
        }
        let clash = "utterance a_1";
        // A repeated key is not a conflict.
        assert_eq!(said, ["x-a_1.s", clash, "x-b.s", "x-b.s"]);
        assert!(!reader.read(&mut utt).unwrap());
    }

    #[test]
    fn a_name_stays_a_name() {
        let list = List::of(["ann"].map(|key| utterance(key, &[0.0], 1)));
        let mut reader = Rename::new(list, vec![KeyChange::sed("s/.*//").unwrap()]);
        let error = reader.read(&mut Utterance::default()).unwrap_err();
        assert!(error.can_continue());
        assert_eq!(
            error.kind_and_place(),
            (ErrorKind::Unfit, "utterance ann".to_owned())
        );
    }
}
