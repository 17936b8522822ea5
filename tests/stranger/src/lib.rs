//! The format `toy`, by a crate that is no part of spr-convert.

pub mod toy;

pub use toy::TOY;
