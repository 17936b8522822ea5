#![doc = include_str!("../README.md")]

mod audiofolder;
mod columns;
mod json;
mod lhotse;
mod lines;
mod names;
mod nemo;
mod places;
mod source;
mod time;

pub use audiofolder::{AUDIO_FOLDER, AudioFolder};
pub use lhotse::{LHOTSE, Lhotse};
pub use nemo::{NEMO, Nemo};
