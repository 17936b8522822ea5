//! Bytes in and bytes out: compression undone, places remembered, outputs whole or absent.
//!
//! An [`Env`] is the only way to bytes, and behind it stands a [`Store`]: the [`Local`] file system,
//! a [`MemoryStore`], or one of another crate, such as for object stores.

mod claims;
mod codec;
mod command;
mod destination;
mod env;
mod inputs;
mod landing;
mod leftover;
mod local;
mod memory;
mod names;
mod nested;
mod output;
mod parents;
mod part;
mod pattern;
mod rehearsal;
mod seen;
mod sink;
mod source;
mod store;
mod terminal;
mod urls;

pub use crate::location::Location;
pub use crate::locator::Locator;
pub use crate::order::{ByteOrder, swap_in_place};
pub use crate::url::Url;
pub use codec::Codec;
pub use env::{Access, Env, WarningSort};
pub use leftover::Leftover;
pub use local::{Local, cannot_create};
pub use memory::MemoryStore;
pub use names::{key_in_folder, key_of_file};
pub use nested::{Claim, Extent, Finder, Nested, NestedFormats};
pub use output::Output;
pub use parents::Parents;
pub use part::Part;
pub use sink::{Finish, Sink, Waiting};
pub use source::{Held, Source};
pub use store::{
    Change, Draft, DraftFolder, Drafting, FileKind, FileStatus, Identity, New, Store, Stored, Whole,
};
pub use urls::Urls;
