#![doc = include_str!("../README.md")]

mod caps;
mod format;
mod fortran;
mod header;
mod literal;
mod npz;
mod object;
mod parts;
mod safetensors;

pub use format::{FORMAT, Npy};
pub use npz::{NPZ, Npz};
pub use safetensors::{SAFETENSORS, Safetensors};
