//! gzip.

use std::io::{self, Read};

use flate2::bufread::MultiGzDecoder;
use libdeflater::{CompressionLvl, Compressor};

use super::members::Members;
use crate::bytes::Finish;

/// The size of a member in bytes.
const MEMBER: usize = 1 << 20;
/// The default level: higher ones make features no smaller, and labels by a tenth.
const DEFAULT: u32 = 1;

pub(super) fn decoder(from: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    Box::new(MultiGzDecoder::new(super::buffered(from)))
}

pub(super) fn encoder(
    to: Box<dyn Finish>,
    level: Option<u32>,
    threads: usize,
) -> io::Result<Box<dyn Finish>> {
    let level = i32::try_from(level.unwrap_or(DEFAULT)).unwrap_or(i32::MAX);
    let level = CompressionLvl::new(level).map_err(|_| io::ErrorKind::InvalidInput)?;
    let compress = move |block: Vec<u8>| {
        let mut compressor = Compressor::new(level);
        let mut member = vec![0; compressor.gzip_compress_bound(block.len())];
        let len = compressor
            .gzip_compress(&block, &mut member)
            .map_err(io::Error::other)?;
        member.truncate(len);
        Ok(member)
    };
    Ok(Box::new(Members::new(to, threads, MEMBER, compress)))
}
