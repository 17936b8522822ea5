//! Reading of the chunks before and after the samples.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::ObjectBounds;
use spr_core::model::Tag;
use spr_core::{Error, ErrorKind, Result};

use super::fmt::Fmt;
use super::own_extent;
use super::texts::Texts;
use crate::coding::{Amount, PlainSamples};
use crate::reader::Head;

/// The sizes that programs write into a pipe.
const ENDLESS: [u32; 5] = [0x7fff_0000, 0x7fff_f000, 0x7fff_ffff, 0x8000_0000, u32::MAX];
/// Chunk names of known programs, to distinguish a padding byte from the start of a chunk.
const KNOWN: [&[u8; 4]; 24] = [
    b"fmt ", b"data", b"LIST", b"fact", b"cue ", b"plst", b"smpl", b"inst", b"adtl", b"labl",
    b"note", b"bext", b"iXML", b"id3 ", b"ID3 ", b"JUNK", b"junk", b"PAD ", b"PEAK", b"DISP",
    b"afsp", b"cart", b"acid", b"_PMX",
];

/// The properties of the whole file.
#[derive(Clone, Copy)]
struct Riff {
    order: ByteOrder,
    /// The size of the file, if the header contains it.
    size: Option<u64>,
    /// Whether sizes beyond 32 bits are in a separate chunk.
    long: bool,
    /// Whether the file was written to a pipe and its header has no size.
    piped: bool,
}

/// Reads everything before the samples. With [`ObjectBounds::Own`] nothing after the samples is read.
pub(super) fn open(source: &mut Source, extent: ObjectBounds, env: &Env) -> Result<Head> {
    let mut riff = Riff::read(source)?;
    let (mut fmt, mut long_size) = (None, None);
    let mut texts = Texts::default();
    let size = loop {
        let (name, size) = riff.chunk(source)?;
        match &name {
            b"data" => break size,
            b"fmt " if fmt.is_some() => return Err(source.malformed("a second fmt chunk")),
            b"fmt " => {
                let how = (extent, env);
                fmt = Some(Fmt::read(source, u64::from(size), riff.order, how)?);
            }
            b"ds64" if riff.long && size >= 16 => {
                riff.size = source.read_u64(ByteOrder::Little)?.checked_add(8);
                long_size = Some(source.read_u64(ByteOrder::Little)?);
                source.skip(u64::from(size) - 16)?;
            }
            b"LIST" => texts.read(source, size, riff.order, env)?,
            _ => {
                texts.pass(name, u64::from(size));
                source.skip(u64::from(size))?;
            }
        }
        pad(source, u64::from(size))?;
    };
    let tags = std::mem::take(&mut texts.tags);
    let Some(fmt) = fmt else {
        return Err(source.malformed("the samples come before the chunk that describes them"));
    };
    let block = fmt.channels * fmt.coding.width();
    let bytes = match (long_size, extent) {
        (Some(u64::MAX), _) if size == u32::MAX => None,
        (Some(long), _) if size == u32::MAX => Some(long),
        (_, ObjectBounds::Whole) => riff.bytes(source, size, block, env)?,
        (_, ObjectBounds::Own) => own_extent::bytes(size, block, riff.piped),
    };
    let amount = match (bytes, extent) {
        (None, ObjectBounds::Whole) => Amount::ToEnd,
        (None, ObjectBounds::Own) => Amount::Checked(own_extent::check_last),
        (Some(bytes), _) => {
            if !bytes.is_multiple_of(block) {
                let message = format!("{bytes} bytes of samples are not a multiple of {block}");
                if extent == ObjectBounds::Own {
                    return Err(source.malformed(message));
                }
                let passed = format!("{message}: a partial one at the end is ignored");
                env.warn_left_out(&source.malformed(passed));
            }
            Amount::Rows(bytes / block)
        }
    };
    let finish = move |source: &mut Source, _: &PlainSamples, tags: &mut Vec<Tag>, env: &Env| {
        if let (Some(bytes), ObjectBounds::Whole) = (bytes, extent) {
            source.skip(bytes % block)?;
            riff.finish(source, bytes, &mut texts, env)?;
            tags.append(&mut texts.tags);
        }
        texts.warn_passed(source, env);
        Ok(())
    };
    Ok(Head {
        rate: fmt.rate,
        samples: PlainSamples::new(source, (fmt.coding, fmt.channels), riff.order, amount),
        told: None,
        tags,
        finish: Box::new(finish),
    })
}

impl Riff {
    fn read(source: &mut Source) -> Result<Self> {
        let (order, long) = match &source.array::<4>()? {
            b"RIFF" => (ByteOrder::Little, false),
            b"RF64" | b"BW64" => (ByteOrder::Little, true),
            b"RIFX" => (ByteOrder::Big, false),
            _ => return Err(Error::malformed("no RIFF header starts here").byte(0)),
        };
        let size = number(source, order)?;
        if source.array::<4>()? != *b"WAVE" {
            return Err(Error::malformed("the RIFF file is not a wave file").byte(8));
        }
        let told = size != 0 && size < ENDLESS[0];
        Ok(Self {
            order,
            size: told.then(|| u64::from(size) + 8),
            long,
            piped: !long && matches!(size, 0 | u32::MAX),
        })
    }

    /// Reads the name and size of the next chunk.
    fn chunk(self, source: &mut Source) -> Result<([u8; 4], u32)> {
        let there = source.peek(4)?;
        let Ok(name) = <[u8; 4]>::try_from(there) else {
            let message = format!("expected a chunk here, found {} bytes", there.len());
            return Err(source.error(ErrorKind::Truncated, message));
        };
        if !name.iter().all(|b| (b' '..=b'~').contains(b)) {
            let shown = name.escape_ascii();
            return Err(source.malformed(format!("'{shown}' is not the name of a chunk")));
        }
        source.skip(4)?;
        Ok((name, number(source, self.order)?))
    }

    /// Returns the size of the samples in bytes, if it is known. `block` is the size of a sample of all
    /// channels.
    fn bytes(self, source: &mut Source, size: u32, block: u64, env: &Env) -> Result<Option<u64>> {
        let bytes = u64::from(size);
        let endless = match size {
            0 if source.at_end()? => false,
            // An interrupted program leaves the sizes of a file without samples.
            0 => {
                let open = self.size.is_none_or(|size| size <= source.offset());
                if open && self.size.is_some() {
                    let message = "the header counts no samples; all that follows are taken";
                    env.warn(&source.malformed(message));
                }
                open
            }
            u32::MAX => true,
            _ if source.remaining().is_some_and(|there| there >= bytes) => false,
            _ => {
                let is_endless = |size: &u32| own_extent::is_whole_blocks(bytes, *size, block);
                ENDLESS.iter().any(is_endless) || is_derived(source, bytes, env)
            }
        };
        Ok((!endless).then_some(bytes))
    }

    /// Reads the chunks after `bytes` bytes of samples. Errors there are only warnings.
    fn finish(self, source: &mut Source, bytes: u64, texts: &mut Texts, env: &Env) -> Result<()> {
        pad(source, bytes)?;
        while !source.at_end()? {
            let outside = self.size.is_some_and(|size| source.offset() >= size);
            let name = source.peek(4)?;
            if name == b"data" {
                return Err(source.malformed("a second chunk of samples"));
            }
            if name == b"fmt " && !outside {
                return Err(source.malformed("a second fmt chunk"));
            }
            if outside && name != b"LIST" {
                if matches!(name, b"RIFF" | b"RIFX" | b"RF64" | b"BW64") {
                    let error = source.malformed("another wave file follows the first");
                    return Err(error.hint("all=false reads only the first"));
                }
                // Padding and tags of other programs are harmless.
                let is_tag =
                    name.starts_with(b"ID3") || name.iter().all(|b| (b' '..=b'~').contains(b));
                let shown = name.escape_ascii();
                let message =
                    format!("more follows the end of the wave file ('{shown}'), which is ignored");
                let ignored = source.error(ErrorKind::Unfit, message);
                let more = source.malformed("the file goes on after the samples that it counts");
                if !is_tag && !is_padding(source)? {
                    return Err(more.hint("all=false reads only those"));
                }
                env.warn(&ignored);
                return Ok(());
            }
            match self.take(source, texts, env) {
                Ok(()) => {}
                Err(e) if matches!(e.kind(), ErrorKind::Malformed | ErrorKind::Truncated) => {
                    env.warn(&e.context("after the samples, which are intact"));
                    return Ok(());
                }
                Err(e) => return Err(e),
            }
        }
        // Some programs also count the eight bytes before the size.
        if let Some(size) = self.size.filter(|size| *size > source.offset() + 8) {
            let there = source.offset();
            let message = format!("the header says {size} bytes, found {there} with all samples");
            env.warn(&source.error(ErrorKind::Truncated, message));
        }
        Ok(())
    }

    /// Reads a chunk after the samples.
    fn take(self, source: &mut Source, texts: &mut Texts, env: &Env) -> Result<()> {
        let (name, size) = self.chunk(source)?;
        match &name {
            b"LIST" => texts.read(source, size, self.order, env)?,
            _ => {
                texts.pass(name, u64::from(size));
                source.skip(u64::from(size))?;
            }
        }
        pad(source, u64::from(size))
    }
}

/// Reads the rest of a file. Returns `true` if it consists of zeros.
fn is_padding(source: &mut Source) -> Result<bool> {
    const BLOCK: usize = 64 << 10;
    loop {
        let bytes = source.peek(BLOCK)?;
        let n = bytes.len();
        if n == 0 || bytes.iter().any(|b| *b != 0) {
            return Ok(n == 0);
        }
        source.skip(n as u64)?;
    }
}

/// Returns `true`, with a warning, for the size that a program gives that subtracts its header from an
/// unknown size: from that of the file, such as 0xFFFFFFD4 for 44 bytes and 0, or from that in the RIFF
/// header, which is 8 bytes less, such as 0xFFFFFFDB for -1 or 0x7FFFFFDB for the largest.
fn is_derived(source: &Source, bytes: u64, env: &Env) -> bool {
    let from = |most: u64| [most, most + 8].contains(&(bytes + source.offset()));
    let is_derived = from(1 << 32) || from(u64::from(u32::MAX)) || from((1 << 31) - 1);
    if is_derived {
        let message = format!("{bytes} bytes of samples are no size; all that follow are taken");
        env.warn(&source.malformed(message));
    }
    is_derived
}

fn number(source: &mut Source, order: ByteOrder) -> Result<u32> {
    source.read_u32(order)
}

/// Skips the padding byte of an odd chunk. Some programs omit it, others do not write NUL.
fn pad(source: &mut Source, size: u64) -> Result<()> {
    if size.is_multiple_of(2) {
        return Ok(());
    }
    let is_name =
        |bytes: &[u8]| bytes.len() == 4 && bytes.iter().all(|b| (b' '..=b'~').contains(b));
    let is_known = |bytes: &[u8]| KNOWN.iter().any(|name| name.as_slice() == bytes);
    let padded = match source.peek(5)? {
        [] => false,
        [0, ..] | [_] => true,
        [name @ .., _] if is_known(name) => false,
        [_, name @ ..] if is_known(name) => true,
        bytes => !is_name(&bytes[..bytes.len().min(4)]),
    };
    if padded {
        source.skip(1)?;
    }
    Ok(())
}
