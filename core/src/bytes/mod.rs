//! Bytes in and bytes out: compression undone, places remembered, outputs whole or absent.

mod ahead;
mod codec;
mod command;
mod commit;
mod env;
mod folder;
mod gzip;
mod inputs;
mod leftovers;
mod output;
mod parent;
mod part;
mod place;
mod rules;
mod sink;
mod source;
mod temporary;

pub use crate::order::{ByteOrder, swap_in_place};
pub use codec::Codec;
pub use command::Command;
pub use env::{Access, Env, Locator};
pub use folder::key_of_file;
pub use leftovers::Leftover;
pub use output::Output;
pub use parent::{Parents, cannot_create};
pub use part::Part;
pub use place::MemoryFiles;
pub use sink::{Finish, Sink};
pub use source::Source;
pub use temporary::{abandon_outputs, is_temporary};
