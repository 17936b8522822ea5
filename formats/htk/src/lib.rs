#![doc = include_str!("../README.md")]

mod body;
mod caps;
mod check_sum;
mod header;
mod htk;
mod kind;
mod object;
mod probe;
mod sphinx;

pub use htk::{HTK, Htk};
pub use sphinx::{SPHINX, Sphinx};
