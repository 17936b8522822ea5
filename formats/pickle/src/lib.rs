#![doc = include_str!("../README.md")]

mod array;
mod coding;
mod dataset;
mod emit;
mod format;
mod latin1;
mod layout;
mod machine;
mod payload;
mod plain;
mod protocol;
mod reader;
mod rows;
mod writer;

pub use format::{FORMAT, Pickle};
