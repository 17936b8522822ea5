#![doc = include_str!("../README.md")]

mod archive;
mod binary;
mod compressed;
mod decide;
mod encode;
mod fields;
mod files;
mod foreign;
mod format;
mod hop;
mod kind;
mod likeness;
mod lines;
mod number;
mod object;
mod opaque;
mod packed;
mod pieces;
mod print;
mod probe;
mod put;
mod random;
mod range;
mod recognise;
mod salvage;
mod script;
mod select;
pub mod specifier;
mod table;
mod tagged;
mod text;
mod wave;
mod writer;

pub use format::{FORMAT, Kaldi};
pub use select::Select;
pub use table::{
    RandomAccessTableReader, RandomAccessTableReaderMapped, SequentialTableReader, TableWriter,
};
