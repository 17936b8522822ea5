#![doc = include_str!("../README.md")]

mod format;
mod object;
mod writer;

pub use format::{FORMAT, Lilcom};
