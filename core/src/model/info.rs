//! Information about a data set as a whole.

use super::{About, Decimal, Dtype};
use crate::number::ByteOrder;

/// The source of the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeySource {
    /// The file itself, or the names of the files.
    #[default]
    Stored,
    /// A side file.
    SideFile,
    /// Generated: `utt000000`, …
    Generated,
}

impl KeySource {
    /// Returns its name in a list of facts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::SideFile => "sidecar",
            Self::Generated => "generated",
        }
    }
}

/// Facts from headers and the first bytes, each `None` unless known. They do not change while the
/// stream is read. Facts about a single utterance are in its [origin](super::Origin).
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatasetInfo {
    /// The number of utterances, if a header counts them.
    pub utterances: Option<u64>,
    /// The number of frames, if a header counts them.
    pub frames: Option<u64>,
    /// The number of feature columns, if all utterances share it.
    pub dim: Option<u64>,
    /// The element type of the features, if all utterances share it.
    pub dtype: Option<Dtype>,
    /// The number of label columns, if all utterances share it.
    pub label_columns: Option<u64>,
    /// Byte order of the stored numbers; `None` for text.
    pub byte_order: Option<ByteOrder>,
    /// The compression of the whole file, such as `gzip`.
    pub compression: Option<String>,
    /// The frame shift in seconds.
    pub frame_shift: Option<Decimal>,
    /// The sampling rate in Hz, if all utterances are audio of one rate.
    pub sample_rate: Option<u32>,
    /// The bits of a stored sample, if the data are a file of audio that says so.
    pub sample_bits: Option<u32>,
    /// The source of the keys.
    pub keys: KeySource,
    /// What the data set says of itself.
    pub about: About,
    /// The detected kind of objects and the reason, if their bytes alone are ambiguous.
    pub decision: Option<String>,
    /// The reason why utterances are found only by reading those before them, if it is not seen where
    /// entries are weighed.
    pub sequential: Option<&'static str>,
    /// Whether another process is still producing the data, so that each utterance should be passed
    /// on before the next one is complete.
    pub live: bool,
}

impl DatasetInfo {
    /// Creates empty facts with a source of keys.
    pub fn new(keys: KeySource) -> Self {
        Self {
            keys,
            ..Self::default()
        }
    }

    /// Returns the facts that also hold for a subset: all but the totals.
    #[must_use]
    pub fn without_totals(&self) -> Self {
        Self {
            utterances: None,
            frames: None,
            ..self.clone()
        }
    }
}
