//! The checksums of frames and of all samples.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use md5::{Digest, Md5};
use spr_core::{Error, Result};

/// Computes the checksum of a frame header, with the polynomial x⁸ + x² + x + 1.
pub(super) fn crc8(bytes: &[u8]) -> u8 {
    const TABLE: [u8; 256] = {
        let mut table = [0; 256];
        let (mut n, mut first) = (0, 0u8);
        while n < 256 {
            let (mut crc, mut bit) = (first, 0);
            while bit < 8 {
                crc = crc << 1 ^ if crc & 0x80 == 0 { 0 } else { 0x07 };
                bit += 1;
            }
            table[n] = crc;
            n += 1;
            first = first.wrapping_add(1);
        }
        table
    };
    bytes
        .iter()
        .fold(0, |crc, byte| TABLE[usize::from(crc ^ byte)])
}

/// The checksums of each byte with 0 to 7 zeros behind it.
static TABLES: [[u16; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let (mut n, mut first) = (0, 0u16);
    while n < 256 {
        let (mut crc, mut place) = (first << 8, 0);
        while place < 8 {
            let mut bit = 0;
            while bit < 8 {
                crc = crc << 1 ^ if crc & 0x8000 == 0 { 0 } else { 0x8005 };
                bit += 1;
            }
            tables[place][n] = crc;
            place += 1;
        }
        n += 1;
        first += 1;
    }
    tables
};

/// Computes the checksum of a frame, with the polynomial x¹⁶ + x¹⁵ + x² + 1.
pub(super) fn crc16(bytes: &[u8]) -> u16 {
    let (words, rest) = bytes.as_chunks::<8>();
    let crc = words.iter().fold(0u16, |crc, word| {
        let [high, low] = crc.to_be_bytes();
        let [a, b, more @ ..] = word;
        let mut sum = TABLES[7][usize::from(high ^ a)] ^ TABLES[6][usize::from(low ^ b)];
        for (table, byte) in TABLES[..6].iter().rev().zip(more) {
            sum ^= table[usize::from(*byte)];
        }
        sum
    });
    rest.iter().fold(crc, |crc, byte| {
        let [high, _] = crc.to_be_bytes();
        crc << 8 ^ TABLES[0][usize::from(high ^ byte)]
    })
}

/// The MD5 of samples. A long sound is summed on another thread.
pub(super) struct SampleMd5 {
    /// The number of bits per sample.
    bits: u32,
    bytes: Vec<u8>,
    /// Whether another thread may be started.
    threaded: bool,
    sum: Sum,
}

/// The place of the sum.
enum Sum {
    Here(Md5),
    Thread {
        blocks: SyncSender<Vec<u8>>,
        spare: Receiver<Vec<u8>>,
        handle: JoinHandle<[u8; 16]>,
    },
}

/// The number of bytes that are summed at once.
const BLOCK: usize = 128 << 10;
/// The number of blocks that wait.
const WAITING: usize = 4;

impl SampleMd5 {
    /// Starts the sum of samples with `bits` bits.
    pub(super) fn new(bits: u32, threaded: bool) -> Self {
        Self {
            bits,
            bytes: Vec::new(),
            threaded,
            sum: Sum::Here(Md5::new()),
        }
    }

    /// Adds interleaved samples as they are in memory: at the top of the smallest type of the
    /// model that holds them.
    ///
    /// # Errors
    /// The other thread died.
    pub(super) fn add(&mut self, samples: &[u8]) -> Result<()> {
        pack(self.bits, samples, &mut self.bytes);
        if self.bytes.len() < BLOCK {
            return Ok(());
        }
        if self.threaded {
            self.threaded = false;
            if let Some(thread) = thread() {
                self.sum = thread;
            }
        }
        match &mut self.sum {
            Sum::Here(md5) => {
                md5.update(&self.bytes);
                self.bytes.clear();
            }
            Sum::Thread { blocks, spare, .. } => {
                let mut next = spare.try_recv().unwrap_or_default();
                next.clear();
                let full = std::mem::replace(&mut self.bytes, next);
                blocks.send(full).map_err(|_| died())?;
            }
        }
        Ok(())
    }

    /// Returns the sum.
    ///
    /// # Errors
    /// The other thread died.
    pub(super) fn digest(self) -> Result<[u8; 16]> {
        match self.sum {
            Sum::Here(md5) => Ok(md5.chain_update(&self.bytes).finalize().into()),
            Sum::Thread { blocks, handle, .. } => {
                blocks.send(self.bytes).map_err(|_| died())?;
                drop(blocks);
                handle.join().map_err(|_| died())
            }
        }
    }
}

fn died() -> Error {
    Error::unsupported("the thread that sums the samples died")
}

/// Starts a thread, unless there is none to be had.
fn thread() -> Option<Sum> {
    let (blocks, queue) = sync_channel::<Vec<u8>>(WAITING);
    let (used, spare) = sync_channel(2 * WAITING);
    let work = move || {
        let mut md5 = Md5::new();
        for block in queue {
            md5.update(&block);
            // The other side may need no more.
            let _ = used.try_send(block);
        }
        md5.finalize().into()
    };
    let handle = Builder::new().spawn(work).ok()?;
    Some(Sum::Thread {
        blocks,
        spare,
        handle,
    })
}

/// Appends samples of `bits` bits in as few bytes as possible, little-endian.
fn pack(bits: u32, samples: &[u8], out: &mut Vec<u8>) {
    match bits {
        ..=8 => {
            let levels = samples.iter().map(|v| (v ^ 0x80).cast_signed());
            out.extend(levels.map(|level| (level >> (8 - bits)).cast_unsigned()));
        }
        16 if cfg!(target_endian = "little") => out.extend_from_slice(samples),
        9..=16 => {
            let levels = samples.as_chunks().0.iter().copied();
            let levels = levels.map(|level| i16::from_ne_bytes(level) >> (16 - bits));
            out.extend(levels.flat_map(i16::to_le_bytes));
        }
        _ => {
            let width = bits.div_ceil(8) as usize;
            for level in samples.as_chunks().0 {
                let level = i32::from_ne_bytes(*level) >> (32 - bits);
                out.extend_from_slice(&level.to_le_bytes()[..width]);
            }
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_the_known_ones() {
        assert_eq!(crc8(b"123456789"), 0xf4);
        assert_eq!(crc16(b"123456789"), 0xfee8);
        let bytes: Vec<u8> = (0..100u8).map(|n| n.wrapping_mul(37)).collect();
        for len in 0..bytes.len() {
            let slow = bytes[..len].iter().fold(0u16, |crc, byte| {
                (0..8).fold(crc ^ u16::from(*byte) << 8, |crc, _| {
                    crc << 1 ^ if crc & 0x8000 == 0 { 0 } else { 0x8005 }
                })
            });
            assert_eq!(crc16(&bytes[..len]), slow, "{len} bytes");
        }
    }

    #[test]
    fn samples_are_packed() {
        let packed = |bits, samples: &[u8]| {
            let mut out = Vec::new();
            pack(bits, samples, &mut out);
            out
        };
        assert_eq!(packed(8, &[0x80, 0, 0xff]), [0, 0x80, 0x7f]);
        assert_eq!(packed(4, &[0x80, 0, 0xf0]), [0, 0xf8, 7]);
        let short = 0x1230i16.to_ne_bytes();
        assert_eq!(packed(16, &short), [0x30, 0x12]);
        assert_eq!(packed(12, &short), [0x23, 1]);
        let long = (-0x7654_3300i32).to_ne_bytes();
        assert_eq!(packed(24, &long), (-0x76_5433i32).to_le_bytes()[..3]);
        assert_eq!(packed(20, &long), (-0x7_6544i32).to_le_bytes()[..3]);
        assert_eq!(packed(32, &long), (-0x7654_3300i32).to_le_bytes());
    }

    #[test]
    fn the_sum_is_the_same_on_another_thread() {
        for len in [0, 1000, BLOCK, 20 * BLOCK + 6] {
            let samples: Vec<u8> = (0..len).map(|n| (n * n % 251) as u8).collect();
            let sums = [false, true].map(|threaded| {
                let mut sum = SampleMd5::new(16, threaded);
                for part in samples.chunks(10_000) {
                    sum.add(part).unwrap();
                }
                sum.digest().unwrap()
            });
            assert_eq!(sums[0], sums[1], "{len}");
            let little = |pair: &[u8]| i16::from_ne_bytes([pair[0], pair[1]]).to_le_bytes();
            let samples: Vec<u8> = samples.chunks_exact(2).flat_map(little).collect();
            assert_eq!(sums[0], <[u8; 16]>::from(Md5::digest(samples)));
        }
    }
}
