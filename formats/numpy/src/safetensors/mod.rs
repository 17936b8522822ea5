//! Safetensors: a header in JSON, and tensors one behind the other.

mod format;
mod header;
mod reader;
mod writer;

pub use format::{SAFETENSORS, Safetensors};

/// The entry of the header that is no tensor.
const METADATA: &str = "__metadata__";
/// What in it has the names of all utterances in their order, as a list in JSON.
const KEYS: &str = "keys";
/// The longest header, as the library of the format has it.
const LONGEST: u64 = 100_000_000;
