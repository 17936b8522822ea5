#![doc = include_str!("../README.md")]

mod archive;
mod audio;
mod binary;
mod changes;
mod choice;
mod compress;
mod compressed;
mod data_dir;
mod decide;
mod encode;
mod fields;
mod file_name;
mod files;
mod format;
mod integers;
mod key_patterns;
mod kind;
mod layout;
mod lines;
mod nested;
mod notation;
mod number;
mod object;
mod opaque;
mod packed;
mod pass;
mod pieces;
mod print;
mod probe;
mod random;
mod range;
mod recognise;
mod rounding;
mod salvage;
mod sample;
mod scanner;
mod script;
mod single;
mod sinks;
mod sized;
pub mod specifier;
mod table;
mod table_options;
mod tagged;
mod text;
mod wrapped;
mod write_object;
mod writer;

pub use data_dir::{DATA, DataDirectory};
pub use format::{FORMAT, Kaldi};
pub use single::read_object;
pub use table::{
    RandomAccessTableReader, RandomAccessTableReaderMapped, SequentialTableReader, TableWriter,
};
