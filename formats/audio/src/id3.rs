//! ID3 tags before the sound.

use spr_core::Result;
use spr_core::bytes::Source;

/// The first bytes of a tag.
pub(crate) const TAG: &[u8] = b"ID3";
/// The first bytes of FLAC, which is no MP3 even behind a tag.
pub(crate) const FLAC: &[u8] = b"fLaC";
/// The size of the header of a tag.
const HEADER: usize = 10;

/// Returns what follows the tags at the start of a file, as far as it is visible.
pub(crate) fn after(mut head: &[u8]) -> &[u8] {
    while let Some(header) = head
        .first_chunk::<HEADER>()
        .filter(|head| head.starts_with(TAG))
    {
        let size = usize::try_from(size(header)).unwrap_or(usize::MAX);
        head = head
            .get(HEADER..)
            .and_then(|rest| rest.get(size..))
            .unwrap_or_default();
    }
    head
}

/// Skips the tags at the start of a file, and returns `true` if there are any.
///
/// # Errors
/// The file ends within a tag.
pub(crate) fn skip(source: &mut Source) -> Result<bool> {
    let mut found = false;
    while source.peek(TAG.len())? == TAG {
        let header = source.array::<HEADER>()?;
        source.skip(size(&header))?;
        found = true;
    }
    Ok(found)
}

/// Returns the size of a tag after its header, with its footer.
fn size(header: &[u8; HEADER]) -> u64 {
    let [.., flags, a, b, c, d] = *header;
    // Each byte has seven bits of the size, so that none resembles the start of a frame.
    let bytes = [a, b, c, d];
    let size = bytes
        .iter()
        .fold(0, |size, b| size << 7 | u64::from(b & 0x7f));
    let has_footer = flags & 0x10 != 0;
    size + if has_footer { HEADER as u64 } else { 0 }
}
