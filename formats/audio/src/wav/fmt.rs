//! The chunk that says how samples are stored.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::companding::Companding;
use spr_core::format::Extent;
use spr_core::model::Dtype;
use spr_core::{Error, Result};

use crate::coding::SampleCoding;

/// What follows the first two bytes of the class in the extensible form, if those are a format tag.
const CLASS: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
/// What follows the first four bytes where all numbers of the class are big-endian.
const BIG_CLASS: [u8; 12] = [0, 0, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
/// Bytes of the extensible form; what follows is passed over.
const LONGEST: usize = 40;

/// How samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fmt {
    pub(super) rate: u32,
    pub(super) channels: u64,
    pub(super) coding: SampleCoding,
    /// Bytes a second, as the chunk claims.
    speed: u32,
    /// Bytes of a sample of all channels, as the chunk claims.
    block: u16,
    bits: u16,
}

impl Fmt {
    /// Reads a chunk of `size` bytes. With [`Extent::Own`] it may not contradict itself.
    ///
    /// # Errors
    /// It breaks the rules, or tells of a coding that is not read.
    pub(super) fn read(
        source: &mut Source,
        size: u64,
        order: ByteOrder,
        (extent, env): (Extent, &Env),
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
        // One of the two may be wrong as long as all the rest agrees.
        match (extent, fmt.check_speed(), fmt.check_block()) {
            (_, Ok(()), Ok(())) => {}
            (Extent::Own, speed, block) => speed.and(block).map_err(placed)?,
            (Extent::Whole, Err(_), Err(error)) => return Err(placed(error)),
            (Extent::Whole, Err(warning), Ok(())) | (Extent::Whole, Ok(()), Err(warning)) => {
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

    fn of(bytes: &[u8; LONGEST], order: ByteOrder) -> Result<Self> {
        let short = |at: usize| match order {
            ByteOrder::Little => u16::from_le_bytes([bytes[at], bytes[at + 1]]),
            ByteOrder::Big => u16::from_be_bytes([bytes[at], bytes[at + 1]]),
        };
        let long = |at: usize| {
            let (a, b) = (u32::from(short(at)), u32::from(short(at + 2)));
            match order {
                ByteOrder::Little => b << 16 | a,
                ByteOrder::Big => a << 16 | b,
            }
        };
        let tag = match short(0) {
            0xfffe if bytes[26..40] == CLASS => u16::from_le_bytes([bytes[24], bytes[25]]),
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
