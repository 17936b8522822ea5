//! Recordings that a run keeps open, so that many utterances of one are read at the cost of their samples.
//!
//! A seekable recording is read in place. Any other is decoded once, its command run once, and its samples
//! are kept for later utterances.

mod opening;
mod pool;
mod recording;
mod samples;
mod tape;

pub(crate) use pool::{RecordingPlace, Recordings};

pub use samples::SampleStream;
