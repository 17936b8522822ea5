//! Wave files as objects: 16-bit samples in RIFF or RIFX.

use spr_core::bytes::{ByteOrder, Sink, Source, swap_in_place};
use spr_core::model::{Audio, Dtype, Matrix, Rank};
use spr_core::{Error, ErrorKind, Limits, Result};

/// Sizes that say that the samples go on to the end of the file.
const ENDLESS: [u32; 3] = [0, u32::MAX, 0x7fff_f000];
/// The class of the extensible format that means plain samples, behind its first two bytes.
const PLAIN: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
const STEP: usize = 64 << 10;

/// Reads a wave file; with `whole` it is all that is left of the source.
pub(crate) fn read(
    source: &mut Source,
    audio: &mut Audio,
    whole: bool,
    limits: &Limits,
) -> Result<()> {
    let order = match &source.array::<4>()? {
        b"RIFF" => ByteOrder::Little,
        b"RIFX" => ByteOrder::Big,
        _ => return Err(source.malformed("no RIFF header starts here")),
    };
    let total = long(source, order)?;
    if source.array::<4>()? != *b"WAVE" {
        return Err(source.malformed("the RIFF file is no wave file"));
    }
    let size = seek_chunk(source, order, *b"fmt ")?;
    let channels = read_format(source, audio, order, size)?;
    let size = seek_chunk(source, order, *b"data")?;
    let block = 2 * u64::from(channels);
    if ENDLESS.contains(&size) || matches!(total, 0 | u32::MAX) {
        return read_endless(source, &mut audio.samples, (order, channels), whole, limits);
    }
    if !u64::from(size).is_multiple_of(block) {
        let message = format!("{size} bytes of samples are no multiple of {block}");
        return Err(source.malformed(message));
    }
    let rows = u64::from(size) / block;
    let shape = (Dtype::I16, Rank::Matrix, rows, u64::from(channels));
    source.read_matrix(&mut audio.samples, shape, order, limits)
}

fn long(source: &mut Source, order: ByteOrder) -> Result<u32> {
    let bytes = source.array()?;
    Ok(match order {
        ByteOrder::Little => u32::from_le_bytes(bytes),
        ByteOrder::Big => u32::from_be_bytes(bytes),
    })
}

/// Moves behind the head of the chunk called `name` and returns its size.
fn seek_chunk(source: &mut Source, order: ByteOrder, name: [u8; 4]) -> Result<u32> {
    loop {
        let found = source.array::<4>()?;
        let size = long(source, order)?;
        if found == name {
            return Ok(size);
        }
        if !found.iter().all(|b| (b' '..=b'~').contains(b)) {
            let shown = found.escape_ascii();
            return Err(source.malformed(format!("'{shown}' is no name of a chunk")));
        }
        source.skip(u64::from(size))?;
        // A chunk of odd size has a byte of padding, which Kaldi does not know of.
        if size % 2 == 1 && source.peek(1)? == b"\0" {
            source.skip(1)?;
        }
    }
}

/// Reads the format from behind the head of its chunk; returns the channels.
fn read_format(source: &mut Source, audio: &mut Audio, order: ByteOrder, size: u32) -> Result<u16> {
    let place = source.offset();
    if !(16..=4096).contains(&size) {
        return Err(source.malformed(format!("a wave format of {size} bytes")));
    }
    let mut head = vec![0; usize::try_from(size).unwrap_or(0)];
    source.fill(&mut head)?;
    let refuse = |what: String| {
        Error::unsupported(format!("a wave file of {what}"))
            .file(source.name())
            .byte(place)
    };
    let at = |i: usize| match order {
        ByteOrder::Little => u16::from_le_bytes([head[i], head[i + 1]]),
        ByteOrder::Big => u16::from_be_bytes([head[i], head[i + 1]]),
    };
    let (format, channels, bits) = (at(0), at(2), at(14));
    let plain = match format {
        1 => true,
        0xfffe => head.len() >= 40 && at(24) == 1 && head[26..40] == PLAIN,
        _ => false,
    };
    if !plain {
        return Err(refuse(format!(
            "format {format:#06x}, not of plain samples"
        )));
    }
    if bits != 16 {
        return Err(refuse(format!("{bits}-bit samples, not 16-bit ones")));
    }
    if !(1..=255).contains(&channels) {
        return Err(refuse(format!("{channels} channels")));
    }
    let wide = |i: usize| {
        let bytes = [head[i], head[i + 1], head[i + 2], head[i + 3]];
        match order {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        }
    };
    audio.rate = wide(4);
    let (bytes, block) = (wide(8), at(12));
    if u32::from(block) != 2 * u32::from(channels)
        || Some(bytes) != audio.rate.checked_mul(u32::from(block))
    {
        let message = "the wave header contradicts itself about bytes a second";
        return Err(Error::malformed(message).file(source.name()).byte(place));
    }
    Ok(channels)
}

/// Reads samples up to the end of the source.
fn read_endless(
    source: &mut Source,
    into: &mut Matrix,
    (order, channels): (ByteOrder, u16),
    whole: bool,
    limits: &Limits,
) -> Result<()> {
    let place = source.offset();
    into.start(Dtype::I16, Rank::Matrix, usize::from(channels));
    let block = 2 * usize::from(channels);
    loop {
        let bytes = source.peek(STEP)?;
        let next = |b: &[u8]| b.starts_with(b" RIF") && b.get(9..13) == Some(b"WAVE");
        if !whole && bytes.windows(13).any(next) {
            let message = "the wave header gives no size, but another entry follows";
            return Err(Error::malformed(message)
                .file(source.name())
                .byte(place)
                .hint("a wave file without a size can only be the last of an archive"));
        }
        // What may be the start of another entry is looked at again.
        let last = bytes.len() < STEP;
        let used = if last { bytes.len() } else { bytes.len() - 16 };
        let rows = used / block;
        if last && !used.is_multiple_of(block) {
            let message = "the file ends inside a sample";
            return Err(source.error(ErrorKind::Truncated, message));
        }
        source.hold("audio", into.as_bytes().len() as u64, limits)?;
        let out = into.extend_rows(rows, limits)?;
        source.fill(out)?;
        if order != ByteOrder::NATIVE {
            swap_in_place(out, 2);
        }
        if last {
            return Ok(());
        }
    }
}

/// The bytes of the header that Kaldi writes.
pub(crate) fn header(audio: &Audio) -> Result<[u8; 44]> {
    let (rows, channels) = (audio.samples.rows(), audio.samples.cols());
    let refuse = |what: &str| Error::unfit(format!("audio {what}, which a wave file can't hold"));
    if rows == 0 {
        return Err(refuse("without samples"));
    }
    let channels = u8::try_from(channels).ok().filter(|n| *n > 0);
    let channels = u16::from(channels.ok_or_else(|| refuse("of that many channels"))?);
    let size = u32::try_from(audio.samples.as_bytes().len()).ok();
    let size = size
        .filter(|n| *n < 0x7fff_f000)
        .ok_or_else(|| refuse("of that many samples"))?;
    let rate = audio.rate.checked_mul(2 * u32::from(channels));
    let rate = rate.ok_or_else(|| refuse("of that rate"))?;
    let mut header = [0; 44];
    let parts: [&[u8]; 12] = [
        b"RIFF",
        &(36 + size).to_le_bytes(),
        b"WAVEfmt ",
        &16u32.to_le_bytes(),
        &1u16.to_le_bytes(),
        &channels.to_le_bytes(),
        &audio.rate.to_le_bytes(),
        &rate.to_le_bytes(),
        &(2 * channels).to_le_bytes(),
        &16u16.to_le_bytes(),
        b"data",
        &size.to_le_bytes(),
    ];
    header.copy_from_slice(&parts.concat());
    Ok(header)
}

/// Writes the samples behind the header.
pub(crate) fn write_samples(audio: &Audio, sink: &mut Sink, block: &mut Vec<u8>) -> Result<()> {
    let bytes = audio.samples.as_bytes();
    if ByteOrder::NATIVE == ByteOrder::Little {
        return sink.put(bytes);
    }
    for part in bytes.chunks(STEP) {
        block.clear();
        block.extend_from_slice(part);
        swap_in_place(block, 2);
        sink.put(block)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn riff(order: ByteOrder, format: &[u8], chunks: &[u8], size: u32, data: &[u8]) -> Vec<u8> {
        let long = |n: u32| match order {
            ByteOrder::Little => n.to_le_bytes(),
            ByteOrder::Big => n.to_be_bytes(),
        };
        let name: &[u8] = match order {
            ByteOrder::Little => b"RIFF",
            ByteOrder::Big => b"RIFX",
        };
        let fmt = long(u32::try_from(format.len()).unwrap());
        let (total, size) = (long(99), long(size));
        [
            name,
            &total,
            b"WAVEfmt ",
            &fmt,
            format,
            chunks,
            b"data",
            &size,
            data,
        ]
        .concat()
    }

    const MONO: [u8; 16] = [1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0];
    const MONO_BIG: [u8; 16] = [0, 1, 0, 1, 0, 0, 0x1f, 0x40, 0, 0, 0x3e, 0x80, 0, 2, 0, 16];

    fn read_bytes(bytes: Vec<u8>, whole: bool) -> Result<(Vec<i16>, u32, u64)> {
        let mut source = Source::from_bytes("x", bytes).unwrap();
        let mut audio = Audio::default();
        read(&mut source, &mut audio, whole, &Limits::default())?;
        let samples = audio.samples.as_slice::<i16>().unwrap().to_vec();
        Ok((samples, audio.rate, source.offset()))
    }

    #[test]
    fn headers_of_all_sorts() {
        let little = riff(
            ByteOrder::Little,
            &MONO,
            b"LIST\x03\0\0\0abc\0",
            4,
            &[1, 0, 2, 0, 9],
        );
        let end = little.len() as u64 - 1;
        assert_eq!(read_bytes(little, false).unwrap(), (vec![1, 2], 8000, end));
        let big = riff(ByteOrder::Big, &MONO_BIG, b"", 4, &[0, 1, 0, 2]);
        assert_eq!(read_bytes(big, true).unwrap().0, [1, 2]);
        let class = [&MONO[..], &[22, 0, 16, 0, 4, 0, 0, 0, 1, 0], &PLAIN].concat();
        let mut format = class.clone();
        format[..2].copy_from_slice(&[0xfe, 0xff]);
        let extensible = riff(ByteOrder::Little, &format, b"", 2, &[5, 0]);
        assert_eq!(read_bytes(extensible, true).unwrap().0, [5]);
    }

    #[test]
    fn a_stream_is_the_last_of_an_archive() {
        for size in ENDLESS {
            let bytes = riff(ByteOrder::Little, &MONO, b"", size, &[1, 0, 2, 0]);
            assert_eq!(read_bytes(bytes.clone(), false).unwrap().0, [1, 2]);
            let two = [&bytes[..], b"b RIFF\0\0\0\0WAVEfmt "].concat();
            let error = read_bytes(two, false).unwrap_err();
            assert!(
                error.to_string().contains("another entry follows"),
                "{error}"
            );
        }
    }

    #[test]
    fn other_codings_are_refused() {
        for (at, byte) in [(0, 7), (14, 8), (2, 0), (12, 4), (8, 0)] {
            let mut format = MONO;
            format[at] = byte;
            assert!(read_bytes(riff(ByteOrder::Little, &format, b"", 2, &[5, 0]), true).is_err());
        }
        assert!(read_bytes(riff(ByteOrder::Little, &MONO, b"", 3, &[5, 0, 1]), true).is_err());
        assert!(read_bytes(riff(ByteOrder::Little, &MONO, b"", 4, &[5, 0]), true).is_err());
    }
}
