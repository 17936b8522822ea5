//! The core of spr-convert: everything that readers, writers and stages of speech data share.
//!
//! * [`model`] – the utterance: features, labels, sound, segments, text, arrays, objects;
//! * [`bytes`] – sources that undo compression, outputs that appear whole or not at all, and the stores
//!   that they come from and go to;
//! * [`format`](mod@format) – the contract between the converter and a format;
//! * [`stage`] – readers made of readers;
//! * [`adapt`] – the only place where data are narrowed or dropped, measured and reported;
//! * [`loss`] – what can be lost, who allows it, and what it came to;
//! * [`side`] – names and lengths in a file beside data that have no room for them;
//! * [`number`], [`companding`], [`random`], [`ordered`] – numbers in text, µ-law and A-law,
//!   reproducible random numbers, work on several threads in its order;
//! * [`convert()`] – a conversion between any reader and any writer.
//!
//! The core knows no format.

pub mod adapt;
pub mod bytes;
pub mod companding;
mod convert;
mod error;
pub mod format;
mod guess;
mod keymap;
mod limits;
mod location;
mod locator;
pub mod loss;
pub mod model;
mod nearest;
pub mod number;
mod order;
pub mod ordered;
pub mod random;
mod record;
pub mod side;
pub mod stage;
mod symbols;
mod url;

pub use convert::{Converted, DatasetWriter, convert, convert_in};
pub use error::{Error, ErrorKind, Remedy, Result};
pub use keymap::KeyMap;
pub use limits::Limits;
pub use nearest::nearest;
pub use symbols::Symbols;
