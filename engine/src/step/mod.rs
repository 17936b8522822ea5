//! Steps: what happens to utterances between their sources and their outputs.
//!
//! Each step is one entry of a [table](KINDS) that has all of its spellings (as a stage, a data option
//! of an input, a flag of the program), its properties, and how it is parsed; Python takes stages and
//! data options. A [`Step`] is its name and its values, which are parsed once. [`Steps`] reads and prints
//! a chain of them.

mod grammar;
mod kind;
mod list_cache;
mod operation;
mod option_values;
mod options;
mod parse;
mod spec;
#[expect(clippy::module_inception, reason = "the type has this name")]
mod step;
mod steps;
mod table;
mod unmet;
mod values;

pub use kind::{Alias, DataOption, Kind, Level, Phase, Subject};
pub use list_cache::ListCache;
pub use operation::{Again, Extent, Surroundings};
pub use option_values::OptionValues;
pub(crate) use options::SourceOptions;
pub use options::keys as option_keys;
pub(crate) use spec::size_text;
pub use step::Step;
pub use steps::Steps;
pub use table::KINDS;
pub(crate) use table::stream_ignored;
pub(crate) use unmet::{Needed, Unmet};
pub use values::Parameters;
