//! The first metadata block, with the parameters of the whole stream.

use spr_core::{Error, Result};

use super::bits::Bits;

/// The size of the block.
pub(super) const SIZE: usize = 34;

/// The parameters of the whole stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StreamInfo {
    /// The smallest and largest number of samples per channel in a frame, except for the last
    /// frame.
    pub(super) blocks: (u16, u16),
    /// The smallest and largest size of a frame in bytes, or 0 if unknown.
    pub(super) frames: (u32, u32),
    /// The sampling rate in Hz, below 2²⁰.
    pub(super) rate: u32,
    /// The number of channels, 1 to 8.
    pub(super) channels: u32,
    /// The number of bits per sample, 4 to 32.
    pub(super) bits: u32,
    /// The number of samples per channel, or 0 if unknown.
    pub(super) total: u64,
    /// The MD5 of the samples, little-endian, each in as few bytes as possible, or 0 if unknown.
    pub(super) md5: [u8; 16],
}

impl StreamInfo {
    /// Parses the bytes of the block.
    ///
    /// # Errors
    /// The parameters are invalid.
    pub(super) fn of(bytes: &[u8; SIZE]) -> Result<Self> {
        let mut bits = Bits::new(bytes);
        // The block has as many bits as are read.
        let mut take = |n| bits.take(n).unwrap_or_default();
        let mut short = |n| u32::try_from(take(n)).unwrap_or_default();
        let (least, most) = (short(16), short(16));
        let frames = (short(24), short(24));
        let (rate, channels, width) = (short(20), short(3) + 1, short(5) + 1);
        let total = take(36);
        let mut md5 = [0; 16];
        md5.copy_from_slice(&bytes[SIZE - 16..]);
        let wrong = match () {
            () if rate == 0 => "0 samples a second".to_owned(),
            () if width < 4 => format!("samples of {width} bits"),
            () => {
                let block = |n| u16::try_from(n).unwrap_or_default();
                return Ok(Self {
                    blocks: (block(least), block(most)),
                    frames,
                    rate,
                    channels,
                    bits: width,
                    total,
                    md5,
                });
            }
        };
        Err(Error::malformed(format!("the header says {wrong}")))
    }

    /// Encodes the block.
    pub(super) fn bytes(&self) -> [u8; SIZE] {
        let mut out = [0; SIZE];
        out[..2].copy_from_slice(&self.blocks.0.to_be_bytes());
        out[2..4].copy_from_slice(&self.blocks.1.to_be_bytes());
        out[4..7].copy_from_slice(&self.frames.0.to_be_bytes()[1..]);
        out[7..10].copy_from_slice(&self.frames.1.to_be_bytes()[1..]);
        let (rate, channels) = (u64::from(self.rate), u64::from(self.channels - 1));
        let rest = rate << 44 | channels << 41 | u64::from(self.bits - 1) << 36 | self.total;
        out[10..18].copy_from_slice(&rest.to_be_bytes());
        out[18..].copy_from_slice(&self.md5);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let info = StreamInfo {
            blocks: (4096, 4608),
            frames: (14, 70_000),
            rate: 96_000,
            channels: 8,
            bits: 24,
            total: (1 << 36) - 1,
            md5: *b"0123456789abcdef",
        };
        assert_eq!(StreamInfo::of(&info.bytes()).unwrap(), info);
        for (info, fault) in [
            (StreamInfo { rate: 0, ..info }, "0 samples a second"),
            (StreamInfo { bits: 3, ..info }, "samples of 3 bits"),
        ] {
            let error = StreamInfo::of(&info.bytes()).unwrap_err();
            assert!(error.to_string().contains(fault), "{error}");
        }
    }
}
