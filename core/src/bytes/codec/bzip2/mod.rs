//! bzip2.

mod blocks;
mod segments;

use std::io::{self, Read, Write};

use bzip2::Compression;
use bzip2::bufread::MultiBzDecoder;
use bzip2::write::BzEncoder;

use super::members::Members;
use crate::bytes::Finish;
use blocks::Blocks;

/// The size of a member per level, slightly less than a full block.
const MEMBER: usize = 98_900;

pub(super) fn decoder(from: Box<dyn Read + Send>, threads: usize) -> Box<dyn Read + Send> {
    match threads {
        0 | 1 => Box::new(MultiBzDecoder::new(super::buffered(from))),
        _ => Box::new(Blocks::new(from, threads)),
    }
}

pub(super) fn encoder(
    to: Box<dyn Finish>,
    level: Option<u32>,
    threads: usize,
) -> io::Result<Box<dyn Finish>> {
    let best = Some(Compression::best());
    let level = level.map_or(best, Compression::try_new);
    let level = level.ok_or(io::ErrorKind::InvalidInput)?;
    let compress = move |block: Vec<u8>| {
        let mut encoder = BzEncoder::new(Vec::new(), level);
        encoder.write_all(&block)?;
        encoder.finish()
    };
    let size = MEMBER * level.level() as usize;
    Ok(Box::new(Members::new(to, threads, size, compress)))
}

#[cfg(test)]
mod tests;
