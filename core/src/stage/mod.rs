//! Readers made of readers.

mod chain;
mod folder;
mod join;
mod prefetch;

pub use chain::Chain;
pub use folder::FolderReader;
pub use join::JoinLabels;
pub use prefetch::Prefetch;
