#![doc = include_str!("../README.md")]

mod caps;
mod fields;
mod format;
mod json;
mod kinds;
mod members;
mod name;
mod options;
mod read;
mod sample;
mod seen;
mod shards;
mod table;
mod write;

pub use format::{FORMAT, WebDataset};
