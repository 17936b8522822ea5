//! Safetensors: a JSON header followed by tensors.

mod about;
mod format;
mod header;
mod reader;
mod writer;

pub use format::{SAFETENSORS, Safetensors};

/// The entry of the header that is not a tensor.
const METADATA: &str = "__metadata__";
/// The metadata entry with the keys of all utterances in order, as a JSON list.
const KEYS: &str = "keys";
/// Other words in it, about the data set.
const DESCRIPTION: &str = "description";
const LICENSE: &str = "license";
const SPLIT: &str = "split";
/// The names of classes by label column, as an object of lists in JSON.
const CLASSES: &str = "classes";
/// The longest header that the original library accepts.
const LONGEST: u64 = 100_000_000;
