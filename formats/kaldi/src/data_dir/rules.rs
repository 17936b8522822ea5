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
    if rest.starts_with('~') {
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
    // A carriage return is a fault of any table.
    let rest = rest.replace('\r', "");
    Some(match text_fault(&rest)? {
        TextFault::Reserved(_) => "<s>, </s> and #0 may not stand in a text".into(),
        TextFault::Blank(_) => "a blank in the text that is neither a space nor a tab".into(),
        TextFault::Invisible(c) => {
            let code = u32::from(c);
            format!("an invisible character in the text, U+{code:04X}").into()
        }
        TextFault::Control(_) => "a control character in the text".into(),
    })
}

/// A reason for which Kaldi's scripts refuse a text.
#[derive(Debug, PartialEq)]
pub(super) enum TextFault {
    /// A symbol with a special meaning in Kaldi.
    Reserved(&'static str),
    /// White space other than spaces and tabs.
    Blank(char),
    /// A character without width that parts or joins words unseen.
    Invisible(char),
    Control(char),
}

/// Returns the first fault of a text.
pub(super) fn text_fault(text: &str) -> Option<TextFault> {
    if let Some(symbol) = reserved(text) {
        return Some(TextFault::Reserved(symbol));
    }
    let mut others = text.chars().filter(|c| !matches!(c, ' ' | '\t'));
    others.find_map(|c| match c {
        c if c.is_whitespace() => Some(TextFault::Blank(c)),
        '\u{180e}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => Some(TextFault::Invisible(c)),
        c if c.is_control() => Some(TextFault::Control(c)),
        _ => None,
    })
}

/// Symbols with a special meaning in Kaldi, which its scripts reject anywhere in `text`.
const RESERVED: [&str; 3] = ["<s>", "</s>", "#0"];

/// Returns a reserved symbol in a text that `grep -w` finds: neither after nor before an ASCII
/// letter, a digit or `_`.
pub(crate) fn reserved(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let is_letter = |at: Option<usize>| {
        let byte = at.and_then(|at| bytes.get(at));
        byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
    };
    RESERVED.into_iter().find(|symbol| {
        let mut places = text.match_indices(symbol);
        places.any(|(at, _)| !is_letter(at.checked_sub(1)) && !is_letter(Some(at + symbol.len())))
    })
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
