//! Zip archives of arrays, as `numpy.savez` writes them.

mod archive;
mod format;
mod reader;
mod writer;
mod zip;

pub use format::{NPZ, Npz};

/// The end of every member's name.
const ENDING: &[u8] = b".npy";
