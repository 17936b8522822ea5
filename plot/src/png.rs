//! PNG output.

use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

use super::colour::Rgb;

/// The pixels of an image.
pub(super) enum Pixels<'a> {
    /// Three bytes per pixel.
    Rgb(&'a [u8]),
    /// One byte per pixel, an index into a palette.
    Places(&'a [u8], &'a [Rgb]),
}

/// Encodes 8-bit pixels, row by row from the top, as a PNG file. Returns nothing if there are no
/// pixels.
pub(super) fn encode(width: u32, height: u32, pixels: &Pixels<'_>) -> Vec<u8> {
    // Writing to a vector cannot fail.
    file(width, height, pixels).unwrap_or_default()
}

fn file(width: u32, height: u32, pixels: &Pixels<'_>) -> Result<Vec<u8>, EncodingError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_depth(BitDepth::Eight);
    // Areas of one colour compress best without a filter.
    encoder.set_filter(Filter::NoFilter);
    encoder.set_deflate_compression(DeflateCompression::Level(6));
    let bytes = match pixels {
        Pixels::Rgb(bytes) => {
            encoder.set_color(ColorType::Rgb);
            bytes
        }
        Pixels::Places(bytes, colours) => {
            encoder.set_color(ColorType::Indexed);
            encoder.set_palette(colours.as_flattened());
            bytes
        }
    };
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    Ok(file)
}
