//! Telling apart what starts alike, by looking over several entries.
//!
//! Kaldi compiles the type into each program. Here every entry leaves some kinds possible, and the
//! kinds that all entries leave decide.

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

/// Entries looked at.
const ENTRIES: usize = 64;
/// Bytes looked at first, and at most where one entry does not need more.
const FIRST: usize = 64 << 10;
const MOST: usize = 1 << 20;

/// What was decided, and the reason in words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decision {
    pub(crate) kind: ObjectKind,
    pub(crate) why: String,
    /// What else it may be, where that is open.
    pub(crate) others: Vec<ObjectKind>,
}

/// What a scan of the bytes so far came to.
struct Seen {
    decision: Option<Decision>,
    entries: usize,
    /// Whether more bytes could tell more.
    open: bool,
    /// Whether what is decided is so likely that nobody should wait for more entries.
    settled: bool,
}

/// Looks over more and more bytes from `skip` bytes ahead on.
fn look(
    source: &mut Source,
    skip: usize,
    limits: &Limits,
    scan: impl Fn(&[u8], bool) -> Seen,
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
    }
}

impl Decision {
    /// The same with other kinds that are as good a reading.
    fn or(self, others: Vec<ObjectKind>) -> Self {
        Self { others, ..self }
    }

    /// The warning that another reading is as good; `None` if none is.
    pub(crate) fn doubt(&self) -> Option<Error> {
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

/// The value of the next entry, behind its key and one separator.
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
