#![doc = include_str!("../README.md")]

mod about;
mod arrow;
mod batch;
mod caps;
mod card;
mod cells;
mod chunks;
mod feature;
mod folder;
mod format;
mod generic;
mod groups;
mod guard;
mod json;
mod layout;
mod names;
mod numbers;
mod options;
mod pages;
mod parquet;
mod reader;
mod role;
mod row;
mod rows;
mod segments;
mod split;
mod table;
mod write;

pub use format::{FORMAT, HuggingFace};
