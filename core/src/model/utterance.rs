//! The unit that readers fill, stages change and writers store.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Audio, Chunk, Decimal, Dtype, FrameGrid, Key, Level, Matrix, Meta, NamedArray, Object, Origin,
    Rank, Segment, Sequences, Tag, Tier, Waveform,
};

/// An utterance. The caller owns it and passes it to a reader repeatedly.
///
/// Two are equal if their content is, whatever their origin.
///
/// ```
/// use spr_core::model::{Matrix, Rank, Utterance};
///
/// // Three frames of two columns, and a label for each.
/// let utt = Utterance {
///     key: "ann-1".into(),
///     features: Some(Matrix::from_rows(&[0.5f32, 1.0, 0.25, 2.0, 0.0, 4.0], 2, Rank::Matrix)?),
///     labels: Some(Matrix::from_rows(&[7i32, 7, 9], 1, Rank::Matrix)?),
///     ..Utterance::default()
/// };
/// assert_eq!((utt.frames(), utt.segments()), (3, None));
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Utterance {
    /// Its key.
    pub key: Key,
    /// Features: rows are frames.
    pub features: Option<Matrix>,
    /// Labels: one row per frame, one column per label; usually integers.
    pub labels: Option<Matrix>,
    /// Audio.
    pub audio: Option<Audio>,
    /// Segments in tiers; empty if unknown.
    pub tiers: Vec<Tier>,
    /// The text, in any encoding.
    pub text: Option<Vec<u8>>,
    /// An object of another kind, without other fields.
    pub object: Option<Object>,
    /// Named arrays of any rank.
    pub arrays: Vec<NamedArray>,
    /// The utterances in a [batch](crate::stage::Batch) of whole ones.
    pub sequences: Option<Box<Sequences>>,
    /// The information in the header.
    pub meta: Meta,
    /// Its origin.
    #[serde(skip)]
    pub origin: Origin,
    /// The index of its partition, if data are divided into partitions.
    #[serde(skip)]
    pub part: Option<u64>,
    /// The position of its rows, if it is a chunk of an utterance.
    pub chunk: Option<Chunk>,
    /// The level of audio that is not samples, once it was measured.
    #[serde(default)]
    pub level: Option<Box<Level>>,
    /// Allocations that [`start`](Self::start) put by. They are no part of what it holds.
    #[serde(skip)]
    pub spare: Spare,
}

/// The matrices of utterances before, whose allocations the next may take.
///
/// A copy has none, and all are equal, as nothing in them is data.
#[derive(Default)]
pub struct Spare {
    features: Option<Matrix>,
    labels: Option<Matrix>,
}

impl Spare {
    /// Takes an allocation, emptied.
    fn take(slot: &mut Option<Matrix>) -> Matrix {
        let mut matrix = slot.take().unwrap_or_default();
        matrix.start(Dtype::default(), Rank::default(), 0);
        matrix
    }
}

impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Spare {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Spare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spare")
    }
}

impl Utterance {
    /// Returns the number of frames: rows of the features, otherwise of the labels, otherwise
    /// frames of an object.
    pub fn frames(&self) -> u64 {
        let matrix = self.features.as_ref().or(self.labels.as_ref());
        let object = || self.object.as_ref().map_or(0, Object::frames);
        matrix.map_or_else(object, |m| m.rows() as u64)
    }

    /// Returns how long it lasts, in seconds, as far as that is known without opening anything. `shift` is
    /// the frame shift of its data set, for an utterance without one. The first of these counts that is
    /// known:
    ///
    /// 1. the duration of its audio: samples ÷ rate, the span of its recording, or what is declared;
    /// 2. its frames × the frame shift;
    /// 3. the time from its start to its end in its recording;
    /// 4. the end of its last segment.
    ///
    /// This is the one measure of an utterance: nothing else computes it.
    pub fn duration(&self, shift: Option<Decimal>) -> Option<Decimal> {
        let sound = self.audio.as_ref().and_then(|audio| audio.facts().time());
        let frames = || {
            let held = self.features.is_some() || self.labels.is_some() || self.frames() > 0;
            let shift = self.meta.frame_shift.or(shift).filter(|_| held)?;
            FrameGrid::duration(shift, self.whole_frames())
        };
        let span = || self.meta.end?.minus(self.meta.start?);
        let segments = || {
            let all = self.tiers.iter().flat_map(|tier| &tier.segments);
            all.filter_map(|segment| segment.end).max()
        };
        sound.or_else(frames).or_else(span).or_else(segments)
    }

    /// Returns `true` if it includes the first rows.
    pub fn starts(&self) -> bool {
        self.chunk.is_none_or(|chunk| chunk.first == 0)
    }

    /// Returns `true` if it includes the last rows.
    pub fn ends(&self) -> bool {
        self.chunk.is_none_or(|chunk| chunk.is_last)
    }

    /// Returns the number of frames of the whole utterance, as far as known: at least those up to
    /// here.
    pub fn whole_frames(&self) -> u64 {
        let Some(chunk) = self.chunk else {
            return self.frames();
        };
        let so_far = chunk.first.saturating_add(self.frames());
        chunk.rows.unwrap_or(so_far)
    }

    /// Clears everything but the key. The allocations of features and labels are put by for
    /// [`features_mut`](Self::features_mut) and [`labels_mut`](Self::labels_mut).
    pub fn start(&mut self) {
        self.clear_data();
        self.meta.clear();
        self.origin.clear();
        (self.part, self.chunk) = (None, None);
    }

    /// Clears everything but key, meta and origin, and puts the allocations by, as
    /// [`start`](Self::start) does.
    pub fn clear_data(&mut self) {
        let Spare { features, labels } = &mut self.spare;
        for (filled, spare) in [(&mut self.features, features), (&mut self.labels, labels)] {
            if filled.is_some() {
                *spare = filled.take();
            }
        }
        self.clear_others();
    }

    /// Clears everything except features and labels, and what is known of their frames.
    pub fn clear_others(&mut self) {
        (self.audio, self.object, self.text) = (None, None, None);
        self.level = None;
        self.sequences = None;
        self.tiers.clear();
        self.arrays.clear();
    }

    /// Returns the text, or the words of an object.
    pub fn said(&self) -> Option<Cow<'_, [u8]>> {
        let words = match &self.object {
            Some(Object::Tokens(words)) => Some(words.iter().collect::<Vec<_>>().join(&b' ')),
            _ => None,
        };
        let text = self.text.as_deref().map(Cow::Borrowed);
        text.or(words.map(Cow::Owned))
    }

    /// Returns the names of fields other than features and labels; words count as text in either
    /// form.
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

    /// Returns the first of the [others](Self::others).
    pub fn other(&self) -> Option<&str> {
        self.others().next()
    }

    /// The features to fill. Where there are none, an empty matrix in the allocation of the utterance
    /// before.
    pub fn features_mut(&mut self) -> &mut Matrix {
        let spare = &mut self.spare.features;
        self.features.get_or_insert_with(|| Spare::take(spare))
    }

    /// The labels to fill. Where there are none, an empty matrix in the allocation of the utterance
    /// before.
    pub fn labels_mut(&mut self) -> &mut Matrix {
        let spare = &mut self.spare.labels;
        self.labels.get_or_insert_with(|| Spare::take(spare))
    }

    /// Takes an empty matrix with the allocation of the features before, to fill apart.
    pub fn spare_features(&mut self) -> Matrix {
        Spare::take(&mut self.spare.features)
    }

    /// Takes an empty matrix with the allocation of the labels before, to fill apart.
    pub fn spare_labels(&mut self) -> Matrix {
        Spare::take(&mut self.spare.labels)
    }

    /// Returns the samples, if there is audio and it is loaded.
    pub fn waveform(&self) -> Option<&Waveform> {
        self.audio.as_ref()?.waveform()
    }

    /// Takes the samples out, so that others can be read into their allocation; empty ones if there are
    /// none.
    pub fn take_waveform(&mut self) -> Waveform {
        let audio = self.audio.take();
        audio.map(Audio::into_waveform).unwrap_or_default()
    }

    /// Returns the segments, if there is a single tier.
    pub fn segments(&self) -> Option<&[Segment]> {
        match self.tiers.as_slice() {
            [only] => Some(&only.segments),
            _ => None,
        }
    }

    /// Returns its approximate size in memory, in bytes.
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
