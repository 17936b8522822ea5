//! Compressed audio: the common parts of FLAC, MP3 and Ogg Vorbis.

#[cfg(any(feature = "flac", feature = "vorbis"))]
pub(crate) mod comments;
mod format;
#[cfg(any(feature = "mp3", feature = "vorbis"))]
pub(crate) mod library;
mod nested;
mod stream;

use spr_core::Result;
use spr_core::bytes::{Env, ObjectBounds, Source};
use spr_core::format::{AudioCaps, Caps, Count, Empty, FormatInfo, Keys, Tags};
use spr_core::model::{Dtype, Matrix, Rank, RecordingFacts, Tag, Waveform};

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
    fn facts(&self) -> RecordingFacts;

    /// Returns the element type of the samples.
    fn dtype(&self) -> Dtype;

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

    /// Moves to sample `to` or one before it, and returns that; `None` if the samples are only decoded
    /// from the first to the last.
    ///
    /// # Errors
    /// Reading fails.
    fn seek(&mut self, source: &mut Source, to: u64) -> Result<Option<u64>> {
        let (_, _) = (source, to);
        Ok(None)
    }

    /// Decodes the next block, and appends its samples to `samples`, which have type and channels.
    /// Returns `false` at the end: of the file, or of the stream if other data may follow.
    ///
    /// # Errors
    /// The file is truncated or damaged, or exceeds the memory limit.
    fn decode(
        &mut self,
        source: &mut Source,
        extent: ObjectBounds,
        samples: &mut Matrix,
        env: &Env,
    ) -> Result<bool>;
}

impl dyn CodedFile {
    /// Sets type and channels of samples that are to be decoded.
    fn start(&self, samples: &mut Matrix) {
        let channels = self.facts().channels.unwrap_or_default();
        let channels = usize::try_from(channels).unwrap_or_default();
        samples.start(self.dtype(), Rank::Matrix, channels);
    }

    /// Decodes all samples into `sound`, which keeps those before an error.
    ///
    /// # Errors
    /// As for [`decode`](CodedFile::decode).
    fn decode_all(
        &mut self,
        source: &mut Source,
        extent: ObjectBounds,
        sound: &mut Waveform,
        env: &Env,
    ) -> Result<()> {
        sound.rate = self.facts().rate.unwrap_or_default();
        self.start(&mut sound.samples);
        while self.decode(source, extent, &mut sound.samples, env)? {}
        Ok(())
    }
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
