//! Selection of utterances, frames and columns.

mod columns;
mod frames;
mod keys;
mod parts;
mod ranges;
mod shard;
mod take;

pub use columns::{Columns, SelectColumns};
pub use frames::SelectFrames;
pub use keys::KeyFilter;
pub(crate) use keys::SelectKeys;
pub(crate) use parts::SelectFields;
pub use ranges::Ranges;
pub use shard::Shard;
pub use take::Take;
