#![doc = include_str!("../README.md")]

mod arrays;
mod audio;
mod braces;
mod format;
mod line;
mod meta;
mod numbers;
mod object;
mod reader;
mod scan;
mod segments;
mod shape;
mod text;
mod writer;

pub use format::{FORMAT, Jsonl};
