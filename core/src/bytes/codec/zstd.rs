//! Zstandard.

use std::io::{self, Read};

use zstd::{Decoder, Encoder};

use crate::bytes::Finish;

pub(super) fn decoder(from: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(Decoder::with_buffer(super::buffered(from))?))
}

pub(super) fn encoder(to: Box<dyn Finish>, level: Option<u32>) -> io::Result<Box<dyn Finish>> {
    let level = level.and_then(|level| i32::try_from(level).ok());
    Ok(Box::new(Encoder::new(to, level.unwrap_or_default())?))
}

impl<W: Finish> Finish for Encoder<'static, W> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Box::new((*self).finish()?).finish()
    }
}
