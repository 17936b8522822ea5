//! Vorbis comments: texts `NAME=VALUE` after the name of the encoder.

use spr_core::bytes::ByteOrder;
use spr_core::model::Tag;
use spr_core::{Error, Limits, Result};

use crate::kind::tag_size;

/// Adds the texts in `bytes` as tags of `format`.
///
/// # Errors
/// They are malformed, or exceed `limits`; the tags before the error are still added.
pub(crate) fn read(
    bytes: &[u8],
    format: &'static str,
    tags: &mut Vec<Tag>,
    limits: &Limits,
) -> Result<()> {
    let broken = || Error::malformed("the texts are broken; the rest of them is ignored");
    let (_, left) = text(bytes).ok_or_else(broken)?;
    let (count, mut left) = number(left).ok_or_else(broken)?;
    let mut held = 0;
    for _ in 0..count {
        let (comment, rest) = text(left).ok_or_else(broken)?;
        left = rest;
        let at = comment.iter().position(|b| *b == b'=').ok_or_else(broken)?;
        let (key, value) = (&comment[..at], &comment[at + 1..]);
        held += tag_size(key, value);
        limits.bytes("texts", held)?;
        tags.push(Tag::new(format, key, value));
    }
    Ok(())
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((ByteOrder::Little.read_u32(*number), rest))
}

fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (size, rest) = number(bytes)?;
    rest.split_at_checked(usize::try_from(size).ok()?)
}
