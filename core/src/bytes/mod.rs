//! Reading and writing of bytes: decompression, tracking of inputs, atomic outputs.
//!
//! An [`Env`] is the only access to bytes. It uses a [`Store`]: the [`Local`] file system, a
//! [`MemoryStore`], or one from another crate, such as for object stores.

mod claims;
mod codec;
mod command;
mod destination;
mod env;
mod inputs;
mod landing;
mod leftover;
mod local;
mod medium;
mod memory;
mod names;
mod nested;
mod output;
mod output_names;
mod parents;
mod part;
mod path_map;
mod pattern;
mod rehearsal;
mod rubbish;
mod sink;
mod source;
mod store;
mod terminal;
mod urls;
mod whereabouts;

pub use crate::name::{Location, Locator, Url};
pub use crate::number::{ByteOrder, PutNumber, swap_in_place};
pub use codec::Codec;
pub use env::{Access, Env, WarningSort};
pub use leftover::Leftover;
pub use local::{Local, cannot_create};
pub use medium::Medium;
pub use memory::MemoryStore;
pub use names::{key_in_folder, key_of_file};
pub use nested::{Claim, Finder, Nested, NestedFormats, ObjectBounds};
pub use output::Output;
pub use parents::Parents;
pub use part::Part;
pub use path_map::PathMap;
pub use rubbish::is_rubbish;
pub use sink::{Finish, Sink, SpoolProgress};
pub use source::{MemoryCounter, Source};
pub use store::{
    Change, Draft, DraftFolder, DraftOptions, FileKind, FileStatus, FinishedFile, Identity, New,
    OpenedFile, Store,
};
pub use urls::Urls;
