//! Steps: what happens to utterances between their sources and their outputs.
//!
//! Each step is one entry of a [table](KINDS) that has all of its spellings (as a stage, a data option
//! of an input, a flag of the program), its properties, and how it is built; Python takes stages and
//! data options. A [`Step`] is plain data: its name and its values. [`Steps`] reads and prints a chain
//! of them.

mod choose;
mod condition;
mod grammar;
mod kind;
mod list_cache;
mod names;
mod options;
mod parse;
mod sample;
mod sorted;
mod spec;
mod steps;
mod table;
mod unmet;
mod values;

pub use kind::{
    Again, Alias, Build, DataOption, Extent, Kind, Level, OptionValues, Phase, Subject,
    Surroundings,
};
pub use list_cache::ListCache;
pub(crate) use options::SourceOptions;
pub use options::keys as option_keys;
pub(crate) use spec::size_text;
pub use steps::{Step, Steps};
pub use table::KINDS;
pub(crate) use table::stream_ignored;
pub(crate) use unmet::{Needed, Unmet};
pub use values::{Parameters, Values};
