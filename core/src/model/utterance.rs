//! The unit that readers fill, stages change and writers take.

use super::{Audio, Key, Matrix, Meta, Object, Segment};

/// One utterance. The caller owns it and lends it to a reader again and again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Utterance {
    /// Its name.
    pub key: Key,
    /// Features: rows are frames.
    pub features: Option<Matrix>,
    /// Labels: one row a frame, one column a label; integers as a rule.
    pub labels: Option<Matrix>,
    /// Sampled sound.
    pub audio: Option<Audio>,
    /// Labelled stretches of time, in their order.
    pub segments: Option<Vec<Segment>>,
    /// What was said, in whatever encoding.
    pub text: Option<Vec<u8>>,
    /// An object of another kind; it stands alone.
    pub object: Option<Object>,
    /// What the header said.
    pub meta: Meta,
}

impl Utterance {
    /// Frames: rows of the features, or of the labels where there are none, or those of an object.
    pub fn frames(&self) -> u64 {
        let matrix = self.features.as_ref().or(self.labels.as_ref());
        let object = || self.object.as_ref().map_or(0, Object::frames);
        matrix.map_or_else(object, |m| m.rows() as u64)
    }

    /// Takes away all but key and meta.
    pub fn clear_data(&mut self) {
        (self.features, self.labels) = (None, None);
        self.clear_others();
    }

    /// Takes away what is neither features nor labels.
    pub fn clear_others(&mut self) {
        (self.audio, self.object) = (None, None);
        (self.segments, self.text) = (None, None);
    }

    /// What is there beside features and labels, by name.
    pub fn others(&self) -> impl Iterator<Item = &'static str> {
        let there = [
            self.object.as_ref().map(Object::kind),
            self.audio.as_ref().map(|_| "audio"),
            self.segments.as_ref().map(|_| "segments"),
            self.text.as_ref().map(|_| "text"),
        ];
        there.into_iter().flatten()
    }

    /// The first of the [others](Self::others).
    pub fn other(&self) -> Option<&'static str> {
        self.others().next()
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
