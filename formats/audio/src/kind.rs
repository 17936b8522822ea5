//! What a format of sound files is made of.

use spr_core::Result;
use spr_core::bytes::{ByteOrder, Env, Nested, Source};
use spr_core::format::{
    AudioCaps, Caps, Count, Empty, FormatInfo, Keys, Options, Probe, Score, Tags,
};
use spr_core::model::{Dtype, Tag, Waveform};

use crate::reader::Head;

/// What tells one format from another.
pub(crate) struct AudioKind {
    pub(crate) info: FormatInfo,
    /// Whether a file starts as one of this format.
    pub(crate) starts: fn(&[u8]) -> bool,
    /// Reads the header.
    pub(crate) open: fn(&mut Source, &Options, &Env) -> Result<Head>,
    /// Its files inside containers.
    pub(crate) nested: Option<&'static dyn Nested>,
    /// The element types written, the preferred one first.
    pub(crate) dtypes: &'static [Dtype],
    /// The byte order written.
    pub(crate) order: ByteOrder,
    /// Whether a byte is added to an odd number of bytes.
    pub(crate) even: bool,
    /// What most readers of the format can't do with such samples.
    pub(crate) caveat: fn(Dtype) -> Option<&'static str>,
    /// Makes the header of samples that have one of the types, a rate and channels.
    pub(crate) header: fn(&Waveform, &[Tag], &mut Vec<u8>) -> Result<()>,
}

impl AudioKind {
    /// What a file holds whose name is kept by `keys`.
    pub(crate) const fn caps(&self, keys: Keys) -> Caps {
        let mut caps = Caps::new(Count::One, keys);
        caps.audio = AudioCaps::samples(self.dtypes);
        caps.empty = Empty::Kept;
        caps.tags = Tags::Of(self.info.name);
        caps
    }
}

/// How surely a file is of a format, by its first bytes or else by its name.
pub(crate) fn score(info: &FormatInfo, starts: fn(&[u8]) -> bool, head: &Probe<'_>) -> Score {
    let named = head
        .extension()
        .is_some_and(|e| info.extensions.contains(&e));
    if starts(head.head) {
        Score::Certain
    } else if named && !head.head.is_empty() {
        Score::NameOnly
    } else {
        Score::No
    }
}

/// Bytes that a tag takes in memory, at the most.
pub(crate) fn tag_size(key: &[u8], value: &[u8]) -> u64 {
    /// What an allocation takes beside what is in it.
    const OVERHEAD: usize = 16;
    // A vector that grows holds its tags twice for a moment.
    (2 * size_of::<Tag>() + 2 * OVERHEAD + key.len() + value.len()) as u64
}

/// Text without the NUL bytes that end it.
pub(crate) fn without_nuls(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| *b != 0).map_or(0, |n| n + 1);
    &text[..end]
}
