//! zlib, for reading only.

use std::io::{self, BufRead, Read};

use flate2::{Decompress, FlushDecompress, Status};

pub(super) fn decoder(from: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    Box::new(Zlib {
        from: super::buffered(from),
        inflate: Decompress::new(true),
        ended: false,
    })
}

/// A complete zlib stream with nothing after it.
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
