//! What can be chosen.

use std::time::Duration;

use spr_core::{Error, Result};

/// Asked for right after a jump; then ever more.
pub(crate) const FIRST: u64 = 64 << 10;
/// Stores take no smaller parts, but for the last.
pub(crate) const SMALLEST_PART: u64 = 5 << 20;
/// A block, if nobody says otherwise.
const BLOCK: u64 = 8 << 20;
/// The largest block.
const LARGEST: u64 = 1 << 30;

/// How URLs are read and written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    block: u64,
    pub(crate) timeout: Duration,
    pub(crate) allow_http: bool,
}

impl Default for Settings {
    /// Blocks of 8 MiB, half a minute, encryption.
    fn default() -> Self {
        Self {
            block: BLOCK,
            timeout: Duration::from_secs(30),
            allow_http: false,
        }
    }
}

impl Settings {
    /// A `block` has the bytes that are read ahead of an input, or sent at once, of which there are up to
    /// five of an output in memory; what is sent is never smaller than 5 MiB. A request to
    /// a server that says nothing for `timeout` is given up, and tried again. With `allow_http` servers
    /// are also asked without encryption; those of this machine always are.
    ///
    /// # Errors
    /// A block is smaller than 64 KiB or larger than 1 GiB.
    pub fn new(block: u64, timeout: Duration, allow_http: bool) -> Result<Self> {
        match (FIRST..=LARGEST).contains(&block) {
            true => Ok(Self {
                block,
                timeout,
                allow_http,
            }),
            false => Err(Error::usage("a block has from 64 KiB to 1 GiB")),
        }
    }

    /// Bytes read ahead.
    pub(crate) fn block(&self) -> u64 {
        self.block
    }

    /// Bytes sent at once.
    pub(crate) fn part(&self) -> usize {
        usize::try_from(self.block.max(SMALLEST_PART)).unwrap_or(usize::MAX)
    }
}
