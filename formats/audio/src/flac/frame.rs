//! Frames: a block of samples of all channels.

use super::bits::{Bits, Fault};
use super::checksum::{crc8, crc16};
use super::sample::Sample;
use super::stream_info::StreamInfo;
use super::subframe;

/// The sync code of 14 bits that begins a frame.
const SYNC: u64 = 0x3ffe;

/// The result of reading a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Its size in bytes.
    pub(super) len: usize,
    /// The number of samples per channel.
    pub(super) rows: usize,
    /// The number of the frame, or of its first sample.
    pub(super) number: Number,
}

impl Frame {
    /// Returns the index of its first sample, if that follows from its number.
    pub(super) fn first(&self, info: &StreamInfo) -> Option<u64> {
        first(self.number, self.rows, info)
    }
}

/// The largest size of the header of a frame.
pub(super) const HEADER: usize = 16;

/// Returns the index of the first sample of the frame that starts with `bytes`, if its header is
/// intact.
pub(super) fn first_sample(bytes: &[u8], info: &StreamInfo) -> Option<u64> {
    let (rows, number, _) = header(bytes, &mut Bits::new(bytes), info).ok()?;
    first(number, rows, info)
}

/// Returns the index of the first sample of a frame. It follows from the index of the frame if all have
/// the same size but the last.
fn first(number: Number, rows: usize, info: &StreamInfo) -> Option<u64> {
    match number {
        Number::Sample(first) => Some(first),
        Number::Frame(n) => {
            let (least, most) = info.blocks;
            let first = n.checked_mul(u64::from(most))?;
            let (most, rows) = (usize::from(most), rows as u64);
            let is_last = first.checked_add(rows) == Some(info.total);
            (least as usize == most && (rows == most as u64 || is_last)).then_some(first)
        }
    }
}

/// The position of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// The index of the frame.
    Frame(u64),
    /// The index of its first sample.
    Sample(u64),
}

/// The stereo mode of a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pair {
    /// The channels are independent.
    None,
    /// The left channel, and the difference left − right.
    LeftSide,
    /// The difference left − right, and the right channel.
    SideRight,
    /// The mean of both, and the difference left − right.
    MidSide,
}

/// Reads the frame at the start of `bytes` into `planes`, one list per channel.
///
/// In 32 bits go samples of up to 30.
pub(super) fn read<S: Sample>(
    bytes: &[u8],
    info: &StreamInfo,
    planes: &mut [Vec<S>],
) -> Result<Frame, Fault> {
    let mut bits = Bits::new(bytes);
    let (rows, number, pair) = header(bytes, &mut bits, info)?;
    for (n, plane) in planes.iter_mut().enumerate() {
        let side = match pair {
            Pair::SideRight => n == 0,
            Pair::LeftSide | Pair::MidSide => n == 1,
            Pair::None => false,
        };
        plane.resize(rows, S::default());
        subframe::read(&mut bits, info.bits + u32::from(side), plane)?;
    }
    if let [first, second] = planes {
        unpair(pair, first, second);
    }
    let len = bits.align() + 2;
    match bytes.get(..len) {
        None => Err(Fault::More),
        Some(whole) if crc16(whole) != 0 => Err(Fault::Bad("its checksum is wrong")),
        Some(_) => Ok(Frame { len, rows, number }),
    }
}

/// Reads the header: the number of samples, their position, and the stereo mode.
fn header(
    bytes: &[u8],
    bits: &mut Bits<'_>,
    info: &StreamInfo,
) -> Result<(usize, Number, Pair), Fault> {
    let mut take = |n| bits.take(n).ok_or(Fault::More);
    if take(14)? != SYNC || take(1)? != 0 {
        return Err(Fault::Bad("it does not start with the code of a frame"));
    }
    let by_sample = take(1)? == 1;
    let (block, rate, channels, width) = (take(4)?, take(4)?, take(4)?, take(3)?);
    if take(1)? != 0 {
        return Err(Fault::Bad("a bit of its header is not 0"));
    }
    let number = number(&mut take)?;
    let rows = match block {
        0 => return Err(Fault::Bad("its header is wrong")),
        1 => 192,
        2..=5 => 576 << (block - 2),
        6 => take(8)? + 1,
        7 => take(16)? + 1,
        _ => 256 << (block - 8),
    };
    let rate = match rate {
        0 => u64::from(info.rate),
        12 => 1000 * take(8)?,
        13 => take(16)?,
        14 => 10 * take(16)?,
        15 => return Err(Fault::Bad("its header is wrong")),
        n => RATES[usize::try_from(n).unwrap_or_default()],
    };
    let end = bits.align();
    let stored = bits.take(8).ok_or(Fault::More)?;
    if u64::from(crc8(&bytes[..end])) != stored {
        return Err(Fault::Bad("the checksum of its header is wrong"));
    }
    let (count, pair) = match channels {
        0..8 => (channels + 1, Pair::None),
        8 => (2, Pair::LeftSide),
        9 => (2, Pair::SideRight),
        10 => (2, Pair::MidSide),
        _ => return Err(Fault::Bad("its header is wrong")),
    };
    let width = match width {
        0 => info.bits,
        1 => 8,
        2 => 12,
        4 => 16,
        5 => 20,
        6 => 24,
        7 => 32,
        _ => return Err(Fault::Bad("its header is wrong")),
    };
    let told = (u64::from(info.channels), info.bits, u64::from(info.rate));
    if (count, width, rate) != told {
        return Err(Fault::Bad(
            "its channels, bits or rate are not those of the file",
        ));
    }
    let number = match by_sample {
        true => Number::Sample(number),
        false => Number::Frame(number),
    };
    Ok((usize::try_from(rows).unwrap_or_default(), number, pair))
}

/// The sampling rates with a code in the header.
pub(super) const RATES: [u64; 12] = [
    0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];

/// Reads a number of one to seven bytes, whose first byte contains the length.
fn number(take: &mut impl FnMut(u32) -> Result<u64, Fault>) -> Result<u64, Fault> {
    let first = take(8)?;
    let ones = (first << 56).leading_ones();
    let more = match ones {
        0 => return Ok(first),
        2..=7 => ones - 1,
        _ => return Err(Fault::Bad("its number is wrong")),
    };
    let mut number = first & (0x7f >> ones);
    for _ in 0..more {
        match take(8)? {
            next if next >> 6 == 2 => number = number << 6 | next & 0x3f,
            _ => return Err(Fault::Bad("its number is wrong")),
        }
    }
    Ok(number)
}

/// Restores two channels from a stereo mode.
fn unpair<S: Sample>(pair: Pair, first: &mut [S], second: &mut [S]) {
    let both = first.iter_mut().zip(second);
    match pair {
        Pair::None => {}
        Pair::LeftSide => both.for_each(|(a, b)| *b = S::of(a.wide() - b.wide())),
        Pair::SideRight => both.for_each(|(a, b)| *a = S::of(a.wide() + b.wide())),
        Pair::MidSide => both.for_each(|(a, b)| {
            let side = b.wide();
            // The mean lost its lowest bit, which equals that of the difference.
            let sum = (a.wide() << 1) | (side & 1);
            (*a, *b) = (S::of((sum + side) >> 1), S::of((sum - side) >> 1));
        }),
    }
}
