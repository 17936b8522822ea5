//! Utterances whose parts are arrays with names of their own, in one container.

mod names;
mod reader;
mod write;

pub(crate) use names::Role;
pub(crate) use names::name;
pub(crate) use reader::{Container, Entries};
pub(crate) use write::{LABELS, check, parts};
