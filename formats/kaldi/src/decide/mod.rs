//! Distinction of objects with the same start by inspecting several entries.
//!
//! Kaldi compiles the type into each program. Here each entry allows some kinds, and the kinds that
//! all entries allow decide.

mod evidence;
mod lines;
mod runs;

use spr_core::bytes::Source;
use spr_core::model::is_word_byte;
use spr_core::{Error, Limits, Result};

use crate::kind::ObjectKind;
use crate::number::is_space;

pub(crate) use lines::{is_integer, lines};
pub(crate) use runs::{runs, unknown, wide};

/// The number of entries inspected.
const ENTRIES: usize = 64;
/// The number of bytes inspected first, and the largest number unless a single entry needs more.
const FIRST: usize = 64 << 10;
const MOST: usize = 1 << 20;
/// The number of bytes that are enough if they decide nothing but how to go on.
const FEW: usize = 16 << 10;

/// A decision, and the reason in words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decision {
    pub(crate) kind: ObjectKind,
    pub(crate) why: String,
    /// Other possible kinds, if there are any.
    pub(crate) others: Vec<ObjectKind>,
    /// The only number of an archive with one entry, which may as well be the length of a vector
    /// that is cut behind it.
    pub(crate) lone: Option<i32>,
}

/// The result of scanning the bytes so far.
struct ScanResult {
    decision: Option<Decision>,
    entries: usize,
    /// Whether more bytes could change it.
    open: bool,
    /// Whether the decision is probable enough not to wait for more entries.
    settled: bool,
}

/// Scans an increasing number of bytes from `skip` bytes ahead on.
fn look(
    source: &mut Source,
    skip: usize,
    limits: &Limits,
    scan: impl Fn(&[u8], bool) -> ScanResult,
) -> Result<Option<Decision>> {
    let mut size = FIRST;
    loop {
        let value = |bytes: &'_ [u8]| bytes.len().min(skip);
        let settled = |bytes: &[u8]| scan(&bytes[value(bytes)..], false).settled;
        let (bytes, last) = source.ahead(skip + size, settled)?;
        let waits = bytes.len() < skip + size;
        let seen = scan(&bytes[value(bytes)..], last);
        let enough = seen.entries == ENTRIES || (size >= MOST && seen.entries > 0);
        if last || enough || waits || !seen.open {
            return Ok(seen.decision);
        }
        size = size.saturating_mul(2);
        source.hold("an object", size as u64, limits)?;
    }
}

/// Returns the kind of the text whose first value is next, judging by a few bytes.
pub(crate) fn first_kind(source: &mut Source) -> Result<Option<ObjectKind>> {
    let (bytes, last) = source.ahead(FEW, |_| false)?;
    let decision = lines::scan_lines(bytes, last).decision;
    Ok(decision.map(|decision| decision.kind))
}

fn decided(kind: ObjectKind, things: &str, what: &str, entries: usize, sure: bool) -> Decision {
    let mut why = match entries {
        1 => format!("{} because the first of the {things} fits it", kind.name()),
        _ => format!(
            "{} because the first {entries} {things} {what}",
            kind.name()
        ),
    };
    if !sure {
        why.push_str(" (other kinds fit too; holder=NAME says which)");
    }
    Decision {
        kind,
        why,
        others: Vec::new(),
        lone: None,
    }
}

impl Decision {
    /// Adds other kinds that are equally probable.
    fn or(self, others: Vec<ObjectKind>) -> Self {
        Self { others, ..self }
    }

    /// Returns the warning about an equally probable reading, if there is one.
    pub(crate) fn doubt(&self) -> Option<Error> {
        if let Some(n) = self.lone {
            let message = format!(
                "holds the number {n} and no more, read as int32: it may be a vector of {n} numbers \
                 that is cut, which holder=int32-vector finds out"
            );
            return Some(Error::unfit(message));
        }
        let (last, before) = self.others.split_last()?;
        let kind = self.kind.name();
        let mut names = kind.to_owned();
        for other in before {
            names.push_str(", ");
            names.push_str(other.name());
        }
        let message = format!(
            "holds {names} or {}: the bytes don't tell which; it is read as {kind}, holder=NAME \
             says otherwise",
            last.name()
        );
        Some(Error::unfit(message))
    }
}

/// Returns the value of the next entry, after its key and one separator.
fn next_value(bytes: &[u8]) -> Option<&[u8]> {
    let start = bytes.iter().position(|b| !is_space(*b))?;
    let bytes = &bytes[start..];
    let end = bytes.iter().position(|b| is_space(*b))?;
    if end == 0 || !bytes[..end].iter().all(|b| is_word_byte(*b)) {
        return None;
    }
    match bytes[end] {
        b' ' | b'\t' => Some(&bytes[end + 1..]),
        _ => Some(&bytes[end..]),
    }
}

#[cfg(test)]
mod tests;
