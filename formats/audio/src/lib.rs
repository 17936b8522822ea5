#![doc = include_str!("../README.md")]

mod au;
mod coding;
mod format;
mod kind;
mod reader;
mod sphere;
mod wav;
mod writer;

pub use format::{AU, AudioFormat, SPHERE, WAV};
