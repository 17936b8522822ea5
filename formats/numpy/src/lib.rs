#![doc = include_str!("../README.md")]

mod caps;
mod format;
mod fortran;
mod header;
mod literal;
mod object;

pub use format::{FORMAT, Npy};
