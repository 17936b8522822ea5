//! From what the user types to what is read and written.
//!
//! An argument is, in this order: a Kaldi rspecifier or wspecifier, `NAME:REST` with the name of a
//! format, or a path or glob; the last two may end in `,key=value` options of their format, and
//! those of an input in PDNN's [data options](crate::step::option_keys) too.

mod braces;
mod input;
mod output;
mod target;

pub(crate) use input::{ParsedInput, parse_inputs};
pub use target::Target;

pub use crate::open::{InputSize, OpenedInput};

use spr_core::bytes::{Location, Locator};
use spr_core::format::{Format, Registry};
use spr_core::{Error, Remedy, Result, nearest};

/// A `key=value` as typed.
pub type Pair = (String, String);

/// Splits `key=value`.
///
/// # Errors
/// There is no `=`.
pub fn pair(text: &str) -> Result<Pair> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(Error::usage(format!("'{text}' is not key=value")).suggest(Remedy::NameFormat)),
    }
}

/// Splits `NAME:REST`, if NAME is a format.
fn named<'a>(text: &'a str, registry: &Registry) -> Option<(&'static dyn Format, &'a str)> {
    let (name, rest) = text.split_once(':')?;
    Some((registry.find(name)?, rest))
}

/// Understands an argument that names a table of lines of words, such as `utt2spk`: a table in the
/// notation of a format, `-`, a command before a `|`, or a file.
///
/// # Errors
/// Such a table can't be there.
pub fn table(text: &str, registry: &Registry) -> Result<Locator> {
    let noted = |format: &'static dyn Format| format.notation()?.words(text);
    if let Some(place) = registry.formats().find_map(noted) {
        return place;
    }
    match text {
        "-" => Ok(Locator::Standard),
        text if text.ends_with('|') => Ok(Locator::Command(command(text)?.to_owned())),
        text => Ok(Locator::file(text)),
    }
}

/// Returns the command line before the `|` that ends `text`.
///
/// # Errors
/// There is none, or a second `|`.
fn command(text: &str) -> Result<&str> {
    let line = text.strip_suffix('|').unwrap_or(text).trim();
    match line.is_empty() || line.starts_with('|') {
        true => {
            let message = format!("'{text}': a command to read from stands before its one '|'");
            Err(Error::usage(message))
        }
        false => Ok(line),
    }
}

/// Returns the known name most similar to the text before a colon, if that was meant as a format or
/// a notation.
pub fn prefix_meant(text: &str, registry: &Registry) -> Option<&'static str> {
    let (word, rest) = text.split_once(':')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if word.len() < 2 || rest.starts_with("//") || !word.chars().all(plain) {
        return None;
    }
    let extensions = registry.formats().flat_map(|f| f.info().extensions);
    let known = registry
        .names()
        .into_iter()
        .chain(extensions.copied())
        .filter(|prefix| {
            let text = format!("{prefix}:x");
            let mut notations = registry.formats().filter_map(Format::notation);
            registry.find(prefix).is_some() || notations.any(|n| n.output(&text).is_some())
        });
    nearest(word, known)
}

/// Splits `PATH,key=value,…`. A URL with a query has no options; in other URLs only commas before
/// possible options count.
fn path_and_pairs(text: &str) -> Result<(&str, Vec<Pair>)> {
    if let Some(url) = Location::from(text).url() {
        let is_key = |key: &str| key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        let is_pair = |piece: &str| piece.split_once('=').is_some_and(|(key, _)| is_key(key));
        if url.query.is_some() || !text.split(',').skip(1).all(is_pair) {
            return Ok((text, Vec::new()));
        }
    }
    let path = &text[..end_of_path(text)];
    let mut at = path.len();
    let mut pairs = Vec::new();
    for piece in text[at..].split(',').skip(1) {
        pairs.push(pair(piece).map_err(|e| e.context(place(text, at + 1)))?);
        at += 1 + piece.len();
    }
    Ok((path, pairs))
}

/// Returns the end of the path in `PATH,key=value,…`: its first comma outside of brackets and braces.
fn end_of_path(text: &str) -> usize {
    let mut from = 0;
    loop {
        let end = text[from..].find(',').map_or(text.len(), |at| from + at);
        let close = [('[', ']'), ('{', '}')]
            .into_iter()
            .find_map(|(open, close)| {
                let is_open = text[..end].rfind(open) > text[..end].rfind(close);
                text[end..].find(close).filter(|_| is_open)
            });
        match close {
            Some(close) => from = end + close,
            None => return end,
        }
    }
}

/// Formats the position of an error in an argument: `'a.pfile,contxt=5', character 9`.
fn place(text: &str, byte: usize) -> String {
    let before = text.get(..byte).unwrap_or(text);
    format!("'{text}', character {}", before.chars().count() + 1)
}

/// Returns the position of the last option `key` in an argument, if it is there.
fn place_of(text: &str, key: &str) -> Option<String> {
    let at = text.rfind(&format!(",{key}="))?;
    Some(place(text, at + 1))
}
