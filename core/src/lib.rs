//! The core of spr-convert: everything that readers, writers and stages of speech data share.
//!
//! * [`model`] – the utterance and its matrices;
//! * [`bytes`] – sources that undo compression, outputs that appear whole or not at all;
//! * [`format`](mod@format) – the contract between the converter and a format;
//! * [`stage`] – readers made of readers;
//! * [`companding`] – µ-law and A-law;
//! * [`random`] – reproducible random numbers;
//! * [`adapt`] – the only place where data are narrowed or dropped, measured and reported;
//! * [`convert()`] – a conversion between any reader and any writer.
//!
//! The core knows no format.

pub mod adapt;
pub mod bytes;
pub mod companding;
mod convert;
mod error;
pub mod format;
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

pub use convert::{Converted, DatasetWriter, convert, convert_in};
pub use error::{Error, ErrorKind, Remedy, Result};
pub use keymap::KeyMap;
pub use limits::Limits;
pub use nearest::nearest;
