//! The end of a WAV file inside a container.

use spr_core::{Error, Result};

/// The size that sox writes into a pipe.
pub(super) const PIPED: u32 = 0x7fff_f000;

/// Returns the number of bytes of samples, according to the `size` of their chunk, unless they
/// extend to the end of the source, as in a `piped` file.
pub(super) fn bytes(size: u32, block: u64, piped: bool) -> Option<u64> {
    let bytes = u64::from(size);
    let endless = piped || matches!(size, 0 | u32::MAX) || is_whole_blocks(bytes, PIPED, block);
    (!endless).then_some(bytes)
}

/// Returns `true` for `size`, and for as many whole blocks as fit in it, which is what sox writes.
pub(super) fn is_whole_blocks(bytes: u64, size: u32, block: u64) -> bool {
    let size = u64::from(size);
    bytes == size || bytes == size - size % block.max(1)
}

/// Rejects bytes that contain the start of another archive entry.
pub(super) fn check_last(bytes: &[u8]) -> Result<()> {
    let next = |b: &[u8]| b.starts_with(b" RIF") && b.ends_with(b"WAVE");
    match bytes.windows(13).any(next) {
        false => Ok(()),
        true => {
            let message = "the wave header gives no size, but another entry follows";
            Err(Error::malformed(message)
                .hint("a wave file without a size can only be the last of an archive"))
        }
    }
}
