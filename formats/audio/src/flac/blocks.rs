//! The metadata blocks before the samples. The first describes the samples, another contains texts.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::model::{Dtype, Matrix, Rank, Tag};
use spr_core::{Error, Result};

use super::seek::FramePlace;
use super::stream_info::{SIZE, StreamInfo};
use super::{MAGIC, NAME};
use crate::coded::comments;

/// The types of the blocks that are parsed, and the invalid one.
const STREAM_INFO: u8 = 0;
const SEEK_TABLE: u8 = 3;
const COMMENTS: u8 = 4;
const NONE: u8 = 127;
/// The flag of the last block.
const LAST: u8 = 0x80;
/// The largest size of a block.
const MOST: usize = (1 << 24) - 1;

/// The content of the blocks.
pub(super) struct Blocks {
    pub(super) info: StreamInfo,
    pub(super) tags: Vec<Tag>,
    /// The places of frames by the seek table. Bytes are counted from the first frame.
    pub(super) points: Vec<FramePlace>,
}

/// Reads everything before the first frame.
///
/// # Errors
/// The file is truncated, or the blocks are malformed.
pub(super) fn read(source: &mut Source, env: &Env) -> Result<Blocks> {
    if source.array::<4>()? != *MAGIC {
        return Err(Error::malformed("no FLAC file starts here")
            .file(source.name())
            .byte(0));
    }
    let (mut tags, mut points) = (Vec::new(), Vec::new());
    let (kind, size, mut last) = head(source)?;
    if kind != STREAM_INFO || size != SIZE as u64 {
        return Err(source.malformed("the first block is not the one about the samples"));
    }
    let at = source.offset();
    let info = StreamInfo::of(&source.array()?).map_err(|e| e.file(source.name()).byte(at))?;
    while !last {
        let (kind, size, is_last) = head(source)?;
        last = is_last;
        match kind {
            STREAM_INFO => return Err(source.malformed("a second block about the samples")),
            NONE => return Err(source.malformed("a block of a kind that can't be")),
            SEEK_TABLE => seek_table(source, size, &mut points, env)?,
            COMMENTS => texts(source, size, &mut tags, env)?,
            _ => source.skip(size)?,
        }
    }
    Ok(Blocks { info, tags, points })
}

/// Reads the header of the next block: its type, its size, and the flag of the last one.
fn head(source: &mut Source) -> Result<(u8, u64, bool)> {
    let [kind, size @ ..] = source.array::<4>()?;
    let [a, b, c] = size.map(u64::from);
    Ok((kind & !LAST, a << 16 | b << 8 | c, kind & LAST != 0))
}

/// Reads the points of a seek table, but for those that are left free. A table over the limit, which
/// is of use alone, is passed over.
fn seek_table(
    source: &mut Source,
    size: u64,
    points: &mut Vec<FramePlace>,
    env: &Env,
) -> Result<()> {
    /// The size of a point, and the sample of one that is free.
    const POINT: u64 = 18;
    const FREE: u64 = u64::MAX;
    let count = match size <= env.limits.max_header.min(env.limits.max_alloc) {
        true => size / POINT,
        false => 0,
    };
    for _ in 0..count {
        let sample = source.read_u64(ByteOrder::Big)?;
        let byte = source.read_u64(ByteOrder::Big)?;
        source.skip(2)?;
        if sample != FREE {
            points.push(FramePlace { sample, byte });
        }
    }
    source.skip(size - count * POINT)
}

/// Reads the texts of a block. Malformed texts are not an error of the samples.
fn texts(source: &mut Source, size: u64, tags: &mut Vec<Tag>, env: &Env) -> Result<()> {
    let at = source.offset();
    if size > env.limits.max_header.min(env.limits.max_alloc) {
        let message = "texts over the limit, which are passed over";
        env.warn(&source.malformed(message));
        return source.skip(size);
    }
    let mut block = Matrix::default();
    let shape = (Dtype::U8, Rank::Vector, size, 1);
    source.read_matrix(&mut block, shape, ByteOrder::NATIVE, &env.limits)?;
    if let Err(e) = comments::read(block.as_bytes(), NAME, tags, &env.limits) {
        env.warn(&e.file(source.name()).byte(at));
    }
    Ok(())
}

/// Appends everything before the first frame.
///
/// # Errors
/// The texts cannot be represented.
pub(super) fn write(info: &StreamInfo, tags: &[Tag], out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(MAGIC);
    let last = if tags.is_empty() { LAST } else { 0 };
    block(STREAM_INFO | last, &info.bytes(), out)?;
    if !tags.is_empty() {
        block(COMMENTS | LAST, &super::comments::write(tags)?, out)?;
    }
    Ok(())
}

fn block(kind: u8, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let size = u32::try_from(bytes.len())
        .ok()
        .filter(|_| bytes.len() <= MOST);
    let size =
        size.ok_or_else(|| Error::unfit("has more header lines than a FLAC file can hold"))?;
    out.push(kind);
    out.extend_from_slice(&size.to_be_bytes()[1..]);
    out.extend_from_slice(bytes);
    Ok(())
}
