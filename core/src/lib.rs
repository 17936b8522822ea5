//! The core of spr-convert: everything that readers, writers and stages of speech data share.
//!
//! From the ground up; each room knows those before it, and none behind it:
//!
//! * [`text`] – text that is safe to show, and what a misspelt word was meant to be;
//! * `name` – the names of utterances and of files, and places in files;
//! * `error` – the one error type, and what can be done about an error;
//! * [`threads`] – work on several threads, its results in order;
//! * [`number`] – element types, byte order, exact decimals, numbers in text, random numbers;
//! * [`model`] – the utterance: features, labels, sound, segments, text, arrays, objects;
//! * [`bytes`] – sources that undo compression, outputs that appear whole or not at all, and the stores
//!   that they come from and go to;
//! * [`format`](mod@format) – the contract between the converter and a format, and what a target can
//!   lose ([`loss`]);
//! * [`tables`] – small files of text that name things: [`KeyMap`], [`Symbols`], side files;
//! * [`stage`] – readers made of readers;
//! * [`adapt`] and [`convert()`] – a conversion between any reader and any writer, and the only place
//!   where data are narrowed or dropped, measured and reported.
//!
//! The core knows no format.

pub mod bytes;
mod convert;
mod error;
pub mod format;
pub mod model;
mod name;
pub mod number;
pub mod stage;
pub mod tables;
pub mod text;
pub mod threads;

pub use convert::{ConversionSummary, DatasetWriter, adapt, convert, convert_in};
pub use error::{Error, ErrorKind, Remedy, Result};
pub use format::loss;
pub use model::Limits;
pub use ndarray;
pub use tables::{KeyMap, Symbols};
pub use text::nearest;
