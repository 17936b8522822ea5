//! The kinds of loss.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of loss.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossKind {
    /// Digits of numbers.
    Precision,
    /// Numbers beyond the range of the target's type.
    Range,
    /// Frame labels.
    Labels,
    /// Names of utterances.
    Keys,
    /// The boundaries between utterances.
    Boundaries,
    /// Tags, frame shift and the like.
    Metadata,
    /// Audio.
    Audio,
    /// Segments.
    Segments,
    /// Weights of alternatives, as in a posterior.
    Weights,
    /// The difference between a number, a vector and a matrix.
    Rank,
    /// Arrays besides features and labels.
    Arrays,
    /// Names of tiers of segments, and all tiers but one.
    Tiers,
    /// Scores of segments.
    Scores,
    /// Speakers of segments.
    Speakers,
    /// Text.
    Text,
}

impl LossKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Precision,
        Self::Range,
        Self::Labels,
        Self::Keys,
        Self::Boundaries,
        Self::Metadata,
        Self::Audio,
        Self::Segments,
        Self::Weights,
        Self::Rank,
        Self::Arrays,
        Self::Tiers,
        Self::Scores,
        Self::Speakers,
        Self::Text,
    ];

    /// Returns its name, as in a list of permitted losses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Precision => "precision",
            Self::Range => "range",
            Self::Labels => "labels",
            Self::Keys => "keys",
            Self::Boundaries => "boundaries",
            Self::Metadata => "metadata",
            Self::Audio => "audio",
            Self::Segments => "segments",
            Self::Weights => "weights",
            Self::Rank => "rank",
            Self::Arrays => "arrays",
            Self::Tiers => "tiers",
            Self::Scores => "scores",
            Self::Speakers => "speakers",
            Self::Text => "text",
        }
    }

    /// Describes the loss in a few words that contain its name.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Rank => "rank (number, vector or matrix)",
            Self::Arrays => "arrays beside features and labels",
            Self::Tiers => "tiers of segments",
            Self::Scores => "scores of segments",
            Self::Speakers => "speakers of segments",
            _ => self.name(),
        }
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
