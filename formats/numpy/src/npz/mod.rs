//! Zip archives of arrays, as `numpy.savez` writes them.

mod archive;
mod format;
mod members;
mod reader;
mod writer;

pub use format::{NPZ, Npz};
