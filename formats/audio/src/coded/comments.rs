//! Vorbis comments: texts `NAME=VALUE` behind the name of the program that wrote them.

use spr_core::model::Tag;
use spr_core::{Error, Limits, Result};

use crate::kind::tag_size;

/// Who writes our files.
const VENDOR: &[u8] = b"spr-convert";

/// Adds the texts in `bytes` as tags of `format`.
///
/// # Errors
/// They are broken, or take more memory than `limits` allow; those before are added all the same.
pub(crate) fn read(
    bytes: &[u8],
    format: &'static str,
    tags: &mut Vec<Tag>,
    limits: &Limits,
) -> Result<()> {
    let broken = || Error::malformed("the texts are broken; what follows in them is passed over");
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
    Some((u32::from_le_bytes(*number), rest))
}

fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (size, rest) = number(bytes)?;
    rest.split_at_checked(usize::try_from(size).ok()?)
}

/// The bytes of these texts.
///
/// # Errors
/// A name or a value can't stand there.
pub(crate) fn write(tags: &[Tag]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    put(&[VENDOR], &mut out)?;
    let count = u32::try_from(tags.len()).map_err(|_| Error::unfit("has too many header lines"))?;
    out.extend_from_slice(&count.to_le_bytes());
    for tag in tags {
        let named = |b: &u8| (b' '..=b'}').contains(b) && *b != b'=';
        if tag.key.is_empty() || !tag.key.iter().all(named) {
            let key = tag.key.escape_ascii();
            return Err(Error::unfit(format!(
                "the header line '{key}' has a name that the format can't hold"
            )));
        }
        if std::str::from_utf8(&tag.value).is_err() {
            let key = tag.key.escape_ascii();
            let message = format!("the header line '{key}' is not UTF-8, as the format wants");
            return Err(Error::unfit(message));
        }
        put(&[&tag.key, b"=", &tag.value], &mut out)?;
    }
    Ok(out)
}

fn put(parts: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
    let size = parts.iter().map(|part| part.len()).sum::<usize>();
    let size = u32::try_from(size).map_err(|_| Error::unfit("has a header line beyond 4 GiB"))?;
    out.extend_from_slice(&size.to_le_bytes());
    parts.iter().for_each(|part| out.extend_from_slice(part));
    Ok(())
}
