//! What an output can hold, as data: for the adapter, the help texts and the tests.

use crate::bytes::Output;
use crate::model::Dtype;

/// The sort of place an output goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file, which can have others beside it.
    File,
    /// A folder with one file an utterance.
    Folder,
    /// Standard output or a command.
    Stream,
}

impl Place {
    /// The sort of place that `output` is.
    pub fn of(output: &Output) -> Self {
        if output.is_folder() {
            Self::Folder
        } else if output.has_siblings() {
            Self::File
        } else {
            Self::Stream
        }
    }
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
    /// All.
    Any,
}

/// Limits on features.
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

/// Limits on frame labels.
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

/// What an output can hold. What is declared here round-trips; the rest is refused by the writer
/// and narrowed or dropped, if allowed, by the [adapter](crate::adapt).
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
    /// Element types of audio samples, the preferred one first; none if audio is not kept.
    pub audio: &'static [Dtype],
    /// Whether segments are kept.
    pub segments: bool,
    /// Whether the text of what was said is kept.
    pub text: bool,
    /// What becomes of an utterance without frames.
    pub empty: Empty,
    /// Whether the frame shift and the frame offset are kept.
    pub frame_times: bool,
    /// Which header lines are kept.
    pub tags: Tags,
    /// The most frames in one utterance.
    pub max_rows: u64,
}
