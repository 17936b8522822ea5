//! Splitting of bytes into header lines.

use spr_core::bytes::{Env, MemoryCounter, Source};
use spr_core::{Error, ErrorKind, Limits, Result};

use super::{Entry, EntryPosition, Header, grammar};
use crate::vocabulary::Dialect;

/// Whether the line `#` is required.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It separates the header from the data.
    Required,
    /// It may be missing in a separate header file.
    Optional,
}

/// Appends all lines before the end line to the entries of `header`.
pub(super) fn read(
    source: &mut Source,
    magic: bool,
    end: End,
    env: &Env,
    header: &mut Header,
) -> Result<()> {
    let mut line = Vec::new();
    let mut held = MemoryCounter::new("a header");
    if magic {
        physical_line(source, header, &mut line, env)?;
    }
    loop {
        if end == End::Optional && source.at_end()? {
            return Ok(());
        }
        let at = source.offset();
        let whole = logical_line(source, header, &mut line, env)?;
        if !whole && end == End::Required {
            return Err(source.error(
                ErrorKind::Truncated,
                "the file ends inside the header, before the line #",
            ));
        }
        let text = grammar::trim(&line);
        if grammar::is_end(text) {
            if text.len() != line.len() {
                env.warn(&header.error(at, "blanks around the # that ends the header"));
            }
            return Ok(());
        }
        if text.is_empty() {
            continue;
        }
        let (key, value) =
            grammar::pair(header.dialect, text).map_err(|what| header.error(at, what))?;
        held.add(size_of::<Entry>() + line.len(), source, &env.limits)?;
        header.entries.push(Entry {
            word: key.to_vec(),
            standard: None,
            value: value.into_owned(),
            position: EntryPosition {
                file: header.file.clone(),
                at: Some(at),
            },
        });
    }
}

/// Reads a line, in an spr header with its continuation lines, into `line`. Returns `false` if the
/// file ends within it.
fn logical_line(
    source: &mut Source,
    header: &mut Header,
    line: &mut Vec<u8>,
    env: &Env,
) -> Result<bool> {
    line.clear();
    loop {
        let whole = physical_line(source, header, line, env)?;
        if !whole || header.dialect == Dialect::Key || !line.ends_with(b"\\") {
            return Ok(whole);
        }
        line.pop();
    }
}

/// Appends the next line without its end, and counts it in `header`. Returns `false` if the file
/// ends before its end.
fn physical_line(
    source: &mut Source,
    header: &mut Header,
    line: &mut Vec<u8>,
    env: &Env,
) -> Result<bool> {
    header.lines += 1;
    let from = source.offset();
    let held = line.len();
    let limits = Limits {
        max_alloc: env.limits.max_header.saturating_sub(from),
        ..env.limits
    };
    let too_long = || {
        Error::limit(format!(
            "no line # ends the header within {} bytes",
            env.limits.max_header
        ))
    };
    let read = source.until(b'\n', line, &limits);
    let read = read.map_err(|e| match e.kind() {
        ErrorKind::Limit => too_long().file(source.name()).byte(from),
        _ => e,
    })?;
    if source.offset() > env.limits.max_header {
        return Err(too_long().file(source.name()).byte(from));
    }
    // `until` also returns a last line without a line break.
    let whole = read && source.offset() - from > (line.len() - held) as u64;
    if line.ends_with(b"\r") {
        line.pop();
    }
    Ok(whole)
}
