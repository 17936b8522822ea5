//! Compression of the data after the header, as named by the key `COMPRESS`.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use spr_core::bytes::{Codec, Sink, Source};
use spr_core::{Error, ErrorKind, Result};

use super::BLOCK;

/// Decompresses `source` from the current position. If gzip is named, a zlib stream is accepted as
/// well.
///
/// # Errors
/// The source is empty: even compressed empty data are a stream.
pub(crate) fn unpacked(mut source: Source, codec: Codec) -> Result<Source> {
    let codec = match source.peek(2)? {
        [] => {
            let what = format!("the {} data are cut off", codec.name());
            return Err(source.error(ErrorKind::Truncated, what));
        }
        // RFC 1950: method and window, and a check that makes both a multiple of 31.
        &[method, check] if method & 0x8f == 8 && is_multiple(method, check) => Codec::Zlib,
        _ => codec,
    };
    source.undo(codec)
}

fn is_multiple(method: u8, check: u8) -> bool {
    u16::from_be_bytes([method, check]).is_multiple_of(31)
}

/// The destination of data: a file, optionally through a coder.
pub(crate) struct Body<'a> {
    sink: &'a mut Sink,
    coder: Option<GzEncoder<Vec<u8>>>,
}

impl<'a> Body<'a> {
    /// Creates a destination at `sink`, through the named coder, which may have a level.
    pub(crate) fn new(sink: &'a mut Sink, coder: Option<&str>) -> Self {
        let level = |name: &str| match name.bytes().last() {
            Some(digit @ b'0'..=b'9') => Compression::new(u32::from(digit - b'0')),
            _ => Compression::default(),
        };
        let coder = coder.map(|name| GzEncoder::new(Vec::new(), level(name)));
        Self { sink, coder }
    }

    /// Appends data.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(coder) = &mut self.coder else {
            return self.sink.put(bytes);
        };
        for chunk in bytes.chunks(BLOCK) {
            coder.write_all(chunk).map_err(|e| failed(self.sink, e))?;
            self.sink.put(coder.get_ref())?;
            coder.get_mut().clear();
        }
        Ok(())
    }

    /// Finishes the coder's stream.
    pub(crate) fn finish(self) -> Result<()> {
        let Some(coder) = self.coder else {
            return Ok(());
        };
        let rest = coder.finish().map_err(|e| failed(self.sink, e))?;
        self.sink.put(&rest)
    }
}

fn failed(sink: &Sink, error: std::io::Error) -> Error {
    Error::io("cannot compress", error).file(sink.name())
}
