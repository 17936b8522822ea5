//! Zip archives of arrays, as `numpy.savez` writes them.

mod archive;
mod format;
mod reader;
mod writer;

pub use format::{NPZ, Npz};

/// What the name of every member ends with.
const ENDING: &[u8] = b".npy";
