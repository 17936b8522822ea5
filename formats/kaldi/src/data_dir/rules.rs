//! The values allowed in each table.

use std::borrow::Cow;

use spr_core::bytes::{Location, Locator};
use spr_core::{Error, Result};

use crate::script_line;
use crate::specifier::rxfilename;

/// A rule for a value, which returns what is wrong.
pub(crate) type Rule = fn(&str) -> Option<Cow<'static, str>>;

fn unless(right: bool, message: &'static str) -> Option<Cow<'static, str>> {
    (!right).then_some(message.into())
}

/// Checks the place of an object.
pub(super) fn object(rest: &str) -> Option<Cow<'static, str>> {
    if rest.is_empty() {
        return Some("nothing follows the key".into());
    }
    let error = script_line::locator(rest).err()?;
    Some(error.message().to_owned().into())
}

/// Checks the place of a recording, which is a file or a command.
pub(super) fn wave(rest: &str) -> Option<Cow<'static, str>> {
    if rest.is_empty() {
        return Some("nothing follows the key".into());
    }
    if rest.contains('~') {
        return Some("~ is not understood in the name of a file".into());
    }
    let error = recording(rest.as_bytes()).err()?;
    Some(error.message().to_owned().into())
}

pub(super) fn word(rest: &str) -> Option<Cow<'static, str>> {
    unless(
        rest.split_whitespace().count() == 1,
        "expected one word after the key",
    )
}

pub(super) fn transcript(rest: &str) -> Option<Cow<'static, str>> {
    if rest.split_whitespace().any(is_reserved) {
        return Some("<s>, </s> and #0 may not stand in a text".into());
    }
    let odd = |c: char| c.is_whitespace() && !matches!(c, ' ' | '\t' | '\r');
    if rest.contains(odd) {
        return Some("a blank in the text that is neither a space nor a tab".into());
    }
    let control = |c: char| c.is_control() && !matches!(c, '\t' | '\r');
    unless(!rest.contains(control), "a control character in the text")
}

/// Returns `true` if a word has a special meaning in Kaldi.
pub(crate) fn is_reserved(word: &str) -> bool {
    matches!(word, "<s>" | "</s>" | "#0")
}

pub(crate) fn seconds(rest: &str) -> Option<Cow<'static, str>> {
    let number = rest.parse::<f64>().is_ok_and(|n| n > 0.0 && n.is_finite());
    unless(number, "expected a number of seconds above 0 after the key")
}

pub(super) fn frames(rest: &str) -> Option<Cow<'static, str>> {
    let number = rest.parse::<u64>().is_ok_and(|n| n > 0);
    unless(number, "expected a number of frames above 0 after the key")
}

pub(super) fn gender(rest: &str) -> Option<Cow<'static, str>> {
    unless(matches!(rest, "m" | "f"), "expected m or f after the key")
}

pub(super) fn warp(rest: &str) -> Option<Cow<'static, str>> {
    let inside = rest.parse::<f64>().is_ok_and(|n| n > 0.5 && n < 1.5);
    unless(
        inside,
        "expected a number between 0.5 and 1.5 after the key",
    )
}

pub(super) fn side(rest: &str) -> Option<Cow<'static, str>> {
    let mut words = rest.split_whitespace();
    let right = matches!(
        (words.next(), words.next(), words.next()),
        (Some(_), Some("A" | "B" | "1"), None)
    );
    unless(
        right,
        "the name of a recording and A or B belong after the key",
    )
}

/// Parses the place in a line of `wav.scp`.
///
/// # Errors
/// Kaldi would not read from it.
pub(super) fn recording(rest: &[u8]) -> Result<Locator> {
    if rest.is_empty() {
        return Err(Error::malformed("no file or command follows the key"));
    }
    let text = match (std::str::from_utf8(rest), Location::of_bytes(rest)) {
        (Ok(text), _) => text.to_owned(),
        (Err(_), Some(name)) => name.to_string(),
        (Err(_), None) => return Err(Error::malformed("is not UTF-8")),
    };
    match rxfilename(&text)? {
        Locator::Standard => Err(Error::malformed(
            "standard input can't be sound of a data set",
        )),
        at => Ok(at),
    }
}
