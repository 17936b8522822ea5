//! The chunk that describes the encoding of the samples.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::ObjectBounds;
use spr_core::model::Dtype;
use spr_core::number::companding::Companding;
use spr_core::{Error, Result};

use crate::coding::SampleCoding;

/// The rest of the GUID in the extensible form, after the format tag.
const CLASS: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
/// The rest of the GUID, after its first four bytes, if all of it is big-endian.
const BIG_CLASS: [u8; 12] = [0, 0, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
/// The same of ambisonics, whose samples are coded as others.
const AMBISONIC: [u8; 14] = [
    0, 0, 0x21, 0x07, 0xd3, 0x11, 0x86, 0x44, 0xc8, 0xc1, 0xca, 0, 0, 0,
];
/// The size of the extensible form; further bytes are ignored.
const LONGEST: usize = 40;

/// The encoding of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fmt {
    pub(super) rate: u32,
    pub(super) channels: u64,
    pub(super) coding: SampleCoding,
    /// Bytes per second, as declared.
    speed: u32,
    /// Bytes per sample of all channels, as declared.
    block: u16,
    bits: u16,
}

impl Fmt {
    /// Reads a chunk of `size` bytes. With [`ObjectBounds::Own`] it must be consistent.
    ///
    /// # Errors
    /// The chunk is invalid, or the encoding is not supported.
    pub(super) fn read(
        source: &mut Source,
        size: u64,
        order: ByteOrder,
        (extent, env): (ObjectBounds, &Env),
    ) -> Result<Self> {
        let place = source.offset();
        let mut bytes = [0; LONGEST];
        let there = usize::try_from(size).unwrap_or(LONGEST).min(LONGEST);
        if there < 16 {
            return Err(source.malformed(format!("a fmt chunk of {size} bytes")));
        }
        source.fill(&mut bytes[..there])?;
        source.skip(size - there as u64)?;
        let placed = |e: Error| e.file(source.name()).byte(place);
        let fmt = Self::of(&bytes, order).map_err(placed)?;
        // One of the two may be wrong if everything else agrees. Some programs derive the speed from
        // a wrong block.
        match (extent, fmt.check_speed(), fmt.check_block()) {
            (_, Ok(()), Ok(())) => {}
            (ObjectBounds::Own, speed, block) => speed.and(block).map_err(placed)?,
            (ObjectBounds::Whole, Err(_), Err(error)) if !fmt.has_known_block() => {
                return Err(placed(error));
            }
            (ObjectBounds::Whole, Err(warning), Ok(()))
            | (ObjectBounds::Whole, _, Err(warning)) => {
                env.warn(&placed(warning));
            }
        }
        Ok(fmt)
    }

    fn check_block(&self) -> Result<()> {
        let expected = self.channels * self.coding.width();
        match u64::from(self.block) == expected {
            true => Ok(()),
            false => Err(Error::malformed(format!(
                "{}-bit samples of {} channel{} take {expected} bytes, the header says {}",
                self.bits,
                self.channels,
                if self.channels == 1 { "" } else { "s" },
                self.block
            ))),
        }
    }

    fn check_speed(&self) -> Result<()> {
        let expected = u64::from(self.rate) * self.channels * self.coding.width();
        match u64::from(self.speed) == expected {
            true => Ok(()),
            false => Err(Error::malformed(format!(
                "the wave header says {} bytes a second, which should be {expected}",
                self.speed
            ))),
        }
    }

    /// Returns `true` if only the block is wrong, as known programs write it, which derive the speed
    /// from it: for one channel of 16 bits. Elsewhere the channels or the bits may be damaged. Both
    /// may be left 0.
    fn has_known_block(&self) -> bool {
        if self.block == 0 && self.speed == 0 {
            return true;
        }
        let speed = u64::from(self.rate) * u64::from(self.block);
        let is_usual = self.channels == 1 && self.bits == 16;
        is_usual && self.block.is_power_of_two() && u64::from(self.speed) == speed
    }

    fn of(bytes: &[u8; LONGEST], order: ByteOrder) -> Result<Self> {
        let short = |at: usize| order.read_u16([bytes[at], bytes[at + 1]]);
        let long =
            |at: usize| order.read_u32([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let tag = match short(0) {
            0xfffe
                if [CLASS, AMBISONIC]
                    .iter()
                    .any(|class| bytes[26..40] == *class) =>
            {
                ByteOrder::Little.read_u16([bytes[24], bytes[25]])
            }
            0xfffe if bytes[24..26] == [0; 2] && bytes[28..40] == BIG_CLASS => short(26),
            tag => tag,
        };
        let (channels, block, bits) = (short(2), short(12), short(14));
        let coding = match (tag, bits) {
            (1, 1..=8) => SampleCoding::Plain(Dtype::U8),
            (1, 9..=16) => SampleCoding::Plain(Dtype::I16),
            (1, 17..=24) => SampleCoding::Packed24,
            (1, 25..=32) => SampleCoding::Plain(Dtype::I32),
            (3, 32) => SampleCoding::Plain(Dtype::F32),
            (3, 64) => SampleCoding::Plain(Dtype::F64),
            (6, 8) => SampleCoding::Law(Companding::ALaw),
            (7, 8) => SampleCoding::Law(Companding::MuLaw),
            _ => return Err(refused(tag, bits)),
        };
        let (rate, channels) = (long(4), u64::from(channels));
        if rate == 0 || channels == 0 {
            let message = format!("{channels} channels, {rate} samples a second");
            return Err(Error::malformed(message));
        }
        Ok(Self {
            rate,
            channels,
            coding,
            speed: long(8),
            block,
            bits,
        })
    }
}

fn refused(tag: u16, bits: u16) -> Error {
    let what = match tag {
        1 => format!("plain samples of {bits} bits"),
        3 => format!("float samples of {bits} bits"),
        6 => format!("A-law samples of {bits} bits"),
        7 => format!("mu-law samples of {bits} bits"),
        2 => "samples coded as Microsoft ADPCM".to_owned(),
        0x11 => "samples coded as IMA ADPCM".to_owned(),
        0x31 => "samples coded as GSM 6.10".to_owned(),
        0x14 | 0x40 | 0x45 | 0x64 => "samples coded as G.72x ADPCM".to_owned(),
        0x50 | 0x55 => "samples coded as MPEG".to_owned(),
        _ => format!("samples of the wave format {tag:#06x}"),
    };
    Error::unsupported(what).hint("decode it first: `sox FILE OUT.wav` or `ffmpeg -i FILE OUT.wav`")
}
