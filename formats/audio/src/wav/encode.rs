//! Encoding of the header.

use spr_core::bytes::{ByteOrder, PutNumber};
use spr_core::model::{Dtype, Tag, Waveform};
use spr_core::{Error, Result};

/// Writes everything before the samples, as RF64 beyond 4 GiB.
pub(super) fn header(sound: &Waveform, tags: &[Tag], out: &mut Vec<u8>) -> Result<()> {
    let mut chunks = Vec::new();
    let samples = &sound.samples;
    let size = samples.dtype().size();
    chunk(
        b"fmt ",
        &fmt(sound.rate, samples.cols(), samples.dtype())?,
        &mut chunks,
    )?;
    if samples.dtype().is_float() {
        // Readers that know only PCM use this count for other encodings.
        let rows = u32::try_from(samples.rows()).unwrap_or(u32::MAX);
        let mut count = Vec::new();
        count.put_u32(rows, ByteOrder::Little);
        chunk(b"fact", &count, &mut chunks)?;
    }
    if !tags.is_empty() {
        chunk(b"LIST", &list(tags)?, &mut chunks)?;
    }
    let bytes = samples.rows() as u64 * (samples.cols() * size) as u64;
    riff(&chunks, bytes, samples.rows() as u64, out);
    Ok(())
}

/// Adds the outer header before `chunks`, and the header of the data chunk.
fn riff(chunks: &[u8], bytes: u64, rows: u64, out: &mut Vec<u8>) {
    let padded = bytes + bytes % 2;
    let total = (4 + chunks.len() + 8) as u64 + padded;
    match (u32::try_from(total), u32::try_from(bytes)) {
        (Ok(total), Ok(bytes)) => {
            out.extend_from_slice(b"RIFF");
            out.put_u32(total, ByteOrder::Little);
            out.extend_from_slice(b"WAVE");
            out.extend_from_slice(chunks);
            out.extend_from_slice(b"data");
            out.put_u32(bytes, ByteOrder::Little);
        }
        _ => {
            out.extend_from_slice(b"RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0");
            for number in [total + 36, bytes, rows] {
                out.put_u64(number, ByteOrder::Little);
            }
            out.extend_from_slice(&[0; 4]);
            out.extend_from_slice(chunks);
            out.extend_from_slice(b"data\xff\xff\xff\xff");
        }
    }
}

fn fmt(rate: u32, channels: usize, dtype: Dtype) -> Result<Vec<u8>> {
    let refuse =
        || Error::unfit("has more channels or a higher rate than ").the_format(" can hold");
    let size = u16::try_from(dtype.size()).map_err(|_| refuse())?;
    let channels = u16::try_from(channels).map_err(|_| refuse())?;
    let block = channels.checked_mul(size).ok_or_else(refuse)?;
    let bytes = rate.checked_mul(u32::from(block)).ok_or_else(refuse)?;
    let tag: u16 = if dtype.is_float() { 3 } else { 1 };
    let mut out = Vec::new();
    out.put_u16(tag, ByteOrder::Little);
    out.put_u16(channels, ByteOrder::Little);
    out.put_u32(rate, ByteOrder::Little);
    out.put_u32(bytes, ByteOrder::Little);
    out.put_u16(block, ByteOrder::Little);
    out.put_u16(8 * size, ByteOrder::Little);
    if dtype.is_float() {
        // The size of the extension, which is empty.
        out.extend_from_slice(&[0; 2]);
    }
    Ok(out)
}

fn list(tags: &[Tag]) -> Result<Vec<u8>> {
    let mut out = b"INFO".to_vec();
    for tag in tags {
        let Ok(key) = <&[u8; 4]>::try_from(&tag.key[..]) else {
            let key = tag.key.escape_ascii();
            let message = format!("the header line {key} has no name of four letters, as ");
            return Err(Error::unfit(message).the_format(" wants"));
        };
        if tag.value.ends_with(b"\0") {
            return Err(Error::unfit(
                "a header line ends in a NUL byte, which would be lost",
            ));
        }
        let mut value = tag.value.clone();
        value.push(0);
        chunk(key, &value, &mut out)?;
    }
    Ok(out)
}

fn chunk(name: &[u8; 4], bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let size = u32::try_from(bytes.len());
    let size = size.map_err(|_| Error::unfit("has header lines beyond 4 GiB"))?;
    out.extend_from_slice(name);
    out.put_u32(size, ByteOrder::Little);
    out.extend_from_slice(bytes);
    if size % 2 == 1 {
        out.push(0);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_beyond_32_bits_have_a_chunk_of_their_own() {
        let most = u64::from(u32::MAX) - 15;
        let mut short = Vec::new();
        riff(b"xy", most, 1, &mut short);
        // The padding byte counts.
        assert_eq!(&short[..8], b"RIFF\xfe\xff\xff\xff");
        let mut long = Vec::new();
        riff(b"xy", most + 1, 7, &mut long);
        assert_eq!(&long[..20], b"RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0");
        let number = |at: usize| u64::from_le_bytes(long[at..at + 8].try_into().unwrap());
        // All but the first eight bytes, with the padding of the samples.
        assert_eq!(number(20), long.len() as u64 - 8 + most + 2);
        assert_eq!((number(28), number(36)), (most + 1, 7));
        assert_eq!(&long[44..], b"\0\0\0\0xydata\xff\xff\xff\xff");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(fmt(16000, 1, Dtype::I16).is_ok());
        assert!(fmt(u32::MAX, 1, Dtype::I16).is_err());
        assert!(fmt(1, 70_000, Dtype::U8).is_err());
        assert!(fmt(1, 40_000, Dtype::I16).is_err());
        let tag = |key: &[u8], value: &[u8]| Tag::new("wav", key, value);
        for bad in [tag(b"NAME5", b"x"), tag(b"", b"x"), tag(b"INAM", b"x\0")] {
            assert!(list(&[bad]).is_err());
        }
        let good = list(&[tag(b"INAM", b"ab")]).unwrap();
        assert_eq!(good, b"INFOINAM\x03\0\0\0ab\0\0");
    }
}
