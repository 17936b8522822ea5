#![doc = include_str!("../README.md")]

mod attributes;
mod caps;
mod dataset;
mod entries;
mod format;
mod links;
mod lzf;
mod names;
mod read;
mod slices;
mod storage;
mod together;
mod tree;
mod types;
mod value;
mod write;

pub use format::{FORMAT, Hdf5};
