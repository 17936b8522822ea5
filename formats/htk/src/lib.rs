#![doc = include_str!("../README.md")]

mod body;
mod caps;
mod check_sum;
mod compress;
mod encode;
mod frames;
mod header;
mod htk;
mod kind;
mod list;
mod listed;
mod object;
mod probe;
mod script;
mod sphinx;
mod style;
mod writer;

pub use htk::{HTK, Htk};
pub use sphinx::{SPHINX, Sphinx};
