//! Capabilities for one field of an utterance.

use super::Rule;
use crate::model::Dtype;

/// Capabilities for features.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct FeatureCaps {
    /// Element types, the preferred one first.
    pub dtypes: &'static [Dtype],
    /// Whether vectors are distinguished from matrices.
    pub vectors: bool,
    /// Whether scalars are distinguished from vectors.
    pub scalars: bool,
    /// Whether all utterances must have the same number of columns.
    pub same_dim: bool,
    /// Whether all utterances must have the same element type.
    pub same_dtype: bool,
    /// The largest number of columns.
    pub max_cols: u64,
    /// The only number of columns that frames may have, if there is such.
    pub cols: Option<u64>,
    /// The option that sets it.
    pub cols_option: Option<&'static str>,
    /// Whether their frame shift must be known.
    pub needs_shift: bool,
}

impl FeatureCaps {
    /// Supports matrices of these types and of any shape.
    pub const fn new(dtypes: &'static [Dtype]) -> Self {
        Self {
            dtypes,
            vectors: false,
            scalars: false,
            same_dim: false,
            same_dtype: false,
            max_cols: u64::MAX,
            cols: None,
            cols_option: None,
            needs_shift: false,
        }
    }
}

/// Capabilities for frame labels.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct LabelCaps {
    /// Element types, the preferred one first.
    pub dtypes: &'static [Dtype],
    /// The largest number of label columns.
    pub max_columns: u64,
    /// Whether labels can be stored with features.
    pub with_features: bool,
    /// Whether labels can be stored without features.
    pub alone: bool,
    /// Whether all utterances must have the same number of label columns.
    pub same_columns: bool,
}

impl LabelCaps {
    /// Supports labels of these types, any number per frame, with features and without.
    pub const fn new(dtypes: &'static [Dtype]) -> Self {
        Self {
            dtypes,
            max_columns: u64::MAX,
            with_features: true,
            alone: true,
            same_columns: false,
        }
    }
}

/// Capabilities for audio.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct AudioCaps {
    /// Element types of samples, the preferred one first; empty if samples are not stored.
    pub dtypes: &'static [Dtype],
    /// Formats whose files are stored unchanged.
    pub encoded: &'static [&'static str],
    /// Whether references to audio are stored.
    pub references: bool,
    /// Set if a duration selects the [first seconds](crate::model::Span::First) of a recording.
    pub first_seconds: bool,
    /// The most bits that integer samples may have. Further ones of a wider type are 0.
    pub bits: u32,
    /// The most channels that samples may have.
    pub max_channels: u64,
    /// The sampling rates that samples may have.
    pub rates: Rule<u32>,
    /// Whether all utterances must have the same sampling rate.
    pub same_rate: bool,
    /// Whether sound must have samples: then none is not silence but nothing.
    pub needs_samples: bool,
    /// Whether sound that has to be loaded is wanted beside features of the same utterance.
    pub beside_features: bool,
}

impl AudioCaps {
    /// No audio.
    pub const NONE: Self = Self::samples(&[]);

    /// Supports samples of these types.
    pub const fn samples(dtypes: &'static [Dtype]) -> Self {
        Self {
            dtypes,
            encoded: &[],
            references: false,
            first_seconds: false,
            bits: u32::MAX,
            max_channels: u64::MAX,
            rates: Rule::ANY,
            same_rate: false,
            needs_samples: false,
            beside_features: false,
        }
    }

    /// Returns `true` if audio is stored in any form.
    pub fn hold_any(&self) -> bool {
        !self.dtypes.is_empty() || !self.encoded.is_empty() || self.references
    }
}

/// Capabilities for segments.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default)]
pub struct SegmentCaps {
    /// Whether several tiers are stored, with their names.
    pub tiers: bool,
    /// Whether scores are stored.
    pub scores: bool,
    /// Whether speakers are stored.
    pub speakers: bool,
    /// Set if segments need speakers. If none has one, the labels are the speakers.
    pub spoken: bool,
    /// Whether text can be stored with segments.
    pub beside_text: bool,
    /// The time resolution in ticks per second, if times are quantised.
    pub ticks: Option<u32>,
    /// Whether each segment must have an end.
    pub closed: bool,
    /// Whether there must be at least one segment, as none would leave no trace.
    pub needs_some: bool,
}

impl SegmentCaps {
    /// A single tier of segments with labels and times.
    pub const PLAIN: Self = Self {
        tiers: false,
        scores: false,
        speakers: false,
        spoken: false,
        beside_text: true,
        ticks: None,
        closed: false,
        needs_some: false,
    };

    /// All properties of segments.
    pub const ALL: Self = Self {
        tiers: true,
        scores: true,
        speakers: true,
        ..Self::PLAIN
    };
}

/// Capabilities for named arrays.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct ArrayCaps {
    /// Element types, the preferred one first.
    pub dtypes: &'static [Dtype],
    /// The largest number of dimensions.
    pub max_rank: usize,
    /// The fewest dimensions.
    pub min_rank: usize,
    /// The most arrays in one utterance.
    pub max_count: usize,
    /// The only name that arrays may have, if names are not kept.
    pub name: Option<&'static str>,
}

impl ArrayCaps {
    /// Supports arrays of these types and of any shape.
    pub const fn new(dtypes: &'static [Dtype]) -> Self {
        Self {
            dtypes,
            max_rank: crate::model::Array::MOST,
            min_rank: 0,
            max_count: usize::MAX,
            name: None,
        }
    }
}
