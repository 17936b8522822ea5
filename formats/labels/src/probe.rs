//! Recognising files that have no magic bytes by their lines.

use spr_core::format::{FormatInfo, Probe, Score};

use crate::lines::{BOM, is_blank};

/// How well a file fits a format whose lines are such: `points`, of 100, if all that are seen are.
pub(crate) fn by_lines(
    info: &FormatInfo,
    probe: &Probe<'_>,
    comment: Option<&[u8]>,
    points: u8,
    is_line: impl Fn(&[u8]) -> bool,
) -> Score {
    let named = is_named(info, probe);
    let mut seen = lines(probe, comment).peekable();
    match seen.peek().is_some() && seen.all(is_line) {
        // The name decides between formats whose lines are alike.
        true => Score::Possible(points + if named { 10 } else { 0 }),
        false if named && is_text(probe.head) => Score::Possible(FAULTY),
        false if named && !probe.head.is_empty() => Score::NameOnly,
        false => Score::No,
    }
}

/// What the name of text is worth whose lines are not all as they should be: more than that any text
/// may be a list of words, so that the fault is told.
const FAULTY: u8 = 12;

/// Whether all is text, or what editors make of it.
fn is_text(head: &[u8]) -> bool {
    let control = |b: &u8| *b < b' ' && !b.is_ascii_whitespace();
    !head.is_empty() && head.iter().filter(|b| control(b)).count() * 100 < head.len().max(100)
}

/// Whether the file's name is one of the format's.
pub(crate) fn is_named(info: &FormatInfo, probe: &Probe<'_>) -> bool {
    // Names of old discs are in capitals.
    let is = |own: &&str| {
        probe
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case(own))
    };
    info.extensions.iter().any(is)
}

/// The lines that can be seen as a whole, but for blank ones and comments.
pub(crate) fn lines<'a>(
    probe: &Probe<'a>,
    comment: Option<&[u8]>,
) -> impl Iterator<Item = &'a [u8]> {
    let head = probe.head.strip_prefix(BOM).unwrap_or(probe.head);
    let end = last_end(head);
    let lines = head.get(..end).unwrap_or_default().split(|b| *b == b'\n');
    lines
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(move |line| !line.iter().all(is_blank))
        .filter(move |line| comment.is_none_or(|comment| !line.starts_with(comment)))
}

/// Where the last line end is, else 0.
fn last_end(head: &[u8]) -> usize {
    head.iter().rposition(|b| *b == b'\n').unwrap_or(0)
}
