//! Portable network graphics, as far as pictures here need them (ISO/IEC 15948).

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use super::colour::Rgb;

/// What the bytes of an image are.
pub(super) enum Pixels<'a> {
    /// Three bytes a pixel.
    Rgb(&'a [u8]),
    /// A byte a pixel: its place in a list of colours.
    Places(&'a [u8], &'a [Rgb]),
}

/// A PNG file of 8-bit pixels, row by row from the top.
pub(super) fn encode(width: u32, height: u32, pixels: &Pixels<'_>) -> Vec<u8> {
    let (bytes, each, kind) = match pixels {
        Pixels::Rgb(bytes) => (*bytes, 3, 2),
        Pixels::Places(bytes, _) => (*bytes, 1, 3),
    };
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::with_capacity(13);
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, kind, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &header);
    if let Pixels::Places(_, colours) = pixels {
        chunk(&mut file, b"PLTE", colours.as_flattened());
    }
    chunk(&mut file, b"IDAT", &packed(bytes, width as usize * each));
    chunk(&mut file, b"IEND", &[]);
    file
}

/// The rows, each behind the number of its filter (0, none), packed.
fn packed(bytes: &[u8], row: usize) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in bytes.chunks_exact(row.max(1)) {
        // A vector takes all that it is given.
        let _ = packer.write_all(&[0]).and_then(|()| packer.write_all(row));
    }
    packer.finish().unwrap_or_default()
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], bytes: &[u8]) {
    let mut crc = Crc::new();
    crc.update(name);
    crc.update(bytes);
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    file.extend(length.to_be_bytes());
    file.extend(name);
    file.extend(bytes);
    file.extend(crc.sum().to_be_bytes());
}
