//! Who speaks the utterances of a split.

use spr_core::bytes::Env;
use spr_core::model::{Key, Utterance};
use spr_core::stage::speaker_of;
use spr_core::{KeyMap, Result};

use crate::plan::Speakers;

/// The source of speakers.
pub(super) enum Speaking {
    /// A table.
    Table(KeyMap),
    /// The data.
    Data,
}

impl Speaking {
    /// Opens the source.
    ///
    /// # Errors
    /// The table can't be read.
    pub(super) fn open(speakers: &Speakers, env: &Env) -> Result<Self> {
        Ok(match speakers {
            Speakers::Table(table) => Self::Table(KeyMap::open(table, env)?),
            Speakers::Data => Self::Data,
        })
    }

    /// Returns who speaks.
    ///
    /// # Errors
    /// It is not known.
    pub(super) fn of<'a>(&'a self, utt: &'a Utterance) -> Result<&'a Key> {
        match self {
            Self::Table(table) => table.get(&utt.key),
            Self::Data => speaker_of(utt),
        }
    }
}
