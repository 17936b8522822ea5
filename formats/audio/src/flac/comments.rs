//! Tags as Vorbis comments.

use spr_core::bytes::{ByteOrder, PutNumber};
use spr_core::model::Tag;
use spr_core::{Error, Result};

/// The vendor string of written files.
const VENDOR: &[u8] = b"spr-convert";

/// Encodes tags as Vorbis comments.
///
/// # Errors
/// A name or a value is not allowed there.
pub(super) fn write(tags: &[Tag]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    put(&[VENDOR], &mut out)?;
    let count = u32::try_from(tags.len()).map_err(|_| Error::unfit("has too many header lines"))?;
    out.put_u32(count, ByteOrder::Little);
    for tag in tags {
        let named = |b: &u8| (b' '..=b'}').contains(b) && *b != b'=';
        if tag.key.is_empty() || !tag.key.iter().all(named) {
            let key = tag.key.escape_ascii();
            let message = format!("the header line '{key}' has a name that ");
            return Err(Error::unfit(message).the_format(" can't hold"));
        }
        if std::str::from_utf8(&tag.value).is_err() {
            let key = tag.key.escape_ascii();
            let message = format!("the header line '{key}' is not UTF-8, as ");
            return Err(Error::unfit(message).the_format(" wants"));
        }
        put(&[&tag.key, b"=", &tag.value], &mut out)?;
    }
    Ok(out)
}

fn put(parts: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
    let size = parts.iter().map(|part| part.len()).sum::<usize>();
    let size = u32::try_from(size).map_err(|_| Error::unfit("has a header line beyond 4 GiB"))?;
    out.put_u32(size, ByteOrder::Little);
    parts.iter().for_each(|part| out.extend_from_slice(part));
    Ok(())
}
