//! The header of a list.

use spr_core::model::{Meta, Tag};
use spr_core::{Error, Result};

use crate::contents::{fields, tag};
use crate::header::{Entry, Header, shown};
use crate::vocabulary::is_own;

/// The kind of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    /// `SEG`: segments of files.
    Segmentation,
    /// `CORPUS`: files with their text.
    Corpus,
    /// A list or a file with another layout, copied unchanged as an opaque object of this kind.
    Opaque(&'static str),
}

impl ListKind {
    /// Returns the kind of list described by a header, or `None` for other data.
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

/// Returns the kind of data.
pub(crate) fn data(header: &Header) -> &[u8] {
    header.kind().map_or(&b""[..], |(_, kind)| kind)
}

/// The fields of a list's header.
pub(crate) struct ListHead {
    /// The number of lines, if present.
    pub(crate) lines: Option<u64>,
    /// The number of files in a segmentation, if present.
    pub(crate) files: Option<u64>,
    /// Whether times are seconds, not frames.
    pub(crate) continuous: bool,
    pub(crate) meta: Meta,
}

impl ListHead {
    /// Parses the header of a segmentation or a corpus. The time base of a corpus stays among the
    /// tags, because its times are kept unchanged.
    pub(crate) fn of(header: &Header, kind: ListKind) -> Result<Self> {
        if let Some(entry) = header.get("FORMAT").filter(|entry| entry.value != b"ASCII") {
            let message = format!("FORMAT {}, but a list is text", shown(&entry.value));
            return Err(entry.error(message));
        }
        let continuous = match header.get("TIMEBASE") {
            None => false,
            Some(entry) => match entry.value.as_slice() {
                b"DISCRETE" => false,
                b"CONTINUOUS" => true,
                other => {
                    let message = format!("TIMEBASE {} is not known", shown(other));
                    return Err(entry.error(message).hint("known: DISCRETE, CONTINUOUS"));
                }
            },
        };
        let segments = kind == ListKind::Segmentation;
        let own = |key: &[u8]| is_own(key, false) || segments && key == b"TIMEBASE";
        let handed = |entry: &&Entry| !own(entry.key()) && !header.is_nameless(entry);
        let tags = header.entries.iter().filter(handed);
        Ok(Self {
            lines: fields::count(header, "DIM1")?,
            files: match segments {
                true => fields::count(header, "DIM2")?,
                false => None,
            },
            continuous,
            meta: Meta {
                frame_shift: fields::frame_shift(header, false)?,
                frame_offset: fields::seconds(header, "FOFFSET")?,
                tags: tags.map(|entry| tag(entry.key(), &entry.value)).collect(),
                ..Meta::default()
            },
        })
    }
}

/// Returns the number of lines that the header of an opaque list declares.
pub(crate) fn claimed_lines(header: &Header) -> Result<Option<u64>> {
    fields::count(header, "DIM1")
}

/// Rejects a tag that the writer generates itself.
pub(crate) fn check_tag(tag: &Tag, own: impl Fn(&[u8]) -> bool) -> Result<()> {
    if own(&tag.key) {
        let key = shown(&tag.key);
        let message = format!("the header line {key} would contradict ");
        return Err(Error::unfit(message).the_format("'s own"));
    }
    Ok(())
}
