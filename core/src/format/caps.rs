//! The capabilities of outputs as data, for the adapter, the writers, the help texts and the tests.

use super::{ArrayCaps, AudioCaps, FeatureCaps, FieldSet, LabelCaps, Rule, SegmentCaps};
use crate::bytes::Medium;
use crate::model::{AboutField, Decimal, Key, SourceField, Tag, Utterance};

/// The number of utterances in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// One; several require a folder.
    One,
    /// Any number.
    Many,
}

/// The storage of keys.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// None: the loss `keys`.
    None,
    /// A side file.
    SideFile,
    /// In the data: words without white space, as Kaldi requires.
    Words,
    /// As the names of files in a folder.
    FileNames,
    /// As the name of the one file, which it has whatever the utterance was called.
    FileName,
    /// In the data, any bytes.
    Any,
}

impl Keys {
    /// Returns the storage of keys in formats with one file per utterance: by file names, if there
    /// are any.
    pub fn of_files(medium: Medium) -> Self {
        match medium {
            Medium::Folder => Self::FileNames,
            Medium::File => Self::FileName,
            Medium::Stream => Self::None,
        }
    }
}

/// The treatment of utterances without frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Empty {
    /// They cannot be stored.
    Refused,
    /// They are stored without their number of columns.
    Shapeless,
    /// They are stored unchanged.
    Kept,
}

/// The tags that are stored.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tags {
    /// None.
    None,
    /// Tags of this format.
    Of(&'static str),
    /// Tags of this format with one of these names.
    Named(&'static str, &'static [&'static [u8]]),
    /// All.
    Any,
    /// All. Where text is UTF-8, those of this format may have any value.
    TextAndOwn(&'static str),
}

impl Tags {
    /// Returns `true` if a tag is stored.
    pub fn hold(self, tag: &Tag) -> bool {
        match self {
            Self::None => false,
            Self::Of(own) => own == tag.format,
            Self::Named(own, names) => own == tag.format && names.contains(&&*tag.key),
            Self::Any | Self::TextAndOwn(_) => true,
        }
    }
}

/// The form of utterances that are segments of recordings.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recordings {
    /// Separate utterances, with their own times.
    #[default]
    Apart,
    /// Recordings, with times of the recording.
    Joined,
    /// Segments of recordings, which all utterances must be.
    Stretches,
}

/// The objects that are stored.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// None.
    None,
    /// Objects of these [kinds](crate::model::Object::kind).
    Kinds(&'static [&'static str]),
    /// All.
    All,
}

impl Objects {
    /// Returns `true` if objects of this kind are stored.
    pub fn hold(self, kind: &str) -> bool {
        match self {
            Self::None => false,
            Self::Kinds(kinds) => kinds.contains(&kind),
            Self::All => true,
        }
    }
}

/// The form in which a long utterance may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChunkSupport {
    /// As a whole.
    #[default]
    No,
    /// In [chunks](crate::model::Chunk) that include the total number of rows.
    Counted,
    /// In any chunks.
    Any,
}

/// The capabilities of an output. Everything declared here round-trips. Other data are rejected by
/// the [check](Self::check) that every writer makes, and narrowed or dropped, if permitted, by the
/// [adapter](crate::adapt).
///
/// ```
/// use spr_core::format::{Caps, Count, FeatureCaps, Keys};
/// use spr_core::model::{Dtype, Matrix, Rank, Utterance};
///
/// let mut caps = Caps::new(Count::Many, Keys::Words);
/// caps.features = Some(FeatureCaps::new(&[Dtype::F32]));
/// let mut utt = Utterance { key: "ann-1".into(), ..Utterance::default() };
/// utt.features = Some(Matrix::from_rows(&[1.0f32], 1, Rank::Matrix)?);
/// caps.check(&utt)?;
/// // 64-bit floats are not held, so that a writer must not be handed any.
/// utt.features = Some(Matrix::from_rows(&[1.0f64], 1, Rank::Matrix)?);
/// assert!(caps.check(&utt).is_err());
/// # Ok::<(), spr_core::Error>(())
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// The number of utterances.
    pub count: Count,
    /// The storage of their keys.
    pub keys: Keys,
    /// The rule that names must fit beyond what [`keys`](Self::keys) says.
    pub key_rule: Rule<Key>,
    /// Whether names, text, tags and labels of segments must be UTF-8.
    pub utf8: bool,
    /// The kept facts that a data set states about itself.
    pub about: &'static [AboutField],
    /// Whether utterances are stored separately, not joined.
    pub boundaries: bool,
    /// Features, if any.
    pub features: Option<FeatureCaps>,
    /// Frame labels, if any.
    pub labels: Option<LabelCaps>,
    /// Objects.
    pub objects: Objects,
    /// Audio.
    pub audio: AudioCaps,
    /// Segments, if any.
    pub segments: Option<SegmentCaps>,
    /// Whether text is stored.
    pub text: bool,
    /// The rule that it must fit.
    pub text_rule: Rule<[u8]>,
    /// Named arrays, if any.
    pub arrays: Option<ArrayCaps>,
    /// The treatment of utterances without frames.
    pub empty: Empty,
    /// Whether the frame shift is stored.
    pub frame_shift: bool,
    /// Whether it is stored only of utterances with features or labels.
    pub framed_shift: bool,
    /// The rule that it must fit. None is stored that is not above 0.
    pub shift_rule: Rule<Decimal>,
    /// Whether the frame offset is stored.
    pub frame_offset: bool,
    /// The stored information about speaker, language and recording.
    pub source: &'static [SourceField],
    /// The form of segments of recordings.
    pub recordings: Recordings,
    /// The tags that are stored.
    pub tags: Tags,
    /// The largest number of frames in one utterance.
    pub max_rows: u64,
    /// Whether features or labels may have no columns.
    pub columnless: bool,
    /// Whether values are rounded more than their type implies, as requested. The loss is in
    /// [`WriteSummary::rounded`](super::WriteSummary::rounded).
    pub rounded: bool,
    /// The form in which a long utterance may be written.
    pub chunked: ChunkSupport,
}

impl Caps {
    /// Creates capabilities for `count` utterances with keys stored as `keys`, stored separately,
    /// and without any fields yet.
    pub const fn new(count: Count, keys: Keys) -> Self {
        Self {
            count,
            keys,
            key_rule: Rule::ANY,
            utf8: false,
            about: &[],
            boundaries: true,
            features: None,
            labels: None,
            objects: Objects::None,
            audio: AudioCaps::NONE,
            segments: None,
            text: false,
            text_rule: Rule::ANY,
            arrays: None,
            empty: Empty::Refused,
            frame_shift: false,
            framed_shift: false,
            shift_rule: Rule::ANY,
            frame_offset: false,
            source: &[],
            recordings: Recordings::Apart,
            tags: Tags::None,
            max_rows: u64::MAX,
            columnless: false,
            rounded: false,
            chunked: ChunkSupport::No,
        }
    }

    /// Returns `true` if the frame shift of an utterance is stored.
    pub(crate) fn hold_shift(&self, utt: &Utterance) -> bool {
        let is_framed = utt.features.is_some() || utt.labels.is_some();
        self.frame_shift && (is_framed || !self.framed_shift)
    }

    /// Returns the fields of which it supports anything.
    pub(crate) fn parts(&self) -> FieldSet {
        FieldSet {
            features: self.features.is_some(),
            labels: self.labels.is_some(),
            audio: self.audio.hold_any(),
            segments: self.segments.is_some(),
            text: self.text,
            objects: self.objects != Objects::None,
            arrays: self.arrays.is_some(),
        }
    }

    /// Returns the fields to read from a data set with several forms of its utterances: audio that
    /// would have to be loaded is omitted if features are supported, unless it is wanted beside them.
    /// Segments of recordings are references to audio.
    pub fn forms(&self) -> FieldSet {
        let mut forms = self.parts();
        forms.audio &= self.audio.references || self.audio.beside_features || !forms.features;
        forms.audio |= self.recordings == Recordings::Stretches;
        forms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Dtype;

    #[test]
    fn sound_that_must_be_loaded_is_left_out_beside_features() {
        let of = |change: fn(&mut Caps)| {
            let mut caps = Caps::new(Count::Many, Keys::Words);
            caps.audio = AudioCaps::samples(&[Dtype::I16]);
            caps.features = Some(FeatureCaps::new(&[Dtype::F32]));
            change(&mut caps);
            caps.forms()
        };
        assert!(!of(|_| {}).audio && of(|_| {}).features);
        for change in [
            (|caps| caps.features = None) as fn(&mut Caps),
            |caps| caps.audio.references = true,
            |caps| caps.audio.beside_features = true,
            |caps| caps.recordings = Recordings::Stretches,
        ] {
            assert!(of(change).audio);
        }
        let bare = Caps::new(Count::One, Keys::None);
        assert_eq!(bare.forms(), FieldSet::NONE);
        let mut full = bare;
        (full.labels, full.segments) = (Some(LabelCaps::new(&[])), Some(SegmentCaps::PLAIN));
        (full.text, full.objects) = (true, Objects::All);
        full.arrays = Some(ArrayCaps::new(&[]));
        let objects = FieldSet {
            objects: true,
            arrays: true,
            ..FieldSet::NONE
        };
        assert_eq!(full.forms(), FieldSet::LABELS.or(objects));
    }

    #[test]
    fn files_have_the_keys_of_their_medium() {
        let keys = [Medium::Folder, Medium::File, Medium::Stream].map(Keys::of_files);
        assert_eq!(keys, [Keys::FileNames, Keys::FileName, Keys::None]);
    }
}
