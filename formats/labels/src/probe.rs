//! Recognition of files without magic bytes by their lines.

use std::path::Path;

use spr_core::format::{Format, FormatInfo, Probe, Score};
use spr_core::{Error, Result};
use spr_syntax::lines::{fields, is_blank};

/// Scores a file by its lines: `points` of 100, if they have the form of the format.
pub(crate) fn by_lines(
    info: &FormatInfo,
    probe: &Probe<'_>,
    comment: Option<&[u8]>,
    points: u8,
    is_line: impl Fn(&[u8]) -> bool,
) -> Score {
    let named = is_named(info, probe);
    let (mut seen, mut faults) = (0_usize, 0_usize);
    for line in lines(probe, comment) {
        seen += 1;
        faults += usize::from(is_bracketed(line) || !is_line(line));
    }
    match seen > 0 && is_form(seen, faults, named) {
        // The name decides between formats with similar lines.
        true => Score::Possible(points + if named { 10 } else { 0 }),
        false if named && !probe.head.is_empty() => Score::NameOnly,
        false => Score::No,
    }
}

/// Checks that a file of `format` that starts with `bytes` is recognised as one.
///
/// # Errors
/// It is not.
pub(crate) fn check_own(format: &dyn Format, bytes: &[u8]) -> Result<()> {
    let name = format.info().extensions.first();
    let name = name.map(|extension| format!("x.{extension}"));
    let head = bytes.get(..Probe::HEAD).unwrap_or(bytes);
    let probe = Probe {
        head,
        whole: head.len() == bytes.len(),
        len: None,
        path: name.as_ref().map(Path::new),
    };
    // A line longer than that is not seen.
    if format.probe(&probe) > Score::No || last_end(head) == 0 {
        return Ok(());
    }
    let mut words = head.split(u8::is_ascii_whitespace);
    let start = words.find(|word| !word.is_empty()).unwrap_or_default();
    let (start, name) = (start.escape_ascii(), format.info().name);
    let message = format!("would start with '{start}', which no file of the format {name} does");
    Err(Error::unfit(message))
}

/// Returns `true` if a bracket alone follows the first word, as in Kaldi's vectors and matrices.
fn is_bracketed(line: &[u8]) -> bool {
    fields(line).nth(1) == Some(b"[")
}

/// Returns `true` if lines have a form in spite of their faults, so that a fault does not make the
/// file one of another format: half of the lines of a `named` file, otherwise all but one, or nine
/// of ten.
fn is_form(seen: usize, faults: usize, named: bool) -> bool {
    match named {
        true => faults * 2 <= seen,
        false => faults <= seen.saturating_sub(1).min(1) || faults * 10 <= seen,
    }
}

/// Returns `true` if the file has a name of the format.
pub(crate) fn is_named(info: &FormatInfo, probe: &Probe<'_>) -> bool {
    // Names on old discs are in capitals.
    let is = |own: &&str| {
        probe
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case(own))
    };
    info.extensions.iter().any(is)
}

/// Returns the complete lines, except blank ones and comments.
pub(crate) fn lines<'a>(
    probe: &Probe<'a>,
    comment: Option<&[u8]>,
) -> impl Iterator<Item = &'a [u8]> {
    let head = probe.head;
    let end = last_end(head);
    let lines = head.get(..end).unwrap_or_default().split(|b| *b == b'\n');
    lines
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(move |line| !line.iter().all(is_blank))
        .filter(move |line| comment.is_none_or(|comment| !line.starts_with(comment)))
}

/// Returns the position of the last line end, otherwise 0.
fn last_end(head: &[u8]) -> usize {
    head.iter().rposition(|b| *b == b'\n').unwrap_or(0)
}
