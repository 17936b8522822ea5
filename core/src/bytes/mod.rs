//! Reading and writing of bytes: decompression, tracking of inputs, atomic outputs.
//!
//! An [`Env`] is the only access to bytes. It uses a [`Store`]: the [`Local`] file system, a
//! [`MemoryStore`], or one from another crate, such as for object stores.

mod access;
mod claims;
mod codec;
mod command;
mod destination;
mod env;
mod finish;
mod finished_names;
mod inputs;
mod landing;
mod leftover;
mod listed;
mod local;
mod medium;
mod memory;
mod moved;
mod names;
mod nested;
mod object;
mod opened_files;
mod output;
mod output_names;
mod parents;
mod part;
mod path_map;
mod pattern;
mod recordings;
mod refusal;
mod rehearsal;
mod rubbish;
mod searched;
mod sink;
mod source;
mod store;
mod terminal;
mod urls;
mod whereabouts;

pub use crate::name::{Location, Locator, Url};
pub use crate::number::{ByteOrder, PutNumber, swap_in_place};
pub use access::Access;
pub use codec::Codec;
pub use env::{Env, Finder, Nested, NestedFormats, WarningSort};
pub use finish::Finish;
pub use leftover::Leftover;
pub use local::Local;
pub use medium::Medium;
pub use memory::MemoryStore;
pub use names::{key_in_folder, key_of_file};
pub use nested::Finders;
pub use object::{Claim, ObjectBounds};
pub use opened_files::OpenedFiles;
pub use output::Output;
pub use parents::Parents;
pub use part::Part;
pub use path_map::PathMap;
pub(crate) use recordings::RecordingPlace;
pub use recordings::SampleStream;
pub use rubbish::is_rubbish;
pub use sink::{Sink, SpoolProgress};
pub use source::{MemoryCounter, Source};
pub use store::{
    Change, Draft, DraftFolder, DraftOptions, FileKind, FileStatus, FinishedFile, Identity, New,
    OpenedFile, Store, seek_position,
};
pub use urls::Urls;
