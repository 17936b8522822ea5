//! Selection of utterances by key.

use std::collections::HashSet;

use glob::Pattern;
use regex::bytes::Regex;

use crate::bytes::{Env, Locator, MemoryCounter, Source};
use crate::error::{Error, Result};
use crate::format::{KeyPredicate, Reader};
use crate::model::{DatasetInfo, Key, Limits, Utterance};

/// A condition on keys.
///
/// ```
/// use spr_core::format::KeyPredicate;
/// use spr_core::stage::KeyFilter;
///
/// let wanted: KeyPredicate = KeyFilter::glob("ann-*")?.into();
/// assert!(wanted(&"ann-001".into()) && !wanted(&"bob-001".into()));
/// # Ok::<(), spr_core::Error>(())
/// ```
#[non_exhaustive]
#[derive(Clone, Debug)]
pub enum KeyFilter {
    /// The keys of a list.
    List(HashSet<Key>),
    /// Keys that match a shell pattern: `*` any bytes, `?` any character, `[a-z]` one of these.
    Glob(Pattern),
    /// Keys that match a regular expression.
    Regex(Regex),
}

impl KeyFilter {
    /// Reads the first words of the lines of a file, such as a list of keys or an `utt2spk`; blank
    /// lines are skipped.
    ///
    /// # Errors
    /// It cannot be opened or read, or is not text.
    pub fn list(at: &Locator, env: &Env) -> Result<Self> {
        Self::read(env.open(at)?, &env.limits)
    }

    /// Reads the first words of the lines of a source, like [`list`](Self::list).
    ///
    /// # Errors
    /// It cannot be read, or is not text.
    pub fn read(source: Source, limits: &Limits) -> Result<Self> {
        Self::keys(source, limits).map(Self::List)
    }

    /// Returns the keys themselves, like [`read`](Self::read).
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn keys(mut source: Source, limits: &Limits) -> Result<HashSet<Key>> {
        let (mut keys, mut held) = (HashSet::new(), MemoryCounter::new("a list of keys"));
        let (mut line, mut number) = (Vec::new(), 0);
        while source.line(&mut line, limits)? {
            number += 1;
            // Keys may have any encoding; data that are not text contain zeros.
            if line.contains(&0) {
                let error = Error::malformed("byte 0x00 in a list of keys");
                return Err(error.file(source.name()).line(number));
            }
            let mut words = line.split(u8::is_ascii_whitespace);
            let word = words.find(|word| !word.is_empty()).map(Key::from);
            if let Some(key) = word.filter(|key| !keys.contains(key)) {
                held.add(size_of::<Key>() + key.as_bytes().len(), &source, limits)?;
                keys.insert(key);
            }
        }
        Ok(keys)
    }

    /// Selects keys that match a shell pattern. Keys that are not UTF-8 do not match.
    ///
    /// # Errors
    /// The pattern is invalid.
    pub fn glob(pattern: &str) -> Result<Self> {
        Pattern::new(pattern).map(Self::Glob).map_err(|e| {
            Error::usage(format!("'{pattern}' is not a pattern for keys")).hint(e.to_string())
        })
    }

    /// Selects keys that match a regular expression.
    ///
    /// # Errors
    /// The regular expression is invalid.
    pub fn regex(pattern: &str) -> Result<Self> {
        Regex::new(pattern).map(Self::Regex).map_err(|e| {
            let text = e.to_string();
            let last = text.lines().next_back().unwrap_or_default();
            let why = last.trim_start_matches("error: ");
            Error::usage(format!("'{pattern}' is not a regular expression: {why}"))
                .hint(r"a sign that stands for itself has \ before it: \( \. \+")
        })
    }

    /// Returns `true` if `key` is selected.
    pub fn holds(&self, key: &Key) -> bool {
        match self {
            Self::List(keys) => keys.contains(key),
            Self::Glob(pattern) => key.as_str().is_some_and(|key| pattern.matches(key)),
            Self::Regex(regex) => regex.is_match(key.as_bytes()),
        }
    }
}

impl From<HashSet<Key>> for KeyFilter {
    fn from(keys: HashSet<Key>) -> Self {
        Self::List(keys)
    }
}

impl From<KeyFilter> for KeyPredicate {
    fn from(filter: KeyFilter) -> Self {
        std::sync::Arc::new(move |key: &Key| filter.holds(key))
    }
}

/// Selects the utterances whose keys a filter holds, or the others.
pub(crate) struct SelectKeys {
    inner: Box<dyn Reader>,
    wanted: KeyPredicate,
    held: bool,
    info: DatasetInfo,
}

impl SelectKeys {
    /// Selects the utterances of `inner` whose keys are `wanted`, or the others if `held` is
    /// `false`.
    pub(crate) fn new(inner: Box<dyn Reader>, wanted: impl Into<KeyPredicate>, held: bool) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            wanted: wanted.into(),
            held,
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for SelectKeys {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            if (self.wanted)(&utt.key) == self.held {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::stage::tests::{List, keys, utterance};

    fn list() -> Box<dyn Reader> {
        List::of(["a", "b", "c", "d"].map(|key| utterance(key, &[0.0], 1)))
    }

    #[test]
    fn by_key() {
        let some: HashSet<_> = ["d", "b", "x"].map(Key::from).into();
        let some = KeyPredicate::from(KeyFilter::from(some));
        assert_eq!(keys(SelectKeys::new(list(), some.clone(), true)), "bd");
        assert_eq!(keys(SelectKeys::new(list(), some, false)), "ac");
    }

    #[test]
    fn filters_of_every_sort() {
        let names = ["ann-1", "ann-2", "bob-1", "\u{e9}-1", ""];
        let held = |filter: KeyFilter| {
            let names = names.iter().filter(|name| filter.holds(&Key::from(**name)));
            names.copied().collect::<Vec<_>>()
        };
        assert_eq!(held(KeyFilter::glob("ann-*").unwrap()), names[..2]);
        assert_eq!(held(KeyFilter::glob("?-[0-9]").unwrap()), names[3..4]);
        assert_eq!(
            held(KeyFilter::regex("^[ab].*-1$").unwrap()),
            ["ann-1", "bob-1"]
        );
        assert_eq!(held(KeyFilter::regex("").unwrap()), names);
        assert!(
            KeyFilter::regex("\\w")
                .unwrap()
                .holds(&Key::from(&b"\xffa"[..]))
        );
        let source = Source::from_bytes("l", b"bob-1 bob\n\n  ann-1\r\n".to_vec()).unwrap();
        let list = KeyFilter::read(source, &Limits::default()).unwrap();
        assert_eq!(held(list), ["ann-1", "bob-1"]);
    }

    #[test]
    fn what_is_no_filter_is_refused() {
        let error = KeyFilter::regex("a(").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.remedy().is_some());
        assert!(KeyFilter::glob("a[").is_err());
    }
}
