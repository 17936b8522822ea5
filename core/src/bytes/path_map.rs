//! Names of files inside files, read where the files are now.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::Location;
use crate::error::{Error, Result};

/// The name that stands for the working folder, and as the old one for every relative name.
const RELATIVE: &[u8] = b".";

/// One replacement: names that begin with a folder begin with another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PathRule {
    old: Location,
    new: Location,
}

/// Replacements of the beginnings of names that stand inside files: in lists, data directories and
/// manifests. They apply to a name as it is stored, once, and before it is looked for anywhere. The
/// longest beginning that fits is replaced.
///
/// ```
/// use spr_core::bytes::{Env, Locator, PathMap};
/// let mut map = PathMap::default();
/// map.add("/old/corpus=/data/corpus")?;
/// let env = Env::default().with_path_map(map);
/// let at = env.moved(Locator::file("/old/corpus/wav/a.wav"));
/// assert_eq!(at, Locator::file("/data/corpus/wav/a.wav"));
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PathMap {
    rules: Vec<PathRule>,
}

impl PathMap {
    /// Adds a replacement, given as `OLD=NEW`. `OLD` is the beginning of a stored name up to the end
    /// of one of its folders, or `.` for all relative names.
    ///
    /// # Errors
    /// One of the two is missing, or `OLD` has another replacement.
    pub fn add(&mut self, text: &str) -> Result<()> {
        let sides = text.split_once('=');
        let sides = sides.filter(|(old, new)| !old.is_empty() && !new.is_empty());
        let Some((old, new)) = sides else {
            return Err(Error::usage(format!("'{text}' is not OLD=NEW"))
                .hint("such as /old/corpus=/data/corpus"));
        };
        let rule = PathRule {
            old: trimmed(old).into(),
            new: trimmed(new).into(),
        };
        match self.rules.iter().find(|known| known.old == rule.old) {
            Some(known) if *known == rule => {}
            Some(known) => {
                let message = format!("{} is to be {} and {}", rule.old, known.new, rule.new);
                return Err(Error::usage(message));
            }
            None => self.rules.push(rule),
        }
        Ok(())
    }

    /// Returns `true` if nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the replacements as they are given, `OLD=NEW`, without secrets of URLs.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        let text = |rule: &PathRule| format!("{}={}", rule.old.told(), rule.new.told());
        self.rules.iter().map(text)
    }

    /// Returns the servers and buckets that names are moved to.
    pub fn hosts(&self) -> impl Iterator<Item = String> {
        let host = |rule: &PathRule| Some(rule.new.url()?.server().to_owned());
        self.rules.iter().filter_map(host)
    }

    /// Returns `true` if a name may be the result of a replacement.
    pub(super) fn leads_to(&self, name: &Location) -> bool {
        self.rules.iter().any(|rule| name.is_within(&rule.new))
    }

    /// Replaces the beginning of a name. Returns the number of the rule as well.
    fn replace(&self, name: &[u8]) -> Option<(usize, Vec<u8>)> {
        let rules = self.rules.iter().enumerate();
        let fits = rules.filter_map(|(n, rule)| Some((n, rule, rest_of(name, bytes(&rule.old))?)));
        let (n, rule, rest) = fits.min_by_key(|(_, _, rest)| rest.len())?;
        let new = bytes(&rule.new);
        let moved = match (new, rest.as_slice()) {
            (new, []) => new.to_vec(),
            (RELATIVE, rest) => rest.to_vec(),
            (new, rest) if new.ends_with(b"/") => [new, rest].concat(),
            (new, rest) => [new, b"/", rest].concat(),
        };
        Some((n, moved))
    }
}

/// The replacements of an environment, and which of them applied.
#[derive(Debug, Default)]
pub(super) struct AppliedMap {
    pub(super) map: PathMap,
    pub(super) applied: Vec<AtomicBool>,
}

impl AppliedMap {
    pub(super) fn new(map: PathMap) -> Self {
        Self {
            applied: map.rules.iter().map(|_| AtomicBool::default()).collect(),
            map,
        }
    }

    pub(super) fn replace(&self, name: &[u8]) -> Option<Vec<u8>> {
        let (n, moved) = self.map.replace(name)?;
        if let Some(applied) = self.applied.get(n) {
            applied.store(true, Ordering::Relaxed);
        }
        Some(moved)
    }

    /// Replaces the names of files in a command: its words, with or without quotes around them.
    pub(super) fn replace_in_command(&self, line: &str) -> String {
        let is_end = |c: char| c.is_whitespace() || "\"'|;&<>()=".contains(c);
        let (mut out, mut rest) = (String::with_capacity(line.len()), line);
        let mut quote = None;
        while !rest.is_empty() {
            let end = rest.find(is_end).unwrap_or(rest.len());
            let word = &rest[..end];
            // A relative word may be anything.
            let named = word.contains('/').then(|| self.replace(word.as_bytes()));
            let moved = named
                .flatten()
                .and_then(|moved| String::from_utf8(moved).ok());
            match moved {
                Some(moved) => {
                    let (new, same) = moved.split_at(moved.len() - same_end(word, &moved));
                    out.push_str(&shell_word(new, quote));
                    out.push_str(same);
                }
                None => out.push_str(word),
            }
            let next = rest[end..].chars().next();
            quote = match (quote, next) {
                (None, Some('"' | '\'')) => next,
                (Some(_), _) if quote == next => None,
                _ => quote,
            };
            out.extend(next);
            rest = &rest[end + next.map_or(0, char::len_utf8)..];
        }
        out
    }
}

/// Returns the length of what ends both names.
fn same_end(one: &str, other: &str) -> usize {
    let pairs = one.chars().rev().zip(other.chars().rev());
    let same = pairs.take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// Returns a part of a name so that a shell within `quote` takes it as it is.
fn shell_word(part: &str, quote: Option<char>) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    if part.chars().all(plain) {
        return part.into();
    }
    let quote = quote.map(String::from).unwrap_or_default();
    let part = part.replace('\'', r"'\''");
    format!("{quote}'{part}'{quote}").into()
}

pub(super) fn bytes(name: &Location) -> &[u8] {
    name.as_os_str().as_encoded_bytes()
}

/// Removes what says nothing: `./` in front, separators at the end.
fn trimmed(text: &str) -> &str {
    let text = text
        .strip_prefix("./")
        .filter(|rest| !rest.is_empty())
        .unwrap_or(text);
    let short = text.trim_end_matches(['/', '\\']);
    match short.is_empty() || short.ends_with(':') {
        true => text,
        false => short,
    }
}

/// Returns what follows `old` in a name, with `/` between folders, if the name begins with it. Names
/// that Windows wrote may have `\` there.
fn rest_of(name: &[u8], old: &[u8]) -> Option<Vec<u8>> {
    let name = name.strip_prefix(b"./").unwrap_or(name);
    if old == RELATIVE {
        let text = Location::of_bytes(name)?;
        return text.is_relative().then(|| name.to_vec());
    }
    let rest = name.strip_prefix(old)?;
    match rest.first() {
        None => Some(Vec::new()),
        Some(b'/') => Some(rest[1..].to_vec()),
        Some(b'\\') => {
            let slashes = rest[1..]
                .iter()
                .map(|b| if *b == b'\\' { b'/' } else { *b });
            Some(slashes.collect())
        }
        Some(_) if old.ends_with(b"/") => Some(rest.to_vec()),
        Some(_) => None,
    }
}
