//! What the writers have in common.

use spr_core::model::{Decimal, Key, Segment, Utterance};
use spr_core::{Error, Result};

use crate::lines;

/// The segments of an utterance, of which there must be some: none would leave no trace.
pub(crate) fn some_segments(utt: &Utterance) -> Result<&[Segment]> {
    let segments = utt.segments().filter(|segments| !segments.is_empty());
    segments.ok_or_else(|| Error::unfit("has no segments, and so no line in the file"))
}

/// A label that is one word.
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

/// Where a segment ends, which must be known.
pub(crate) fn end(segment: &Segment) -> Result<Decimal> {
    segment.end.ok_or_else(|| no_end(segment))
}

/// The error for a segment that must have an end.
pub(crate) fn no_end(segment: &Segment) -> Error {
    let (label, start) = (Key::from(&*segment.label), segment.start);
    Error::unfit(format!(
        "the segment '{label}' at {start} has no end, which the format can't hold"
    ))
}

/// How long a stretch is.
pub(crate) fn length(start: Decimal, end: Decimal) -> Result<Decimal> {
    let length = end.minus(start);
    length.ok_or_else(|| {
        Error::unfit(format!(
            "the time from {start} to {end} has too many digits"
        ))
    })
}

/// Appends fields with blanks between and a line end behind them.
pub(crate) fn line<'a>(fields: impl IntoIterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    for (n, field) in fields.into_iter().enumerate() {
        if n > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(field);
    }
    out.push(b'\n');
}

/// A word that is none of those that stand for nothing.
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

/// Checks that text is one line with nothing around it.
pub(crate) fn text(text: &[u8]) -> Result<()> {
    lines::text(text).map_err(Error::unfit)?;
    match text.trim_ascii().len() == text.len() {
        true => Ok(()),
        false => Err(Error::unfit(
            "has blanks around the text, which the format can't hold",
        )),
    }
}
