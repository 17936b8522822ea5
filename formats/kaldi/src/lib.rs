#![doc = include_str!("../README.md")]

mod archive;
mod binary;
mod compressed;
mod format;
mod number;
mod object;
mod print;
mod probe;
mod range;
mod recognise;
mod script;
pub mod specifier;
mod text;
mod writer;

pub use format::{FORMAT, Kaldi};
