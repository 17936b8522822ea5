#![doc = include_str!("../README.md")]

mod contents;
mod data;
mod format;
pub mod header;
mod list;
mod options;
mod probe;
mod raw;
mod reader;
mod select;
mod vocabulary;
mod writer;

pub use format::{KEY, SPR, Spraak};
