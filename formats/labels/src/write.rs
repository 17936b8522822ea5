//! Common parts of the writers.

use spr_core::format::SegmentCaps;
use spr_core::model::{Decimal, Key, Segment, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines;

/// Segments of which each is a line with start and end, and at least one.
pub(crate) fn whole_lines(mut caps: SegmentCaps) -> SegmentCaps {
    (caps.closed, caps.needs_some) = (true, true);
    caps
}

/// The segments of an utterance, of which its [`Caps`](spr_core::format::Caps) want some.
pub(crate) fn segments(utt: &Utterance) -> &[Segment] {
    utt.segments().unwrap_or_default()
}

/// Checks that a label is a single word.
pub(crate) fn word<'a>(label: &'a [u8], what: &str) -> Result<&'a [u8]> {
    match lines::word(label) {
        Ok(word) => Ok(word),
        Err(_) => {
            let shown = Key::from(label);
            Err(Error::unfit(format!(
                "the {what} '{shown}' is not one word"
            )))
        }
    }
}

/// Returns the end of a segment, which must be known.
pub(crate) fn end(segment: &Segment) -> Result<Decimal> {
    segment.end.ok_or_else(|| no_end(segment))
}

/// Returns the error for a segment without an end.
pub(crate) fn no_end(segment: &Segment) -> Error {
    let (label, start) = (Key::from(&*segment.label), segment.start);
    Error::not_held(format!("the segment '{label}' at {start} has no end"))
}

/// Returns the length of a segment.
pub(crate) fn length(start: Decimal, end: Decimal) -> Result<Decimal> {
    let length = end.minus(start);
    length.ok_or_else(|| {
        Error::unfit(format!(
            "the time from {start} to {end} has too many digits"
        ))
    })
}

/// Appends fields separated by blanks, and a line end.
pub(crate) fn line<'a>(fields: impl IntoIterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    for (n, field) in fields.into_iter().enumerate() {
        if n > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(field);
    }
    out.push(b'\n');
}

/// Checks that a word is not one of the placeholders.
pub(crate) fn told<'a>(field: &'a [u8], what: &str, nothing: &[&[u8]]) -> Result<&'a [u8]> {
    let field = word(field, what)?;
    match nothing.contains(&field) {
        true => Err(Error::unfit(format!(
            "'{}' stands for no {what}",
            Key::from(field)
        ))),
        false => Ok(field),
    }
}

/// Checks that text is words with single blanks between them, or empty.
pub(crate) fn words(text: &[u8]) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let words = text.split(|byte| *byte == b' ');
    words
        .into_iter()
        .try_for_each(|own| word(own, "word").map(drop))
}

/// Checks that text is a single line without surrounding blanks.
pub(crate) fn text(text: &[u8]) -> Result<()> {
    lines::text(text).map_err(Error::unfit)?;
    match text.trim_ascii().len() == text.len() {
        true => Ok(()),
        false => Err(Error::not_held("has blanks around the text")),
    }
}
