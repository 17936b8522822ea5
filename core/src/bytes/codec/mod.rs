//! Compression, which in whole files is detected by magic bytes.

#[cfg(feature = "bzip2")]
mod bzip2;
#[cfg(feature = "gzip")]
mod gzip;
#[cfg(any(feature = "bzip2", feature = "gzip"))]
mod members;
#[cfg(feature = "gzip")]
mod zlib;
#[cfg(feature = "zstd")]
mod zstd;

use std::io::{self, Read};
use std::ops::RangeInclusive;

use super::finish::Finish;
use crate::error::{Error, Result};

/// A compression that sources undo and outputs apply.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// RFC 1952, with any number of members.
    Gzip,
    /// bzip2, with any number of streams.
    Bzip2,
    /// Zstandard, with any number of frames.
    Zstd,
    /// RFC 1950, a single stream. Decompressed only if a format [requests it](super::Source::undo),
    /// because other files start with the same two bytes; never applied.
    Zlib,
}

impl Codec {
    /// The codecs of whole files.
    pub const FILES: [Self; 3] = [Self::Gzip, Self::Bzip2, Self::Zstd];

    /// The number of bytes needed by [`detect`](Self::detect).
    pub(crate) const MAGIC_LEN: usize = 10;

    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Zstd => "zstd",
            Self::Zlib => "zlib",
        }
    }

    /// Returns the file extension without the point.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Bzip2 => "bz2",
            Self::Zstd => "zst",
            Self::Zlib => "zlib",
        }
    }

    /// Returns the range of levels, from fast to small.
    pub(crate) fn levels(self) -> RangeInclusive<u32> {
        match self {
            Self::Gzip | Self::Zlib => 1..=12,
            Self::Bzip2 => 1..=9,
            Self::Zstd => 1..=22,
        }
    }

    /// Rejects an unsupported level.
    pub(crate) fn check_level(self, level: Option<u32>) -> Result<()> {
        let levels = self.levels();
        if level.is_none_or(|level| levels.contains(&level)) {
            return Ok(());
        }
        let (name, first, last) = (self.name(), levels.start(), levels.end());
        let message = format!("{name} has no such level: it has {first} to {last}");
        Err(Error::usage(message))
    }

    /// Returns the codec whose data start with `head`.
    pub fn detect(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 0x08, flags, ..] if flags & 0xe0 == 0 => Some(Self::Gzip),
            // The block magic excludes text that starts with "BZh".
            [
                b'B',
                b'Z',
                b'h',
                b'1'..=b'9',
                0x31,
                0x41,
                0x59,
                0x26,
                0x53,
                0x59,
                ..,
            ]
            | [
                b'B',
                b'Z',
                b'h',
                b'1'..=b'9',
                0x17,
                0x72,
                0x45,
                0x38,
                0x50,
                0x90,
                ..,
            ] => Some(Self::Bzip2),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// Returns `true` if data that start with these bytes belong to no codec, whatever follows.
    pub(crate) fn is_none(head: &[u8]) -> bool {
        const STARTS: [&[u8]; 3] = [&[0x1f, 0x8b, 0x08], b"BZh", &[0x28, 0xb5, 0x2f, 0xfd]];
        let may_be = |start: &&[u8]| start.starts_with(head) || head.starts_with(start);
        !STARTS.iter().any(may_be)
    }

    /// Returns the codec of files with this extension.
    pub(super) fn of_extension(extension: &str) -> Option<Self> {
        Self::FILES.into_iter().find(|c| c.extension() == extension)
    }

    /// Returns a reader of the decompressed bytes, on up to `threads` threads if the data allow it.
    pub(crate) fn decoder(
        self,
        from: Box<dyn Read + Send>,
        threads: usize,
    ) -> io::Result<Box<dyn Read + Send>> {
        match self {
            #[cfg(feature = "gzip")]
            Self::Gzip => Ok(gzip::decoder(from)),
            #[cfg(feature = "gzip")]
            Self::Zlib => Ok(zlib::decoder(from)),
            #[cfg(feature = "bzip2")]
            Self::Bzip2 => Ok(bzip2::decoder(from, threads)),
            #[cfg(feature = "zstd")]
            Self::Zstd => zstd::decoder(from),
            #[cfg(not(all(feature = "gzip", feature = "bzip2", feature = "zstd")))]
            _ => {
                drop((from, threads));
                Err(io::ErrorKind::Unsupported.into())
            }
        }
    }

    /// Returns a writer that compresses into `to`, on `threads` threads if the codec allows it.
    /// Without a [level](Self::levels) the codec's default is used.
    pub(crate) fn encoder(
        self,
        to: Box<dyn Finish>,
        level: Option<u32>,
        threads: usize,
    ) -> io::Result<Box<dyn Finish>> {
        match self {
            #[cfg(feature = "gzip")]
            Self::Gzip => gzip::encoder(to, level, threads),
            #[cfg(feature = "bzip2")]
            Self::Bzip2 => bzip2::encoder(to, level, threads),
            #[cfg(feature = "zstd")]
            Self::Zstd => zstd::encoder(to, level),
            _ => {
                drop((to, level, threads));
                Err(io::ErrorKind::Unsupported.into())
            }
        }
    }

    /// Rejects a codec that is not available.
    pub(crate) fn check(self) -> Result<()> {
        let built_in = match self {
            Self::Gzip | Self::Zlib => cfg!(feature = "gzip"),
            Self::Bzip2 => cfg!(feature = "bzip2"),
            Self::Zstd => cfg!(feature = "zstd"),
        };
        let absent = || Error::unsupported(format!("{} is not built in", self.name()));
        built_in.then_some(()).ok_or_else(absent)
    }
}

#[cfg(any(feature = "gzip", feature = "bzip2", feature = "zstd"))]
fn buffered(from: Box<dyn Read + Send>) -> io::BufReader<Box<dyn Read + Send>> {
    io::BufReader::with_capacity(64 << 10, from)
}

#[warn(clippy::missing_trait_methods)]
impl Finish for Box<dyn Finish> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn what_is_not_built_in_is_refused_by_name() {
        for codec in Codec::FILES {
            let built_in = match codec {
                Codec::Bzip2 => cfg!(feature = "bzip2"),
                Codec::Zstd => cfg!(feature = "zstd"),
                Codec::Gzip | Codec::Zlib => cfg!(feature = "gzip"),
            };
            let checked = codec.check().map_err(|e| e.kind());
            let absent = Err(ErrorKind::Unsupported);
            assert_eq!(checked, if built_in { Ok(()) } else { absent });
        }
    }

    #[test]
    fn a_few_bytes_may_be_the_start_of_any_codec() {
        for head in [
            &b""[..],
            b"\x1f",
            b"\x1f\x8b\x08\0",
            b"BZ",
            b"BZh9",
            b"\x28",
        ] {
            assert!(!Codec::is_none(head), "{head:?}");
        }
        for head in [&b"a"[..], b"\x1f\x8c", b"BA", b"\x28\xb5\x2e"] {
            assert!(Codec::is_none(head), "{head:?}");
        }
    }

    #[test]
    fn text_is_no_bzip2() {
        assert_eq!(Codec::detect(b"BZh9 1 2 3 4 5"), None);
    }
}
