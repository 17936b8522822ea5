#![doc = include_str!("../README.md")]

mod caps;
mod htk;
mod kind;
mod object;
mod probe;
mod sphinx;

pub use htk::{HTK, Htk};
pub use sphinx::{SPHINX, Sphinx};
