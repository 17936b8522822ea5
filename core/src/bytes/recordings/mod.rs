//! Recordings that a run keeps open, so that many utterances of one are read at the cost of their samples.
//!
//! A recording that can be sought in is read where it is. Any other is decoded, and its command run, once:
//! the samples are kept for what may be asked of it later.

mod opening;
mod pool;
mod recording;
mod samples;
mod tape;

pub(crate) use pool::{RecordingPlace, Recordings};

pub use samples::SampleStream;
