//! The text formats that several formats share, with one reader and one writer each:
//!
//! * [`lines`] – lines of text, and the words and times in them;
//! * [`json`] – objects of JSON whose fields keep their order and spelling, and the writer of fields;
//! * [`manifest`] – what manifests share: names of sound files, recordings, durations, and columns
//!   that the model has no field for.
//!
//! It stands on the core, below the formats, and knows none of them.

pub mod json;
pub mod lines;
pub mod manifest;
