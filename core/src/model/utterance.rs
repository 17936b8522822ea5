//! The unit that readers fill, stages change and writers take.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    Audio, Key, Matrix, Meta, NamedArray, Object, Origin, Portion, Segment, Sequences, Tag, Tier,
    Waveform,
};

/// One utterance. The caller owns it and lends it to a reader again and again.
///
/// Two are equal if they hold the same, wherever they came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Utterance {
    /// Its name.
    pub key: Key,
    /// Features: rows are frames.
    pub features: Option<Matrix>,
    /// Labels: one row a frame, one column a label; integers as a rule.
    pub labels: Option<Matrix>,
    /// Sound.
    pub audio: Option<Audio>,
    /// Labelled stretches of time, in tiers; none if nothing is known of any.
    pub tiers: Vec<Tier>,
    /// What was said, in whatever encoding.
    pub text: Option<Vec<u8>>,
    /// An object of another kind; it stands alone.
    pub object: Option<Object>,
    /// Arrays of any rank, each with a name.
    pub arrays: Vec<NamedArray>,
    /// The utterances whose frames these are, in a [batch](crate::stage::Batch) of whole ones.
    pub sequences: Option<Box<Sequences>>,
    /// What the header said.
    pub meta: Meta,
    /// Where it was read.
    #[serde(skip)]
    pub origin: Origin,
    /// The partition it belongs to, counted from 0, where data are cut into partitions.
    #[serde(skip)]
    pub part: Option<u64>,
    /// Which of its rows are here, where it comes in portions; else all are.
    pub portion: Option<Portion>,
}

impl Utterance {
    /// Frames: rows of the features, or of the labels where there are none, or those of an object.
    pub fn frames(&self) -> u64 {
        let matrix = self.features.as_ref().or(self.labels.as_ref());
        let object = || self.object.as_ref().map_or(0, Object::frames);
        matrix.map_or_else(object, |m| m.rows() as u64)
    }

    /// Whether its first rows are here.
    pub fn starts(&self) -> bool {
        self.portion.is_none_or(|portion| portion.first == 0)
    }

    /// Whether its last rows are here.
    pub fn ends(&self) -> bool {
        self.portion.is_none_or(|portion| portion.is_last)
    }

    /// Frames of the whole utterance, as far as they are known: no fewer than up to here.
    pub fn whole_frames(&self) -> u64 {
        let Some(portion) = self.portion else {
            return self.frames();
        };
        let so_far = portion.first.saturating_add(self.frames());
        portion.rows.unwrap_or(so_far)
    }

    /// Takes away all but the key, and keeps the allocations of features and labels. A reader that
    /// fills neither clears them with [`clear_data`](Self::clear_data).
    pub fn start(&mut self) {
        self.clear_others();
        self.meta.clear();
        self.origin.clear();
        (self.part, self.portion) = (None, None);
    }

    /// Takes away all but key, meta and origin.
    pub fn clear_data(&mut self) {
        (self.features, self.labels) = (None, None);
        self.clear_others();
    }

    /// Takes away what is neither features nor labels, and what was known of their frames.
    pub fn clear_others(&mut self) {
        (self.audio, self.object, self.text) = (None, None, None);
        self.sequences = None;
        self.tiers.clear();
        self.arrays.clear();
    }

    /// What was said: the text, or the words of an object.
    pub fn said(&self) -> Option<Cow<'_, [u8]>> {
        let words = match &self.object {
            Some(Object::Tokens(words)) => Some(words.iter().collect::<Vec<_>>().join(&b' ')),
            _ => None,
        };
        let text = self.text.as_deref().map(Cow::Borrowed);
        text.or(words.map(Cow::Owned))
    }

    /// What is there beside features and labels, by name; words are text, whichever way they are kept.
    pub fn others(&self) -> impl Iterator<Item = &str> {
        let object = self.object.as_ref().map(|object| match object {
            Object::Tokens(_) => "text",
            _ => object.kind(),
        });
        let there = [
            object,
            self.audio.as_ref().map(|_| "audio"),
            (!self.tiers.is_empty()).then_some("segments"),
            self.text.as_ref().map(|_| "text"),
            (!self.arrays.is_empty()).then_some("arrays"),
        ];
        there.into_iter().flatten()
    }

    /// The first of the [others](Self::others).
    pub fn other(&self) -> Option<&str> {
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

    /// The samples, if there is sound and they are here.
    pub fn waveform(&self) -> Option<&Waveform> {
        self.audio.as_ref()?.waveform()
    }

    /// The segments, if there is one tier of them.
    pub fn segments(&self) -> Option<&[Segment]> {
        match self.tiers.as_slice() {
            [only] => Some(&only.segments),
            _ => None,
        }
    }

    /// Bytes that it takes in memory, about.
    pub fn bytes(&self) -> u64 {
        let audio = match &self.audio {
            Some(Audio::Samples(sound)) => sound.samples.as_bytes().len(),
            Some(Audio::Encoded(encoded)) => encoded.bytes.len(),
            Some(Audio::Reference(_)) | None => 0,
        };
        let arrays = self.arrays.iter().map(|array| array.array.values());
        let matrices = self.features.iter().chain(&self.labels).chain(arrays);
        let numbers: usize = matrices.map(|matrix| matrix.as_bytes().len()).sum();
        let segments = self.tiers.iter().flat_map(|tier| &tier.segments);
        let labels: usize = segments
            .map(|segment| size_of::<Segment>() + segment.label.len())
            .sum();
        let text = self.text.as_ref().map_or(0, Vec::len);
        let tags = self.meta.tags.iter();
        let tags: usize = tags
            .map(|tag| size_of::<Tag>() + tag.key.len() + tag.value.len())
            .sum();
        let object = self.object.as_ref().map_or(0, Object::bytes);
        (size_of::<Self>() + audio + numbers + labels + text + tags) as u64 + object
    }
}
