//! What several formats are written in, with one reader and one writer each:
//!
//! * [`lines`] – lines of text, and the words and times in them;
//! * [`json`] – objects of JSON whose fields keep their order and spelling, and the writer of fields;
//! * [`lilcom`] – compressed features, in files of their own and in Lhotse's stores;
//! * [`manifest`] – what manifests share: names of sound files, recordings, durations, and columns
//!   that the model has no field for;
//! * [`shards`] – the files of one data set by their numbers, and how large they become;
//! * [`sound`] – sound files that are members of archives, or files of folders;
//! * [`tar`] – archives of files: their members with their places, and the writer;
//! * [`tiers`] – segments in JSON.
//!
//! It stands on the core, below the formats, and knows none of them.

pub mod json;
pub mod lilcom;
pub mod lines;
pub mod manifest;
pub mod shards;
pub mod sound;
pub mod tar;
pub mod tiers;
