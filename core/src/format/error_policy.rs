//! The treatment of faulty utterances.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The treatment of utterances that cannot be read or converted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorPolicy {
    /// Stops at the first one; nothing is written.
    #[default]
    Stop,
    /// Skips and counts them.
    Skip,
}

impl ErrorPolicy {
    /// Returns `Skip` if `skip` is set.
    pub fn skip_if(skip: bool) -> Self {
        match skip {
            true => Self::Skip,
            false => Self::Stop,
        }
    }

    /// Returns `true` if faulty utterances are skipped.
    pub fn skips(self) -> bool {
        self == Self::Skip
    }

    /// Returns `Skip` if either policy skips.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::skip_if(self.skips() || other.skips())
    }
}

impl fmt::Display for ErrorPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stop => "stop",
            Self::Skip => "skip",
        })
    }
}
