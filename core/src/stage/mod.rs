//! Readers made of readers.

mod chain;
mod columns;
mod context;
mod folder;
mod join;
mod prefetch;
mod subset;
#[cfg(test)]
mod tests;

pub use chain::Chain;
pub use columns::{Columns, SelectColumns};
pub use context::Context;
pub use folder::FolderReader;
pub use join::JoinLabels;
pub use prefetch::Prefetch;
pub use subset::{SelectKeys, Take};
