//! Encoding of frames: a block of samples of all channels.

use super::subframe::{Scratch, Subframe};
use super::writer::BitWriter;
use crate::flac::checksum::{crc8, crc16};
use crate::flac::frame::RATES;

/// The sound that frames belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The sampling rate in Hz.
    pub(super) rate: u32,
    /// The number of channels, 1 to 8.
    pub(super) channels: usize,
    /// The number of bits per sample: 8, 16 or 24.
    pub(super) bits: u32,
}

/// The number of samples per channel in a frame, as in the `flac` program.
pub(super) const BLOCK: usize = 4096;

/// The stereo modes: their codes, and the two of left, right, middle and side that are stored.
const PAIRS: [(u64, [usize; 2]); 4] = [(1, [0, 1]), (8, [0, 3]), (9, [3, 1]), (10, [2, 3])];

/// An encoder of frames.
pub(super) struct FrameEncoder {
    shape: Shape,
    subframes: Vec<Subframe>,
    scratch: Scratch,
    out: BitWriter,
}

impl FrameEncoder {
    pub(super) fn new(shape: Shape) -> Self {
        let count = if shape.channels == 2 {
            4
        } else {
            shape.channels
        };
        Self {
            shape,
            subframes: (0..count).map(|_| Subframe::new()).collect(),
            scratch: Scratch::default(),
            out: BitWriter::default(),
        }
    }

    /// Encodes the frame `number` of these interleaved samples, at least one per channel, and
    /// returns its size.
    pub(super) fn encode(&mut self, samples: &[i32], number: u64) -> usize {
        let Shape { channels, bits, .. } = self.shape;
        let scratch = &mut self.scratch;
        let (mode, stored) = match &mut self.subframes[..] {
            [only] => {
                only.choose(samples.iter().copied(), bits, scratch);
                (0, vec![0])
            }
            [left, right, middle, side] if channels == 2 => {
                let pairs = || samples.chunks_exact(2);
                left.choose(pairs().map(|pair| pair[0]), bits, scratch);
                right.choose(pairs().map(|pair| pair[1]), bits, scratch);
                middle.choose(pairs().map(|pair| (pair[0] + pair[1]) >> 1), bits, scratch);
                side.choose(pairs().map(|pair| pair[0] - pair[1]), bits + 1, scratch);
                let bits = [left, right, middle, side].map(|subframe| subframe.bits);
                let (mode, stored) = shortest(bits);
                (mode, stored.to_vec())
            }
            all => {
                for (n, subframe) in all.iter_mut().enumerate() {
                    let own = samples.iter().skip(n).step_by(channels);
                    subframe.choose(own.copied(), bits, scratch);
                }
                (channels as u64 - 1, (0..channels).collect())
            }
        };
        let start = self.out.align().len();
        self.header(samples.len() / channels, mode, number);
        for n in stored {
            self.subframes[n].write(&mut self.out);
        }
        let sum = crc16(&self.out.align()[start..]);
        self.out.put(u64::from(sum), 16);
        self.out.align().len() - start
    }

    /// Returns all frames.
    pub(super) fn finish(self) -> Vec<u8> {
        self.out.finish()
    }

    /// Starts the frame with its header.
    fn header(&mut self, rows: usize, mode: u64, number: u64) {
        let Shape { rate, bits, .. } = self.shape;
        let out = &mut self.out;
        let start = out.align().len();
        // Frames are counted, and have one size.
        out.put(0xfff8, 16);
        let (block, more) = match rows {
            BLOCK => (12, 0),
            ..=256 => (6, 8),
            _ => (7, 16),
        };
        out.put(block, 4);
        let (code, value, size) = rate_code(rate);
        out.put(code, 4);
        out.put(mode, 4);
        let width = match bits {
            8 => 1,
            16 => 4,
            24 => 6,
            _ => 0,
        };
        out.put(width << 1, 4);
        put_number(number, out);
        if more > 0 {
            out.put(rows as u64 - 1, more);
        }
        out.put(value, size);
        let sum = crc8(&out.align()[start..]);
        out.put(u64::from(sum), 8);
    }
}

/// Returns the stereo mode with the fewest bits: its code, and what is stored.
fn shortest(bits: [u64; 4]) -> (u64, [usize; 2]) {
    let size = |(_, [a, b]): &(u64, [usize; 2])| bits[*a] + bits[*b];
    PAIRS.into_iter().min_by_key(size).unwrap_or(PAIRS[0])
}

/// Returns the code of a rate in the header, and the number behind it with its bits.
fn rate_code(rate: u32) -> (u64, u64, u32) {
    let value = u64::from(rate);
    if let Some(code) = (1..).zip(&RATES[1..]).find(|(_, own)| **own == value) {
        return (code.0, 0, 0);
    }
    match rate {
        _ if rate.is_multiple_of(1000) && rate <= 255_000 => (12, value / 1000, 8),
        ..=0xffff => (13, value, 16),
        _ if rate.is_multiple_of(10) && rate <= 655_350 => (14, value / 10, 16),
        // The one in the header of the file.
        _ => (0, 0, 0),
    }
}

/// Writes a number of up to 36 bits in one to seven bytes, as UTF-8 would be continued.
fn put_number(number: u64, out: &mut BitWriter) {
    if number < 0x80 {
        return out.put(number, 8);
    }
    let bits = number.ilog2() + 1;
    // The first byte has six bits less those that count the others.
    let more = (1..6).find(|more| bits <= 6 * more + 6 - more).unwrap_or(6);
    let ones = 0xff << (7 - more) & 0xff;
    out.put(ones & !(1 << (6 - more)) | number >> (6 * more), 8);
    for n in (0..more).rev() {
        out.put(0x80 | number >> (6 * n) & 0x3f, 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flac::frame::{Frame, Number, read};
    use crate::flac::stream_info::StreamInfo;

    /// Encodes a frame, and returns its code of channels and what is read from it.
    fn coded(shape: Shape, samples: &[i32], number: u64) -> (u8, Frame, Vec<Vec<i32>>) {
        let mut encoder = FrameEncoder::new(shape);
        let size = encoder.encode(samples, number);
        let bytes = encoder.finish();
        assert_eq!(size, bytes.len());
        let info = StreamInfo {
            rate: shape.rate,
            channels: u32::try_from(shape.channels).unwrap(),
            bits: shape.bits,
            ..StreamInfo::default()
        };
        let mut planes = vec![Vec::new(); shape.channels];
        let frame = read(&bytes, &info, &mut planes).unwrap();
        assert_eq!(frame.len, size);
        (bytes[3] >> 4, frame, planes)
    }

    const MONO: Shape = Shape {
        rate: 16_000,
        channels: 1,
        bits: 16,
    };

    #[test]
    fn numbers_of_any_size_are_read_back() {
        for bits in 0..36 {
            for number in [(1 << bits) - 1, 1 << bits, (2 << bits) - 1] {
                let frame = coded(MONO, &[1, 2, 3], number).1;
                assert_eq!(frame.number, Number::Frame(number));
            }
        }
    }

    #[test]
    fn rates_and_blocks_have_short_codes() {
        // Bytes of the header beyond the shortest, as the rate is in STREAMINFO or takes some.
        for (rate, bytes) in [
            (16_000, 0),
            (44_100, 0),
            (96_000, 0),
            (1, 2),
            (1000, 1),
            (12_345, 2),
            (65_535, 2),
            (65_540, 2),
            (254_000, 1),
            (256_000, 2),
            (65_537, 0),
            (655_360, 0),
        ] {
            let shape = Shape { rate, ..MONO };
            let len = |rows| coded(shape, &vec![1; rows], 0).1.len;
            assert_eq!(len(4096), 11 + bytes, "{rate}");
            assert_eq!((len(256), len(257)), (12 + bytes, 13 + bytes), "{rate}");
        }
    }

    /// Returns pseudo-random numbers of `bits` bits.
    fn noise(seed: u32, bits: u32) -> Vec<i32> {
        let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        let states = std::iter::successors(Some(seed.wrapping_mul(0x9e37_79b9)), next);
        let numbers = states.map(|state| state.cast_signed() >> (32 - bits));
        numbers.skip(10).take(999).collect()
    }

    #[test]
    fn pairs_are_stored_in_the_shortest_way() {
        let shape = Shape {
            channels: 2,
            ..MONO
        };
        let (loud, soft) = (noise(1, 15), noise(2, 5));
        let line: Vec<i32> = (0..999).collect();
        let sum = |a: &[i32], b: &[i32], factor: i32| -> Vec<i32> {
            a.iter().zip(b).map(|(a, b)| a + factor * b).collect()
        };
        // Apart, alike, and one of them with noise of its own.
        for (code, left, right) in [
            (1, loud.clone(), soft.clone()),
            (10, sum(&line, &soft, 1), sum(&line, &soft, -1)),
            (8, line.clone(), sum(&line, &soft, 2)),
            (9, sum(&line, &soft, 2), line.clone()),
        ] {
            let samples: Vec<i32> = left
                .iter()
                .zip(&right)
                .flat_map(|(a, b)| [*a, *b])
                .collect();
            let (mode, _, planes) = coded(shape, &samples, 0);
            assert_eq!(planes, [left, right]);
            assert_eq!(mode, code);
        }
    }
}
