//! Sound that is compressed: what FLAC, MP3 and Ogg Vorbis have in common.

#[cfg(any(feature = "flac", feature = "vorbis"))]
pub(crate) mod comments;
mod format;
#[cfg(any(feature = "mp3", feature = "vorbis"))]
pub(crate) mod library;
mod nested;

use spr_core::Result;
use spr_core::bytes::{Env, Extent, Source};
use spr_core::format::{AudioCaps, Caps, Count, Empty, FormatInfo, Keys, Tags};
use spr_core::model::{AudioFacts, Dtype, Tag, Waveform};

pub use format::CodedFormat;
pub(crate) use nested::NestedCoded;

/// What tells one format from another.
pub(crate) struct CodedKind {
    pub(crate) info: FormatInfo,
    /// Whether a file starts as one of this format.
    pub(crate) starts: fn(&[u8]) -> bool,
    /// Reads all up to the samples.
    pub(crate) open: fn(&mut Source, &Env) -> Result<Box<dyn Coded>>,
    /// The element types that are encoded, the preferred one first; none if files are only kept.
    pub(crate) dtypes: &'static [Dtype],
    /// The format alone, as what is kept untouched.
    pub(crate) own: &'static [&'static str],
    /// Makes the bytes of a file of what `dtypes` allow; where they are none, it is never called.
    pub(crate) encode: fn(&Waveform, &[Tag]) -> Result<Vec<u8>>,
    /// Its files inside containers.
    pub(crate) nested: NestedCoded,
}

/// A file whose header was read.
pub(crate) trait Coded: Send {
    /// What the header says.
    fn facts(&self) -> AudioFacts;

    /// Counts the samples of a channel, where the header does not and it takes no decoding.
    ///
    /// # Errors
    /// The file is cut or damaged.
    fn count(&mut self, source: &mut Source, env: &Env) -> Result<Option<u64>>;

    /// What the header says beside that.
    fn tags(&mut self) -> Vec<Tag>;

    /// Decodes the samples to the end of `sound`, which has none yet, up to the end of the file, or
    /// to its own end where something else may follow. What is before a fault is there all the same.
    ///
    /// # Errors
    /// The file is cut or damaged, or takes more memory than is allowed.
    fn decode(
        &mut self,
        source: &mut Source,
        extent: Extent,
        sound: &mut Waveform,
        env: &Env,
    ) -> Result<()>;
}

impl CodedKind {
    /// What a file holds whose name is kept by `keys`.
    pub(crate) const fn caps(&self, keys: Keys) -> Caps {
        let mut caps = Caps::new(Count::One, keys);
        caps.audio = AudioCaps::samples(self.dtypes);
        caps.audio.encoded = self.own;
        caps.empty = Empty::Kept;
        if !self.dtypes.is_empty() {
            caps.tags = Tags::Of(self.info.name);
        }
        caps
    }
}
