#![doc = include_str!("../README.md")]

mod columns;
mod json;
mod lines;
mod names;
mod nemo;
mod places;
mod time;

pub use nemo::{NEMO, Nemo};
