//! The end of a WAV file inside a container.

use spr_core::{Error, Result};

/// The size that sox writes into a pipe.
pub(super) const PIPED: u32 = 0x7fff_f000;

/// Returns the number of bytes of samples, according to the `size` of their chunk, unless they
/// extend to the end of the source, as in a `piped` file.
pub(super) fn bytes(size: u32, piped: bool) -> Option<u64> {
    let endless = piped || matches!(size, 0 | PIPED | u32::MAX);
    (!endless).then_some(u64::from(size))
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
