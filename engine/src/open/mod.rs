//! From the plan of an input to its utterances.

mod all;
mod ending;
mod extent;
mod folder;
mod format;
mod input;
mod intact;
mod joins;
mod place;
mod work;

use spr_core::format::{Format, Reader};

pub use all::open_all;
pub use extent::InputSize;
pub(crate) use intact::IntactSound;
pub(crate) use work::{over, read_twice};

/// An open data set.
pub struct OpenedInput {
    /// Its utterances.
    pub reader: Box<dyn Reader>,
    /// Its format.
    pub format: &'static dyn Format,
    /// The reason for the format.
    pub why: &'static str,
}
