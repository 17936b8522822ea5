#![doc = include_str!("../README.md")]

mod columns;
mod json;
mod lhotse;
mod lines;
mod names;
mod nemo;
mod places;
mod source;
mod time;

pub use lhotse::{LHOTSE, Lhotse};
pub use nemo::{NEMO, Nemo};
