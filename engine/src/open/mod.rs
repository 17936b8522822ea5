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
mod plan;
mod work;

use std::fmt;

use spr_core::format::{Format, Reader};

pub(crate) use all::{open_again, open_all};
pub use extent::InputSize;
pub(crate) use intact::IntactSound;
pub(crate) use plan::{check_lasting, check_pipes, keys_first};
pub(crate) use work::{over, read_twice};

/// The treatment of faults while data are read.
#[derive(Clone, Copy)]
pub(crate) struct Faults {
    /// Whether the reader skips faulty utterances of inputs that [skip](spr_core::format::ErrorPolicy)
    /// them. Otherwise the caller gets them as errors.
    pub(crate) skipped: bool,
    /// Whether a fault that ends the only input after its first utterance can continue, with the end
    /// of the data.
    pub(crate) ends: bool,
}

impl Faults {
    /// Faults as errors, for a caller that counts and skips them.
    pub(crate) const RETURNED: Self = Self {
        skipped: false,
        ends: true,
    };
}

/// An open data set.
#[non_exhaustive]
pub struct OpenedInput {
    /// Its utterances.
    pub reader: Box<dyn Reader>,
    /// Its format.
    pub format: &'static dyn Format,
    /// The reason for the format.
    pub why: Reason,
}

/// The reason why an input is held for a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The argument names it.
    Named,
    /// A header in another file.
    Header,
    /// The content.
    Content,
    /// The extension.
    Name,
    /// The look of text, which its name does not confirm.
    Guess,
    /// The names in a folder.
    Folder,
    /// The files of a folder.
    Files,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Named => "as named",
            Self::Header => "by its header in another file",
            Self::Content => "by its content",
            Self::Name => "by its extension",
            Self::Guess => "a guess by the look of its text",
            Self::Folder => "by what is in it",
            Self::Files => "by what its files are",
        })
    }
}
