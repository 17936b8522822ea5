//! The parts of an audio format.

use spr_core::Result;
use spr_core::bytes::{ByteOrder, Env, Nested, ObjectBounds, Source};
use spr_core::format::{
    AudioCaps, Caps, Count, Empty, FormatInfo, Keys, Options, Probe, Score, Tags,
};
use spr_core::model::{Dtype, Tag, Waveform};

use crate::reader::Head;

/// The properties of one format.
pub(crate) struct AudioKind {
    pub(crate) info: FormatInfo,
    /// Returns `true` if these are the first bytes of such a file.
    pub(crate) starts: fn(&[u8]) -> bool,
    /// Reads the header of a file that ends as the bounds say.
    pub(crate) open: fn(&mut Source, ObjectBounds, &Options, &Env) -> Result<Head>,
    /// The format for files inside containers.
    pub(crate) nested: Option<&'static dyn Nested>,
    /// The element types written, the preferred one first.
    pub(crate) dtypes: &'static [Dtype],
    /// The byte order written.
    pub(crate) order: ByteOrder,
    /// Whether an odd number of bytes is padded.
    pub(crate) even: bool,
    /// Returns what most readers of the format cannot do with samples of this type.
    pub(crate) caveat: fn(Dtype) -> Option<&'static str>,
    /// Writes the header for samples of one of the types, with their rate and channels.
    pub(crate) header: fn(&Waveform, &[Tag], &mut Vec<u8>) -> Result<()>,
}

impl AudioKind {
    /// Returns the capabilities of a file whose name is stored as `keys` says.
    pub(crate) const fn caps(&self, keys: Keys) -> Caps {
        let mut caps = Caps::new(Count::One, keys);
        caps.audio = AudioCaps::samples(self.dtypes);
        caps.empty = Empty::Kept;
        caps.tags = Tags::Of(self.info.name);
        caps
    }
}

/// Scores a file by its first bytes, otherwise by its name.
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

/// Returns an upper bound of the memory that a tag takes, in bytes.
pub(crate) fn tag_size(key: &[u8], value: &[u8]) -> u64 {
    /// The overhead of an allocation.
    const OVERHEAD: usize = 16;
    // A growing vector briefly holds its tags twice.
    (2 * size_of::<Tag>() + 2 * OVERHEAD + key.len() + value.len()) as u64
}

/// Strips trailing NUL bytes.
pub(crate) fn without_nuls(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| *b != 0).map_or(0, |n| n + 1);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn tags_are_counted_with_what_they_take() {
        let empty = tag_size(b"", b"");
        assert_eq!(empty, 2 * (size_of::<Tag>() as u64 + 16));
        assert_eq!(tag_size(b"abc", b""), empty + 3);
        assert_eq!(tag_size(b"abc", b"defgh"), empty + 8);
    }

    #[test]
    fn only_nuls_at_the_end_are_stripped() {
        for (text, wanted) in [
            (&b""[..], &b""[..]),
            (b"\0", b""),
            (b"a", b"a"),
            (b"\0\0a\0b\0\0", b"\0\0a\0b"),
        ] {
            assert_eq!(without_nuls(text), wanted);
        }
    }

    #[test]
    fn first_bytes_count_more_than_names() {
        static INFO: FormatInfo = FormatInfo::new("one", "One", &["one", "uno"]);
        let score = |name: &str, head: &[u8]| {
            let starts = |head: &[u8]| head.starts_with(b"ONE");
            let probe = Probe {
                head,
                whole: true,
                len: Some(head.len() as u64),
                path: Some(Path::new(name)),
            };
            score(&INFO, starts, &probe)
        };
        assert_eq!(score("x.two", b"ONE!"), Score::Certain);
        assert_eq!(score("x.uno", b"TWO!"), Score::NameOnly);
        assert_eq!(score("x.two", b"TWO!"), Score::No);
        // An empty file is of no format.
        assert_eq!(score("x.one", b""), Score::No);
    }
}
