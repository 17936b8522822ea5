//! What an output can hold, as data: for the adapter, the writers, the help texts and the tests.

use super::Parts;
use crate::model::{Dtype, SourceField, Tag};

/// The sort of place an output goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A file, which can have others beside it.
    File,
    /// A folder with one file an utterance.
    Folder,
    /// Standard output, a command, or a stream of the caller's own.
    Stream,
}

/// How many utterances an output takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// One; several need a folder.
    One,
    /// Any number.
    Many,
}

/// How utterances keep their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Not at all: the loss `keys`.
    None,
    /// In a file beside the data.
    SideFile,
    /// In the data: words without white space, as Kaldi wants them.
    Words,
    /// As file names.
    FileNames,
    /// In the data, any bytes.
    Any,
}

impl Keys {
    /// How one file an utterance keeps names: by those of the files, where there are any.
    pub fn of_files(medium: Medium) -> Self {
        match medium {
            Medium::Folder | Medium::File => Self::FileNames,
            Medium::Stream => Self::None,
        }
    }
}

/// What becomes of an utterance without frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Empty {
    /// It can't be stored.
    Refused,
    /// It is stored, but its number of columns is not.
    Shapeless,
    /// It is stored as it is.
    Kept,
}

/// Which header lines are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tags {
    /// None.
    None,
    /// Those of this format.
    Of(&'static str),
    /// Those of this format that have one of these names.
    Named(&'static str, &'static [&'static [u8]]),
    /// All.
    Any,
}

impl Tags {
    /// Whether a header line is kept.
    pub fn hold(self, tag: &Tag) -> bool {
        match self {
            Self::None => false,
            Self::Of(own) => own == tag.format,
            Self::Named(own, names) => own == tag.format && names.contains(&&*tag.key),
            Self::Any => true,
        }
    }
}

/// Limits on features.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct FeatureCaps {
    /// Element types, the preferred one first.
    pub dtypes: &'static [Dtype],
    /// Whether a vector stays a vector.
    pub vectors: bool,
    /// Whether a single number stays one.
    pub scalars: bool,
    /// Whether all utterances must have the same number of columns.
    pub same_dim: bool,
    /// Whether all utterances must have the same element type.
    pub same_dtype: bool,
    /// The most columns.
    pub max_cols: u64,
}

impl FeatureCaps {
    /// Matrices of these types and of any shape.
    pub const fn new(dtypes: &'static [Dtype]) -> Self {
        Self {
            dtypes,
            vectors: false,
            scalars: false,
            same_dim: false,
            same_dtype: false,
            max_cols: u64::MAX,
        }
    }
}

/// Limits on frame labels.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct LabelCaps {
    /// Element types, the preferred one first.
    pub dtypes: &'static [Dtype],
    /// The most label columns.
    pub max_columns: u64,
    /// Whether labels can stand beside features.
    pub with_features: bool,
    /// Whether labels can stand without features.
    pub alone: bool,
    /// Whether all utterances must have the same number of label columns.
    pub same_columns: bool,
}

impl LabelCaps {
    /// Labels of these types, any number a frame, beside features and alone.
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

/// Limits on sound.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default)]
pub struct AudioCaps {
    /// Element types of samples, the preferred one first; none if samples are not kept.
    pub dtypes: &'static [Dtype],
    /// Formats whose files are kept untouched.
    pub encoded: &'static [&'static str],
    /// Whether it is enough to know where the sound is.
    pub references: bool,
}

impl AudioCaps {
    /// No sound.
    pub const NONE: Self = Self::samples(&[]);

    /// Samples of these types.
    pub const fn samples(dtypes: &'static [Dtype]) -> Self {
        Self {
            dtypes,
            encoded: &[],
            references: false,
        }
    }

    /// Whether sound is held in any form.
    pub fn hold_any(&self) -> bool {
        !self.dtypes.is_empty() || !self.encoded.is_empty() || self.references
    }
}

/// Limits on segments.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default)]
pub struct SegmentCaps {
    /// Whether several tiers, and their names, are kept.
    pub tiers: bool,
    /// Whether scores are kept.
    pub scores: bool,
    /// Whether speakers are kept.
    pub speakers: bool,
    /// Whether each segment must have a speaker; that of one without is its label.
    pub spoken: bool,
    /// Whether the text of what was said can stand beside them.
    pub beside_text: bool,
    /// Ticks of a second of which times are whole numbers, if they must be.
    pub ticks: Option<u32>,
}

impl SegmentCaps {
    /// One tier of segments that are labels and times.
    pub const PLAIN: Self = Self {
        tiers: false,
        scores: false,
        speakers: false,
        spoken: false,
        beside_text: true,
        ticks: None,
    };

    /// Everything that segments can be.
    pub const ALL: Self = Self {
        tiers: true,
        scores: true,
        speakers: true,
        ..Self::PLAIN
    };
}

/// How utterances that are stretches of recordings are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recordings {
    /// As utterances, in their own time.
    #[default]
    Apart,
    /// By the names of their recordings, and in the time of those.
    Joined,
    /// As stretches of recordings, which all utterances must be.
    Stretches,
}

/// Limits on named arrays.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct ArrayCaps {
    /// Element types, the preferred one first.
    pub dtypes: &'static [Dtype],
    /// The most dimensions.
    pub max_rank: usize,
}

impl ArrayCaps {
    /// Arrays of these types and of any shape.
    pub const fn new(dtypes: &'static [Dtype]) -> Self {
        Self {
            dtypes,
            max_rank: crate::model::Array::MOST,
        }
    }
}

/// Which objects are kept that are neither features nor labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// None.
    None,
    /// Those of these [kinds](crate::model::Object::kind).
    Kinds(&'static [&'static str]),
    /// All.
    All,
}

impl Objects {
    /// Whether objects of this kind are kept.
    pub fn hold(self, kind: &str) -> bool {
        match self {
            Self::None => false,
            Self::Kinds(kinds) => kinds.contains(&kind),
            Self::All => true,
        }
    }
}

/// How an output takes a long utterance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Portioned {
    /// As a whole.
    #[default]
    No,
    /// In [portions](crate::model::Portion) that say how many rows there are in all.
    Counted,
    /// In any portions.
    Any,
}

/// What an output can hold. What is declared here round-trips; the rest is refused by the
/// [check](Self::check) that every writer makes, and narrowed or dropped, if allowed, by the
/// [adapter](crate::adapt).
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// How many utterances.
    pub count: Count,
    /// How they keep their names.
    pub keys: Keys,
    /// Whether utterances stay apart; otherwise they run into one.
    pub boundaries: bool,
    /// Features, if any.
    pub features: Option<FeatureCaps>,
    /// Frame labels, if any.
    pub labels: Option<LabelCaps>,
    /// Objects of other kinds.
    pub objects: Objects,
    /// Sound.
    pub audio: AudioCaps,
    /// Segments, if any.
    pub segments: Option<SegmentCaps>,
    /// Whether the text of what was said is kept.
    pub text: bool,
    /// Named arrays, if any.
    pub arrays: Option<ArrayCaps>,
    /// What becomes of an utterance without frames.
    pub empty: Empty,
    /// Whether the frame shift is kept.
    pub frame_shift: bool,
    /// Whether the frame offset is kept.
    pub frame_offset: bool,
    /// What is kept of who speaks, in which language, and where in which recording.
    pub source: &'static [SourceField],
    /// How stretches of recordings are told.
    pub recordings: Recordings,
    /// Which header lines are kept.
    pub tags: Tags,
    /// The most frames in one utterance.
    pub max_rows: u64,
    /// Whether frames may have no columns, of features or of labels.
    pub columnless: bool,
    /// Whether values are rounded further than their type says, as was asked for: what comes of it
    /// is in [`Written::rounded`](super::Written::rounded).
    pub rounded: bool,
    /// Whether a long utterance may come in portions.
    pub portioned: Portioned,
}

impl Caps {
    /// Room for `count` utterances that keep their names by `keys`, and stay apart, and for nothing
    /// in them yet: the fields say what else there is room for.
    pub const fn new(count: Count, keys: Keys) -> Self {
        Self {
            count,
            keys,
            boundaries: true,
            features: None,
            labels: None,
            objects: Objects::None,
            audio: AudioCaps::NONE,
            segments: None,
            text: false,
            arrays: None,
            empty: Empty::Refused,
            frame_shift: false,
            frame_offset: false,
            source: &[],
            recordings: Recordings::Apart,
            tags: Tags::None,
            max_rows: u64::MAX,
            columnless: false,
            rounded: false,
            portioned: Portioned::No,
        }
    }

    /// The parts of an utterance of which it holds anything.
    pub fn parts(&self) -> Parts {
        Parts {
            features: self.features.is_some(),
            labels: self.labels.is_some(),
            audio: self.audio.hold_any(),
            segments: self.segments.is_some(),
            text: self.text,
            objects: self.objects != Objects::None,
            arrays: self.arrays.is_some(),
        }
    }

    /// The parts in which it is given a data set that has its utterances in several forms: sound
    /// that would have to be loaded is left where features are held.
    pub fn forms(&self) -> Parts {
        let mut forms = self.parts();
        forms.audio &= self.audio.references || !forms.features;
        forms
    }
}
