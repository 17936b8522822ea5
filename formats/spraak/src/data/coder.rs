//! The coder between the header and the data, which the key `COMPRESS` names.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use spr_core::bytes::{Codec, Sink, Source};
use spr_core::{Error, ErrorKind, Result};

use super::BLOCK;

/// The data of `source`, from here on, unpacked. Where gzip is due, a zlib stream will do too.
///
/// # Errors
/// There is nothing: even no data at all make a stream.
pub(crate) fn unpacked(mut source: Source, codec: Codec) -> Result<Source> {
    let codec = match source.peek(2)? {
        [] => {
            let what = format!("the {} data are cut off", codec.name());
            return Err(source.error(ErrorKind::Truncated, what));
        }
        // RFC 1950: the method and window, and a check that makes both a multiple of 31.
        &[method, check] if method & 0x8f == 8 && is_multiple(method, check) => Codec::Zlib,
        _ => codec,
    };
    source.undo(codec)
}

fn is_multiple(method: u8, check: u8) -> bool {
    u16::from_be_bytes([method, check]).is_multiple_of(31)
}

/// Where data are written: straight into a file, or through a coder.
pub(crate) enum Body<'a> {
    Plain(&'a mut Sink),
    Packed(&'a mut Sink, GzEncoder<Vec<u8>>),
}

impl<'a> Body<'a> {
    pub(crate) fn new(sink: &'a mut Sink, packed: bool) -> Self {
        if packed {
            let encoder = GzEncoder::new(Vec::new(), Compression::default());
            Self::Packed(sink, encoder)
        } else {
            Self::Plain(sink)
        }
    }

    /// Appends data.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Plain(sink) => sink.put(bytes),
            Self::Packed(sink, encoder) => {
                for chunk in bytes.chunks(BLOCK) {
                    encoder.write_all(chunk).map_err(|e| failed(sink, e))?;
                    sink.put(encoder.get_ref())?;
                    encoder.get_mut().clear();
                }
                Ok(())
            }
        }
    }

    /// Ends the coder's stream.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Packed(sink, encoder) => {
                let rest = encoder.finish().map_err(|e| failed(sink, e))?;
                sink.put(&rest)
            }
        }
    }
}

fn failed(sink: &Sink, error: std::io::Error) -> Error {
    Error::io("cannot compress", error).file(sink.name())
}
