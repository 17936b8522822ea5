//! bzip2.

use std::io::{self, Read};

use bzip2::Compression;
use bzip2::bufread::MultiBzDecoder;
use bzip2::write::BzEncoder;

use crate::bytes::Finish;

pub(super) fn decoder(from: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    Box::new(MultiBzDecoder::new(super::buffered(from)))
}

pub(super) fn encoder(to: Box<dyn Finish>) -> Box<dyn Finish> {
    Box::new(BzEncoder::new(to, Compression::best()))
}

impl<W: Finish> Finish for BzEncoder<W> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Box::new((*self).finish()?).finish()
    }
}
