//! Checks common to all tables of a data directory.

use std::collections::BTreeMap;
use std::ops::Range;

use spr_core::bytes::{Env, Location};
use spr_core::model::Key;
use spr_core::text::BOM;
use spr_core::{Error, Result};

use super::findings::{Findings, about_line};
use crate::script_line::LineParts;

const SORT: &str = "LC_ALL=C sort orders it";

/// A line of a table.
pub(super) struct Line<'a> {
    pub(super) key: &'a Key,
    /// The rest after the key, without blanks around it.
    pub(super) rest: &'a str,
    /// All bytes after the key, with the blanks.
    pub(super) after: &'a str,
    pub(super) file: &'a str,
    pub(super) number: u64,
}

impl Line<'_> {
    /// Returns an error about it.
    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        about_line(self.file, self.number, self.key, message)
    }
}

/// The keys of a table, each with its lines.
pub(super) type Keys = BTreeMap<Key, Vec<u64>>;

/// Reads a table, applies the common checks, and passes each line on. Returns the keys.
///
/// # Errors
/// Reading fails.
pub(super) fn read(
    at: &Location,
    env: &Env,
    findings: &mut Findings<'_>,
    mut each: impl FnMut(Line<'_>, &mut Findings<'_>),
) -> Result<Keys> {
    let mut source = env.open_file(at)?;
    let file = at.to_string();
    if source.peek(BOM.len())? == BOM {
        let error = Error::malformed("a byte order mark, which Kaldi takes for part of the key");
        let hint = "write UTF-8 without one, as sed '1s/^\\xef\\xbb\\xbf//' does";
        findings.fault("lines", error.file(&file).line(1).hint(hint));
    }
    let (mut keys, mut last) = (Keys::new(), None::<Key>);
    let (mut line, mut number, mut sorted) = (Vec::new(), 0, true);
    loop {
        if !source.line(&mut line, &env.limits)? {
            break;
        }
        number += 1;
        let error = |message: &str| Error::malformed(message).file(&file).line(number);
        if !source.has_line_end() {
            findings.fault("lines", error("the last line has no end"));
        }
        let Some(LineParts { key, rest }) = split(&line, error, findings) else {
            continue;
        };
        let part = |range: Range<usize>| line.get(range).unwrap_or_default();
        let [rest, after] =
            [rest, key.end..line.len()].map(|range| String::from_utf8_lossy(part(range)));
        let key = Key::from(part(key));
        if let Some(last) = last.filter(|last| sorted && *last > key) {
            sorted = false;
            let message = format!("comes after {last}: the file is not sorted");
            findings.fault("order", error(&message).utterance(&key).hint(SORT));
        }
        let (file, key) = (file.as_str(), &key);
        each(
            Line {
                key,
                rest: &rest,
                after: &after,
                file,
                number,
            },
            findings,
        );
        keys.entry(key.clone()).or_default().push(number);
        last = Some(key.clone());
    }
    for (key, lines) in &keys {
        let first = lines.first().copied().unwrap_or_default();
        for line in lines.iter().skip(1) {
            let error = Error::malformed(format!("appears twice, in line {first}, too"));
            findings.fault("duplicates", error.file(&file).line(*line).utterance(key));
        }
    }
    if keys.is_empty() {
        findings.fault("lines", Error::malformed("the file is empty").file(&file));
    }
    Ok(keys)
}

/// Splits a line, and checks its characters. Returns `None` if it has no key. Kaldi's scripts take
/// other encodings than UTF-8.
fn split(
    line: &[u8],
    error: impl Fn(&str) -> Error,
    findings: &mut Findings<'_>,
) -> Option<LineParts> {
    if std::str::from_utf8(line).is_err() {
        findings.note("lines", error("the line is not UTF-8"));
    }
    if line.contains(&0) {
        findings.fault("lines", error("a NUL byte"));
    }
    if line.contains(&b'\r') {
        let hint = "write lines with LF, as dos2unix does";
        findings.fault("lines", error("a carriage return").hint(hint));
    }
    match LineParts::of(line) {
        Ok(parts) if parts.key.start == 0 => Some(parts),
        Err(fault) if line.iter().any(u8::is_ascii_graphic) => {
            findings.fault("lines", error(fault.message()));
            None
        }
        _ => {
            findings.fault("lines", error("the line does not start with a key"));
            None
        }
    }
}
