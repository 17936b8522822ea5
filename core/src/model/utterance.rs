//! The unit that readers fill, stages change and writers take.

use super::{Key, Matrix, Meta};

/// One utterance. The caller owns it and lends it to a reader again and again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Utterance {
    /// Its name.
    pub key: Key,
    /// Features: rows are frames.
    pub features: Option<Matrix>,
    /// Labels: one row a frame, one column a label; integers as a rule.
    pub labels: Option<Matrix>,
    /// What the header said.
    pub meta: Meta,
}

impl Utterance {
    /// Frames: rows of the features, or of the labels where there are none.
    pub fn frames(&self) -> u64 {
        self.features
            .as_ref()
            .or(self.labels.as_ref())
            .map_or(0, |m| m.rows() as u64)
    }

    /// The features to fill, their allocation kept from the utterance before.
    pub fn features_mut(&mut self) -> &mut Matrix {
        self.features.get_or_insert_default()
    }

    /// The labels to fill, their allocation kept from the utterance before.
    pub fn labels_mut(&mut self) -> &mut Matrix {
        self.labels.get_or_insert_default()
    }
}
