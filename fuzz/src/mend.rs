//! Checksums that fit what the fuzzer changed, as readers turn away all that does not fit them.
//!
//! Places are found by the structure that readers rely on: pages of Ogg by their sizes, members of zip
//! archives by the central directory. Frames of FLAC have no sizes, so that a frame is taken to end where the
//! next one seems to start.

use std::io::Read;

use crc::{Algorithm, CRC_8_SMBUS, CRC_16_UMTS, CRC_32_ISO_HDLC, Crc};
use flate2::read::DeflateDecoder;

/// The checksum of a page of Ogg.
const PAGE: Algorithm<u32> = Algorithm {
    width: 32,
    poly: 0x04c1_1db7,
    init: 0,
    refin: false,
    refout: false,
    xorout: 0,
    check: 0x89a1_897f,
    residue: 0,
};

/// The largest member of an archive that is unpacked for its checksum.
const LARGEST: u64 = 1 << 20;

/// Returns `bytes` with fitting checksums, or `None` if they had these or have none.
pub fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut copy = bytes.to_vec();
    match bytes.first_chunk()? {
        b"fLaC" => flac(&mut copy)?,
        b"OggS" => ogg(&mut copy),
        b"PK\x03\x04" => zip(&mut copy),
        _ => return None,
    }
    (copy != bytes).then_some(copy)
}

/// Mends the headers and the ends of frames, and takes away the sum of all samples, which is optional.
fn flac(bytes: &mut [u8]) -> Option<()> {
    bytes.get_mut(26..42)?.fill(0);
    let mut start = 4;
    loop {
        let block = bytes.get(start..start + 4)?;
        let last = block[0] >> 7 == 1;
        start += 4 + u32::from_be_bytes([0, block[1], block[2], block[3]]) as usize;
        if last {
            break;
        }
    }
    let own = bytes.get(start + 1).copied()?;
    let is_start = |at: &usize| {
        let head = bytes.get(*at..at + 4);
        head.is_some_and(|head| head[0] == 0xff && head[1] == own && head[3] & 1 == 0)
    };
    let starts: Vec<_> = (start..bytes.len()).filter(is_start).collect();
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(bytes.len());
        frame(&mut bytes[*start..end]);
    }
    Some(())
}

/// Mends the checksums of one frame, if it has room for them.
fn frame(bytes: &mut [u8]) -> Option<()> {
    let number = match bytes.get(4)?.leading_ones() {
        0 => 1,
        ones => ones as usize,
    };
    let size = match bytes[2] >> 4 {
        6 => 1,
        7 => 2,
        _ => 0,
    };
    let rate = match bytes[2] & 15 {
        12 => 1,
        13 | 14 => 2,
        _ => 0,
    };
    let head = 4 + number + size + rate;
    let body = bytes.len().checked_sub(2).filter(|body| *body > head)?;
    bytes[head] = Crc::<u8>::new(&CRC_8_SMBUS).checksum(&bytes[..head]);
    let sum = Crc::<u16>::new(&CRC_16_UMTS).checksum(&bytes[..body]);
    bytes[body..].copy_from_slice(&sum.to_be_bytes());
    Some(())
}

/// Mends the pages up to the first that is not whole.
fn ogg(mut bytes: &mut [u8]) {
    while bytes.starts_with(b"OggS") && bytes.len() >= 27 {
        let start = 27 + usize::from(bytes[26]);
        let Some(parts) = bytes.get(27..start) else {
            return;
        };
        let len = start + parts.iter().map(|n| usize::from(*n)).sum::<usize>();
        let Some((page, rest)) = bytes.split_at_mut_checked(len) else {
            return;
        };
        page[22..26].fill(0);
        let sum = Crc::<u32>::new(&PAGE).checksum(page);
        page[22..26].copy_from_slice(&sum.to_le_bytes());
        bytes = rest;
    }
}

/// Mends the members that the central directory names.
fn zip(bytes: &mut [u8]) {
    let is_entry = |at: &usize| bytes[*at..].starts_with(b"PK\x01\x02");
    let entries: Vec<_> = (0..bytes.len()).filter(is_entry).collect();
    for entry in entries {
        member(bytes, entry);
    }
}

/// Mends the checksum of the member whose entry is at `entry`, there and before its content.
fn member(bytes: &mut [u8], entry: usize) -> Option<()> {
    let short = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let long = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let (method, size, local) = (short(entry + 10)?, long(entry + 20)?, long(entry + 42)?);
    let start = local + 30 + usize::from(short(local + 26)?) + usize::from(short(local + 28)?);
    let stored = bytes.get(start..start.checked_add(size)?)?;
    let mut content = Vec::new();
    match method {
        0 => content.extend_from_slice(stored),
        // What can be unpacked of it.
        _ => drop(
            DeflateDecoder::new(stored)
                .take(LARGEST)
                .read_to_end(&mut content),
        ),
    }
    let sum = Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(&content);
    for at in [entry + 16, local + 14] {
        bytes
            .get_mut(at..at + 4)?
            .copy_from_slice(&sum.to_le_bytes());
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn fixture(name: &str) -> Vec<u8> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
        std::fs::read(path.join(name)).unwrap()
    }

    /// What is whole stays as it is, and a changed checksum at `at` is put right.
    fn restores(name: &str, whole: &[u8], at: usize) {
        assert_eq!(mended(whole), None, "{name}");
        let mut damaged = whole.to_vec();
        damaged[at] ^= 0x55;
        assert_eq!(mended(&damaged).as_deref(), Some(whole), "{name}");
    }

    #[test]
    fn checksums_are_those_of_real_files() {
        let name = "lossy/mono.ogg";
        restores(name, &fixture(name), 22);
        for name in ["numpy/npz/input.npz", "numpy/npz-deflated/input.npz"] {
            restores(name, &fixture(name), 14);
        }
        for name in [
            "codecs/flac-sndfile-16-bits-1/input.flac",
            "codecs/flac-libflac-blocks-of-1000/input.flac",
        ] {
            let mut whole = fixture(name);
            whole[26..42].fill(0);
            let end = whole.len() - 1;
            restores(name, &whole, end);
        }
    }
}
