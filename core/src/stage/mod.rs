//! Readers made of readers.

mod chain;
mod folder;
mod join;

pub use chain::Chain;
pub use folder::FolderReader;
pub use join::JoinLabels;
