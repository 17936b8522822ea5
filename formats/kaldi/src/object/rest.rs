//! Objects that are read in chunks.

use spr_core::model::{Chunks, Dtype, Key, Rank};

/// The rest of an object of which some rows were read.
pub(super) struct UnfinishedObject {
    pub(super) key: Key,
    pub(super) chunks: Chunks,
    pub(super) dtype: Dtype,
    pub(super) rank: Rank,
    pub(super) cols: u64,
    /// Whether it has no key, and nothing may follow it.
    pub(super) whole: bool,
}
