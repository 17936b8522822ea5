#![doc = include_str!("../README.md")]

mod clock;
mod encode;
mod format;
mod frames;
mod header;
mod lines;
mod spacing;

pub use format::{Est, FORMAT};
