//! Compressed audio: the common parts of FLAC, MP3 and Ogg Vorbis.

#[cfg(any(feature = "flac", feature = "vorbis"))]
pub(crate) mod comments;
mod format;
#[cfg(any(feature = "mp3", feature = "vorbis"))]
pub(crate) mod library;
mod nested;

use spr_core::Result;
use spr_core::bytes::{Env, ObjectBounds, Source};
use spr_core::format::{AudioCaps, Caps, Count, Empty, FormatInfo, Keys, Tags};
use spr_core::model::{AudioFacts, Dtype, Tag, Waveform};

pub use format::CodedFormat;
pub(crate) use nested::NestedCoded;

/// The properties of one format.
pub(crate) struct CodedKind {
    pub(crate) info: FormatInfo,
    /// Returns `true` if these are the first bytes of such a file.
    pub(crate) starts: fn(&[u8]) -> bool,
    /// Reads everything before the samples.
    pub(crate) open: fn(&mut Source, &Env) -> Result<Box<dyn CodedFile>>,
    /// The sound that a file holds; no types of samples if files are only kept.
    pub(crate) audio: AudioCaps,
    /// Returns an encoder that works on up to this number of threads.
    pub(crate) encoder: fn(usize) -> Encode,
    /// The format for files inside containers.
    pub(crate) nested: NestedCoded,
}

/// Makes the bytes of a file of what [`CodedKind::audio`] allows. Where that is no samples, it is
/// never called.
pub(crate) type Encode = Box<dyn FnMut(&Waveform, &[Tag]) -> Result<Vec<u8>> + Send>;

/// A file whose header has been read.
pub(crate) trait CodedFile: Send {
    /// Returns the facts in the header.
    fn facts(&self) -> AudioFacts;

    /// Returns the bits of a sample, if the file states them.
    fn bits(&self) -> Option<u32> {
        None
    }

    /// Returns the number of samples per channel, if it is known without decoding.
    ///
    /// # Errors
    /// The file is truncated or damaged.
    fn count(&mut self, source: &mut Source, env: &Env) -> Result<Option<u64>>;

    /// Returns the tags in the header.
    fn tags(&mut self) -> Vec<Tag>;

    /// Appends the decoded samples to `sound`, which is empty. Stops at the end of the file, or at
    /// the end of the stream if other data may follow. Samples before an error are kept.
    ///
    /// # Errors
    /// The file is truncated or damaged, or exceeds the memory limit.
    fn decode(
        &mut self,
        source: &mut Source,
        extent: ObjectBounds,
        sound: &mut Waveform,
        env: &Env,
    ) -> Result<()>;
}

/// Sound of which files of `own` formats are kept untouched, and samples of `dtypes` encoded.
pub(crate) const fn sound(dtypes: &'static [Dtype], own: &'static [&'static str]) -> AudioCaps {
    let mut audio = AudioCaps::samples(dtypes);
    audio.encoded = own;
    audio
}

impl CodedKind {
    /// Returns the capabilities of a file whose name is stored as `keys` says.
    pub(crate) const fn caps(&self, keys: Keys) -> Caps {
        let mut caps = Caps::new(Count::One, keys);
        caps.audio = self.audio;
        caps.empty = Empty::Kept;
        if !self.audio.dtypes.is_empty() {
            caps.tags = Tags::Of(self.info.name);
        }
        caps
    }
}
