//! Exit statuses.

/// All was done.
pub(super) const DONE: u8 = 0;
/// The answer to the question is no.
pub(super) const NO: u8 = 1;
/// Nothing was done.
pub(super) const FAILED: u8 = 2;
/// Some utterances were skipped.
pub(super) const SKIPPED: u8 = 3;
