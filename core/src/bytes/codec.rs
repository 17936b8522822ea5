//! Compression, of whole files found by its magic bytes.

use std::io::{self, BufRead, BufReader, Read};

use flate2::{Decompress, FlushDecompress, Status};

use super::gzip::Gzip;
use super::sink::Finish;

/// A compression that sources undo and outputs apply.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// RFC 1952, any number of members.
    Gzip,
    /// bzip2, any number of streams.
    Bzip2,
    /// Zstandard, any number of frames.
    Zstd,
    /// RFC 1950, one stream. Undone only where a format [asks for it](super::Source::undo), for other
    /// files start with the same two bytes; never applied.
    Zlib,
}

impl Codec {
    /// Those of whole files.
    const FILES: [Self; 3] = [Self::Gzip, Self::Bzip2, Self::Zstd];

    /// Bytes needed by [`detect`](Self::detect).
    pub(crate) const MAGIC_LEN: usize = 10;

    /// The name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Zstd => "zstd",
            Self::Zlib => "zlib",
        }
    }

    /// The file extension, without the point.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Bzip2 => "bz2",
            Self::Zstd => "zst",
            Self::Zlib => "zlib",
        }
    }

    /// The codec whose data start with `head`.
    pub fn detect(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 0x08, flags, ..] if flags & 0xe0 == 0 => Some(Self::Gzip),
            // The block magic keeps a text that starts with "BZh" apart.
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

    /// The codec of files with this extension.
    pub(super) fn of_extension(extension: &str) -> Option<Self> {
        Self::FILES.into_iter().find(|c| c.extension() == extension)
    }

    /// A reader of the decompressed bytes.
    pub(crate) fn decoder(self, from: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered(from))),
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(from))),
            Self::Zstd => Box::new(zstd::Decoder::with_buffer(buffered(from))?),
            Self::Zlib => Box::new(Zlib {
                from: buffered(from),
                inflate: Decompress::new(true),
                ended: false,
            }),
        })
    }

    /// A writer that compresses into `to`, on `threads` threads where the codec allows it.
    pub(crate) fn encoder(
        self,
        to: Box<dyn Finish>,
        threads: usize,
    ) -> io::Result<Box<dyn Finish>> {
        Ok(match self {
            Self::Gzip => Box::new(Gzip::new(to, threads)),
            Self::Bzip2 => Box::new(bzip2::write::BzEncoder::new(to, bzip2::Compression::best())),
            Self::Zstd => Box::new(zstd::Encoder::new(to, 0)?),
            Self::Zlib => return Err(io::ErrorKind::Unsupported.into()),
        })
    }
}

fn buffered(from: Box<dyn Read + Send>) -> BufReader<Box<dyn Read + Send>> {
    BufReader::with_capacity(64 << 10, from)
}

/// A zlib stream, whole and with nothing behind it.
struct Zlib<R> {
    from: R,
    inflate: Decompress,
    ended: bool,
}

impl<R: BufRead> Read for Zlib<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let block = self.from.fill_buf()?;
            let cut = block.is_empty();
            if self.ended && cut {
                return Ok(0);
            }
            if self.ended {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "something follows them",
                ));
            }
            let (from, to) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(block, out, FlushDecompress::None);
            self.ended = status.map_err(io::Error::other)? == Status::StreamEnd;
            let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
            let (taken, made) = (
                count(self.inflate.total_in() - from),
                count(self.inflate.total_out() - to),
            );
            self.from.consume(taken);
            if made > 0 || out.is_empty() {
                return Ok(made);
            }
            if cut && !self.ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

impl<W: Finish> Finish for bzip2::write::BzEncoder<W> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Box::new((*self).finish()?).finish()
    }
}

impl<W: Finish> Finish for zstd::Encoder<'static, W> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Box::new((*self).finish()?).finish()
    }
}

impl Finish for Box<dyn Finish> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_bzip2() {
        assert_eq!(Codec::detect(b"BZh9 1 2 3 4 5"), None);
    }
}
