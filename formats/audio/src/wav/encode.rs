//! The header of a file to be written.

use spr_core::model::{Dtype, Tag, Waveform};
use spr_core::{Error, Result};

/// Makes all that stands before the samples. Beyond 4 GiB it is that of RF64.
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
        // Readers that know only plain samples count the others by this.
        let rows = u32::try_from(samples.rows()).unwrap_or(u32::MAX);
        chunk(b"fact", &rows.to_le_bytes(), &mut chunks)?;
    }
    if !tags.is_empty() {
        chunk(b"LIST", &list(tags)?, &mut chunks)?;
    }
    let bytes = samples.rows() as u64 * (samples.cols() * size) as u64;
    riff(&chunks, bytes, samples.rows() as u64, out);
    Ok(())
}

/// Puts the outermost header before `chunks`, and the head of the samples behind.
fn riff(chunks: &[u8], bytes: u64, rows: u64, out: &mut Vec<u8>) {
    let padded = bytes + bytes % 2;
    let total = (4 + chunks.len() + 8) as u64 + padded;
    match (u32::try_from(total), u32::try_from(bytes)) {
        (Ok(total), Ok(bytes)) => {
            for part in [b"RIFF", &total.to_le_bytes(), b"WAVE"] {
                out.extend_from_slice(part);
            }
            out.extend_from_slice(chunks);
            out.extend_from_slice(b"data");
            out.extend_from_slice(&bytes.to_le_bytes());
        }
        _ => {
            out.extend_from_slice(b"RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0");
            for number in [total + 36, bytes, rows] {
                out.extend_from_slice(&number.to_le_bytes());
            }
            out.extend_from_slice(&[0; 4]);
            out.extend_from_slice(chunks);
            out.extend_from_slice(b"data\xff\xff\xff\xff");
        }
    }
}

fn fmt(rate: u32, channels: usize, dtype: Dtype) -> Result<Vec<u8>> {
    let refuse = || Error::unfit("has more channels or a higher rate than the format can hold");
    let size = u16::try_from(dtype.size()).map_err(|_| refuse())?;
    let channels = u16::try_from(channels).map_err(|_| refuse())?;
    let block = channels.checked_mul(size).ok_or_else(refuse)?;
    let bytes = rate.checked_mul(u32::from(block)).ok_or_else(refuse)?;
    let tag: u16 = if dtype.is_float() { 3 } else { 1 };
    let mut out = Vec::new();
    out.extend_from_slice(&tag.to_le_bytes());
    out.extend_from_slice(&channels.to_le_bytes());
    out.extend_from_slice(&rate.to_le_bytes());
    out.extend_from_slice(&bytes.to_le_bytes());
    out.extend_from_slice(&block.to_le_bytes());
    out.extend_from_slice(&(8 * size).to_le_bytes());
    if dtype.is_float() {
        // The size of what else there is to know: nothing.
        out.extend_from_slice(&[0; 2]);
    }
    Ok(out)
}

fn list(tags: &[Tag]) -> Result<Vec<u8>> {
    let mut out = b"INFO".to_vec();
    for tag in tags {
        let Ok(key) = <&[u8; 4]>::try_from(&tag.key[..]) else {
            let key = tag.key.escape_ascii();
            return Err(Error::unfit(format!(
                "the header line {key} has no name of four letters, as the format wants"
            )));
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
    out.extend_from_slice(&size.to_le_bytes());
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
        // The byte after an odd number of them counts.
        assert_eq!(&short[..8], b"RIFF\xfe\xff\xff\xff");
        let mut long = Vec::new();
        riff(b"xy", most + 1, 7, &mut long);
        assert_eq!(&long[..20], b"RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0");
        let number = |at: usize| u64::from_le_bytes(long[at..at + 8].try_into().unwrap());
        // All but the first eight bytes; the samples are padded.
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
