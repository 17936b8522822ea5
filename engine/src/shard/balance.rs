//! The kinds of weight by which shards are cut.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use spr_core::{Error, Result};

/// The weight by which shards are balanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShardBalance {
    /// Frames if known, otherwise bytes, otherwise entries.
    Auto,
    /// Entries.
    Entries,
    /// Bytes of entries.
    Bytes,
    /// Frames.
    Frames,
}

impl ShardBalance {
    const ALL: [Self; 4] = [Self::Auto, Self::Entries, Self::Bytes, Self::Frames];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Entries => "entries",
            Self::Bytes => "bytes",
            Self::Frames => "frames",
        }
    }
}

impl fmt::Display for ShardBalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ShardBalance {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|by| by.name() == text);
        known.ok_or_else(|| {
            let error = Error::usage(format!("shards are not cut by '{text}'"));
            error.hint("known: auto, entries, bytes, frames")
        })
    }
}
