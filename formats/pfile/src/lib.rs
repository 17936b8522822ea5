#![doc = include_str!("../README.md")]

mod canonical;
mod format;
mod grammar;
mod header;
mod interleave;
mod reader;
mod rows;
mod salvage;
mod table;
mod writer;

pub use format::{FORMAT, PFile};
