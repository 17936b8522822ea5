//! Header lines as Vorbis comments.

use spr_core::model::Tag;
use spr_core::{Error, Result};

/// Who writes our files.
const VENDOR: &[u8] = b"spr-convert";

/// The bytes of these texts.
///
/// # Errors
/// A name or a value can't stand there.
pub(super) fn write(tags: &[Tag]) -> Result<Vec<u8>> {
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
