//! The common parts of manifests: names of audio files, recordings, durations, columns.

pub mod columns;
mod names;
mod places;
pub mod source;
mod time;

pub use names::{Names, PATHS};
pub use places::Places;
pub use time::lasts;
