//! What a run does: from arguments to a plan, and from a plan to files.
//!
//! [`argument`] understands what names inputs and outputs, a [`builder`] makes a [`plan`] of them, which
//! holds what is to be done as plain data, [`step`] is the table of what can happen to utterances on the
//! way, [`open`] makes readers of a plan, and [`job`] runs it. The crate knows neither the program's
//! flags nor any format by name.

pub mod argument;
pub mod builder;
pub mod capabilities;
mod digest;
pub mod document;
pub mod explain;
pub mod job;
pub mod looks;
pub mod open;
mod places;
pub mod plan;
pub mod shard;
pub mod step;
mod verify;
pub mod writing;
