//! Some of all: utterances, frames, columns.

mod columns;
mod frames;
mod keys;
mod ranges;
mod shard;
mod take;

pub use columns::{Columns, SelectColumns};
pub use frames::SelectFrames;
pub use keys::{KeyFilter, SelectKeys};
pub use ranges::Ranges;
pub use shard::Shard;
pub use take::Take;

use crate::model::DatasetInfo;

/// What is known of a part: no totals.
pub(super) fn part_of(info: &DatasetInfo) -> DatasetInfo {
    DatasetInfo {
        utterances: None,
        frames: None,
        ..info.clone()
    }
}
