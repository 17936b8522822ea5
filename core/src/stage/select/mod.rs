//! Some of all: utterances, frames, columns.

mod columns;
mod frames;
mod keys;
mod parts;
mod ranges;
mod shard;
mod take;

pub use columns::{Columns, SelectColumns};
pub use frames::SelectFrames;
pub use keys::{KeyFilter, SelectKeys};
pub use parts::SelectParts;
pub use ranges::Ranges;
pub use shard::Shard;
pub use take::Take;
