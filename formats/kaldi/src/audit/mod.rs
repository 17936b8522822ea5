//! Checks of tables and data directories beyond those of the readers.

pub(crate) mod directory;
mod findings;
mod lines;
mod offsets;
pub(crate) mod tables;
mod utterances;
