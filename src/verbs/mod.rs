//! The verbs, for every format alike: each is a function over readers or a stage of a
//! [`Job`](crate::job::Job); the program parses and prints. `stats` and `ls` are [`crate::stats`].

pub mod check;
pub mod diff;
mod faults;
pub mod groups;
pub mod index;
pub mod info;
pub mod repair;
#[cfg(feature = "plot")]
pub mod report;
pub mod show;
pub mod stats;

pub use spr_engine::document::key_json;
