//! What a reader knows of its data set as a whole.

use super::{Decimal, Dtype};
use crate::order::ByteOrder;

/// Where the keys come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeySource {
    /// They are in the file, or are the names of the files.
    #[default]
    Stored,
    /// They are in a side file.
    SideFile,
    /// They were made up: `utt000000`, …
    Generated,
}

impl KeySource {
    /// Its name in a list of facts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::SideFile => "sidecar",
            Self::Generated => "generated",
        }
    }
}

/// Facts from headers and the first bytes, each `None` unless known. They hold from the opening on
/// and do not change while the stream is read; what is true of one utterance only stands in its
/// [origin](super::Origin).
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatasetInfo {
    /// Utterances, if a header counts them.
    pub utterances: Option<u64>,
    /// Frames, if a header counts them.
    pub frames: Option<u64>,
    /// Feature columns, if all utterances share them.
    pub dim: Option<u64>,
    /// Element type of the features, if all utterances share it.
    pub dtype: Option<Dtype>,
    /// Label columns, if all utterances share them.
    pub label_columns: Option<u64>,
    /// Byte order of the stored numbers; `None` for text.
    pub byte_order: Option<ByteOrder>,
    /// Coders of the file as a whole undone on reading, such as `gzip`.
    pub compression: Option<String>,
    /// Seconds from frame to frame.
    pub frame_shift: Option<Decimal>,
    /// Samples a second, if all utterances are audio of one rate.
    pub sample_rate: Option<u32>,
    /// Where the keys come from.
    pub keys: KeySource,
    /// What the objects were found to be and why, where their bytes alone did not tell.
    pub decision: Option<String>,
    /// Whether the data come as somebody makes them, who may want each utterance to be passed on
    /// before the next one is there.
    pub live: bool,
}

impl DatasetInfo {
    /// Facts of which nothing is known yet; the fields are then set.
    pub fn new(keys: KeySource) -> Self {
        Self {
            keys,
            ..Self::default()
        }
    }

    /// What holds for a part, too: all but the totals.
    #[must_use]
    pub fn without_totals(&self) -> Self {
        Self {
            utterances: None,
            frames: None,
            ..self.clone()
        }
    }
}
