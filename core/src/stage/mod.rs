//! Readers made of readers.

mod batch;
mod cache;
mod chain;
mod context;
mod folder;
mod join;
mod map;
mod prefetch;
mod repeat;
mod select;
mod shape_check;
#[cfg(test)]
mod tests;
mod utterances;

pub use batch::{Batch, Tail};
pub use cache::Cache;
pub use chain::Chain;
pub use context::Context;
pub use folder::FolderReader;
pub use join::JoinLabels;
pub use map::Map;
pub use prefetch::Prefetch;
pub use repeat::Repeat;
pub use select::{
    Columns, KeyFilter, Ranges, SelectColumns, SelectFrames, SelectKeys, Shard, Take,
};
pub use shape_check::{Shape, ShapeCheck};
pub use utterances::Utterances;
