#![doc = include_str!("../README.md")]

mod about;
mod attributes;
mod caps;
mod columns;
mod dataset;
mod entries;
mod field;
mod format;
mod groups;
mod links;
mod lzf;
mod names;
mod read;
mod slices;
mod storage;
mod together;
mod tree;
mod types;
mod unpack;
mod value;
mod window;
mod write;

pub use format::{FORMAT, Hdf5};
