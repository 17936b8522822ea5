//! ID3 tags before the sound.

use spr_core::Result;
use spr_core::bytes::Source;

/// The first bytes of a tag.
const TAG: &[u8] = b"ID3";
/// The first bytes of FLAC, which is no MP3 even behind a tag.
pub(crate) const FLAC: &[u8] = b"fLaC";
/// The size of the header of a tag.
const HEADER: usize = 10;

/// Returns `true` if a tag starts here: its version is one that exists, and so is its size. Names in
/// other files may start with the same letters.
pub(crate) fn is_tag(head: &[u8]) -> bool {
    let rest = head.strip_prefix(TAG).unwrap_or_default();
    matches!(rest, [2..=4, revision, _, size @ ..] if *revision < 0xff
        && size.iter().take(4).all(|b| *b < 0x80))
}

/// Returns what follows the tags at the start of a file, as far as it is visible.
pub(crate) fn after(mut head: &[u8]) -> &[u8] {
    while let Some(header) = head.first_chunk::<HEADER>().filter(|head| is_tag(*head)) {
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
    while is_tag(source.peek(HEADER)?) {
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
