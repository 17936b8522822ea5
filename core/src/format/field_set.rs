//! Sets of fields of utterances.

use crate::model::Utterance;

/// A set of fields of utterances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSet {
    /// Features.
    pub features: bool,
    /// Frame labels.
    pub labels: bool,
    /// Audio.
    pub audio: bool,
    /// Segments.
    pub segments: bool,
    /// Text.
    pub text: bool,
    /// Objects.
    pub objects: bool,
    /// Named arrays.
    pub arrays: bool,
}

impl FieldSet {
    /// All fields.
    pub const ALL: Self = Self {
        features: true,
        labels: true,
        audio: true,
        segments: true,
        text: true,
        objects: true,
        arrays: true,
    };

    /// No fields.
    pub const NONE: Self = Self {
        features: false,
        labels: false,
        audio: false,
        segments: false,
        text: false,
        objects: false,
        arrays: false,
    };

    /// The fields that become frame labels or stand in for them: labels, segments and text.
    pub const LABELS: Self = Self {
        features: false,
        audio: false,
        objects: false,
        arrays: false,
        ..Self::ALL
    };

    /// Returns the union.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            features: self.features || other.features,
            labels: self.labels || other.labels,
            audio: self.audio || other.audio,
            segments: self.segments || other.segments,
            text: self.text || other.text,
            objects: self.objects || other.objects,
            arrays: self.arrays || other.arrays,
        }
    }

    /// Clears the other fields of an utterance.
    pub fn keep(&self, utt: &mut Utterance) {
        if !self.features {
            utt.features = None;
        }
        if !self.labels {
            utt.labels = None;
        }
        if !self.audio {
            utt.audio = None;
        }
        if !self.segments {
            utt.tiers.clear();
        }
        if !self.text {
            utt.text = None;
        }
        if !self.objects {
            utt.object = None;
        }
        if !self.arrays {
            utt.arrays.clear();
        }
    }
}
