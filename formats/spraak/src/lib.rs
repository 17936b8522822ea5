#![doc = include_str!("../README.md")]

mod contents;
mod data;
mod format;
mod header;
mod probe;
mod reader;
mod vocabulary;
mod writer;

pub use format::{KEY, SPR, Spraak};
