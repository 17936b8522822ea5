//! Settings of the remote store.

use std::time::Duration;

use spr_core::{Error, Result};

/// The length of the first request after a jump; later ones grow.
pub(crate) const FIRST: u64 = 64 << 10;
/// The smallest part size that stores accept, except for the last part.
pub(crate) const SMALLEST_PART: u64 = 5 << 20;
/// The default block size.
const BLOCK: u64 = 8 << 20;
/// The largest block.
const LARGEST: u64 = 1 << 30;

/// The settings for reading and writing URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    block: u64,
    pub(crate) timeout: Duration,
    pub(crate) allow_http: bool,
}

impl Default for Settings {
    /// Returns blocks of 8 MiB, a timeout of 30 seconds, and encryption.
    fn default() -> Self {
        Self {
            block: BLOCK,
            timeout: Duration::from_secs(30),
            allow_http: false,
        }
    }
}

impl Settings {
    /// Creates settings. `block` is the number of bytes read ahead of an input, or sent at once; an
    /// output holds up to five blocks in memory. Parts are never smaller than 5 MiB. A request
    /// without a response for `timeout` is aborted and retried. `allow_http` permits remote servers
    /// without encryption; the local machine never needs it.
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

    /// Returns the number of bytes read ahead.
    pub(crate) fn block(&self) -> u64 {
        self.block
    }

    /// Returns the number of bytes sent at once.
    pub(crate) fn part(&self) -> usize {
        usize::try_from(self.block.max(SMALLEST_PART)).unwrap_or(usize::MAX)
    }
}
