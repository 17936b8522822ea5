//! Utterances whose fields are named arrays in one container.

mod names;
mod reader;
mod write;

pub(crate) use names::Role;
pub(crate) use names::name;
pub(crate) use reader::{Container, Entries};
pub(crate) use write::{check, parts};
