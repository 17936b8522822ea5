//! What a format of sound files is made of.

use spr_core::Result;
use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{FormatInfo, Options};
use spr_core::model::{Audio, Dtype, Tag};

use crate::reader::Head;

/// What tells one format from another.
pub(crate) struct Kind {
    pub(crate) info: FormatInfo,
    /// Whether a file starts as one of this format.
    pub(crate) starts: fn(&[u8]) -> bool,
    /// Reads the header.
    pub(crate) open: fn(&mut Source, &Options, &Env) -> Result<Head>,
    /// The element types written, the preferred one first.
    pub(crate) dtypes: &'static [Dtype],
    /// The byte order written.
    pub(crate) order: ByteOrder,
    /// Whether a byte is added to an odd number of bytes.
    pub(crate) even: bool,
    /// Makes the header of samples that have one of the types, a rate and channels.
    pub(crate) header: fn(&Audio, &[Tag], &mut Vec<u8>) -> Result<()>,
}

/// A header line of `format`.
pub(crate) fn tag(format: &'static str, key: &[u8], value: &[u8]) -> Tag {
    Tag {
        format,
        key: key.to_vec(),
        value: value.to_vec(),
    }
}

/// Text without the NUL bytes that end it.
pub(crate) fn without_nuls(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| *b != 0).map_or(0, |n| n + 1);
    &text[..end]
}
