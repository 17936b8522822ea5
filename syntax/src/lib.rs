//! The syntax that several formats share, with one reader and one writer each:
//!
//! * [`lines`] – lines of text, and the words and times in them;
//! * [`json`] – objects of JSON whose fields keep their order and spelling, and the writer of fields;
//! * [`lilcom`] – compressed features, in files of their own and in Lhotse's stores;
//! * [`manifest`] – what manifests share: names of sound files, recordings, durations, and columns
//!   that the model has no field for.
//!
//! It stands on the core, below the formats, and knows none of them.

pub mod json;
pub mod lilcom;
pub mod lines;
pub mod manifest;
