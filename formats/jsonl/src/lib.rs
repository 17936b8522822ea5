#![doc = include_str!("../README.md")]

mod format;
mod line;
mod numbers;
mod object;
mod reader;
mod segments;
mod text;
mod writer;

pub use format::{FORMAT, Jsonl};
