//! What a header says of a list.

use spr_core::model::{Decimal, Meta, Tag};
use spr_core::number::parse_integer;
use spr_core::{Error, Result};

use crate::contents::TAGS;
use crate::header::{Header, shown};
use crate::vocabulary::{Dialect, is_own};

/// Kinds of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `SEG`: labelled stretches of files.
    Segmentation,
    /// `CORPUS`: files and what is said in them.
    Corpus,
    /// A list or a file of its own layout, handed on as it is: an opaque object of this kind.
    Opaque(&'static str),
}

impl Kind {
    /// The kind of list behind a header; `None` if there is another thing.
    pub(crate) fn of(header: &Header) -> Option<Self> {
        let value = |key| header.get(key).map(|entry| entry.value.as_slice());
        let (layout, sort) = (value("LAYOUT"), value("TYPE"));
        let custom = layout == Some(b"CUSTOM") || sort == Some(b"CUSTOM");
        match data(header) {
            b"SEG" if !custom => Some(Self::Segmentation),
            b"CORPUS" if !custom => Some(Self::Corpus),
            _ if custom => Some(Self::Opaque("spraak-custom")),
            b"DICTIONARY" | b"UNIT" | b"DES" => Some(Self::Opaque("spraak-list")),
            b"SAMPLE" => None,
            _ if layout == Some(b"LIST") || sort == Some(b"STRING") => {
                Some(Self::Opaque("spraak-list"))
            }
            _ => None,
        }
    }
}

/// The kind of data. The keys `DICTIONARY` and `CORPUS` say it where `DATA` does not, and
/// `DICTIONARY` makes more of a `DES`.
pub(crate) fn data(header: &Header) -> &[u8] {
    let data = header.get("DATA").map(|entry| entry.value.as_slice());
    match data {
        Some(b"DES") | None if header.get("DICTIONARY").is_some() => b"DICTIONARY",
        None if header.get("CORPUS").is_some() => b"CORPUS",
        other => other.unwrap_or_default(),
    }
}

/// How many lines there are, or entries; `None` if that is left open.
fn count(header: &Header, keys: &[&str]) -> Result<Option<u64>> {
    let Some(entry) = keys.iter().find_map(|key| header.get(key)) else {
        return Ok(None);
    };
    if entry.value == b"-1" {
        return Ok(None);
    }
    parse_integer(&entry.value).map(Some).ok_or_else(|| {
        let (key, value) = (header.name_of(&entry.key), shown(&entry.value));
        header.error(entry.at, format!("{key} is '{value}', not a number"))
    })
}

/// What the header of a list says.
pub(crate) struct ListHead {
    /// Lines, if it counts them.
    pub(crate) lines: Option<u64>,
    /// Files that a segmentation is about, if it counts them.
    pub(crate) files: Option<u64>,
    /// Whether times are seconds, not frames.
    pub(crate) continuous: bool,
    pub(crate) meta: Meta,
}

impl ListHead {
    /// Reads the meaning out of the header of a segmentation or a corpus. The time base of a
    /// corpus, whose times are kept as they are, stays among the tags.
    pub(crate) fn of(header: &Header, kind: Kind) -> Result<Self> {
        if let Some(entry) = header.get("FORMAT").filter(|entry| entry.value != b"ASCII") {
            let message = format!("FORMAT {}, but a list is text", shown(&entry.value));
            return Err(header.error(entry.at, message));
        }
        let old = header.dialect == Dialect::Key;
        let (lines, files): (&[&str], &[&str]) = match kind {
            Kind::Segmentation if old => (&["DIM1", "NSEG"], &["DIM2", "NENTRY"]),
            Kind::Segmentation => (&["DIM1"], &["DIM2"]),
            _ if old => (&["DIM1", "NENTRY"], &[]),
            _ => (&["DIM1"], &[]),
        };
        let counts = |key: &[u8]| lines.iter().chain(files).any(|k| k.as_bytes() == key);
        let continuous = match header.get("TIMEBASE") {
            None => false,
            Some(entry) => match entry.value.as_slice() {
                b"DISCRETE" => false,
                b"CONTINUOUS" => true,
                other => {
                    let message = format!("TIMEBASE {} is not known", shown(other));
                    let error = header.error(entry.at, message);
                    return Err(error.hint("known: DISCRETE, CONTINUOUS"));
                }
            },
        };
        let own = |key: &[u8]| {
            is_own(key) || counts(key) || kind == Kind::Segmentation && key == b"TIMEBASE"
        };
        let tags = header.entries.iter().filter(|entry| !own(&entry.key));
        Ok(Self {
            lines: count(header, lines)?,
            files: count(header, files)?,
            continuous,
            meta: Meta {
                frame_shift: seconds(header, "FSHIFT")?,
                frame_offset: seconds(header, "FOFFSET")?,
                tags: tags.map(|entry| tag(&entry.key, &entry.value)).collect(),
            },
        })
    }
}

/// The number of lines that the header of an opaque list claims.
pub(crate) fn claimed_lines(header: &Header) -> Result<Option<u64>> {
    count(header, &["DIM1", "NENTRY"])
}

pub(crate) fn tag(key: &[u8], value: &[u8]) -> Tag {
    Tag {
        format: TAGS,
        key: key.to_vec(),
        value: value.to_vec(),
    }
}

fn seconds(header: &Header, key: &str) -> Result<Option<Decimal>> {
    let Some(entry) = header.get(key) else {
        return Ok(None);
    };
    let time = std::str::from_utf8(&entry.value)
        .ok()
        .and_then(Decimal::parse);
    time.map(Some).ok_or_else(|| {
        let value = shown(&entry.value);
        header.error(entry.at, format!("{key} is '{value}', not a time"))
    })
}

/// The name of the count of lines in a header that is written.
pub(crate) fn count_names(dialect: Dialect, data: &str) -> (&'static str, &'static str) {
    match (dialect, data) {
        (Dialect::Spr, _) => ("DIM1", "DIM2"),
        (Dialect::Key, "SEG") => ("NSEG", "NENTRY"),
        (Dialect::Key, _) => ("NENTRY", "NPARAM"),
    }
}

/// Refuses a tag of another format, or one that says what the writer says itself.
pub(crate) fn check_tag(tag: &Tag, own: impl Fn(&[u8]) -> bool) -> Result<()> {
    if tag.format != TAGS {
        let (key, format) = (shown(&tag.key), tag.format);
        return Err(Error::unfit(format!(
            "the header line {key} is one of {format}"
        )));
    }
    if own(&tag.key) {
        let key = shown(&tag.key);
        let message = format!("the header line {key} would contradict the format's own");
        return Err(Error::unfit(message));
    }
    Ok(())
}
