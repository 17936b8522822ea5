//! Encoding of a file.
//!
//! Files are a little smaller than those of the `flac` program at its level 5: blocks of 4096
//! samples, linear prediction up to order 10, and the best of the stereo modes.

mod fixed;
mod frame;
mod linear;
mod rice;
mod subframe;
mod windows;
mod writer;

use std::ops::Range;

use spr_core::model::{Dtype, Matrix, Tag, Waveform};
use spr_core::threads::Ordered;
use spr_core::{Error, Remedy, Result};

use super::blocks;
use super::checksum::SampleMd5;
use super::stream_info::StreamInfo;
use crate::coded::Encode;
use frame::{BLOCK, FrameEncoder, Shape};

/// The limits for channels, bits of samples, and sampling rates.
pub(super) const CHANNELS: u64 = 8;
pub(super) const BITS: u32 = 24;
const RATE: u32 = 96_000;
/// The largest number of samples per channel that the header can count.
const ROWS: u64 = (1 << 36) - 1;

/// The number of frames that a thread encodes at once.
const PART: usize = 8;

/// Returns an encoder of files on up to `threads` threads, which do not change the bytes.
pub(super) fn encoder(threads: usize) -> Encode {
    let mut pool = None;
    Box::new(move |sound, tags| {
        let done = file(sound, tags, threads, &mut pool);
        if done.is_err() {
            // It may still work on this file.
            pool = None;
        }
        done
    })
}

type Pool = Ordered<Task, Encoded>;

/// Successive frames to be encoded.
struct Task {
    shape: Shape,
    /// Interleaved samples, as numbers of their significant bits.
    samples: Vec<i32>,
    /// The number of the first frame.
    first: u64,
}

/// Encoded frames, and the smallest and the largest size of one in bytes.
type Encoded = (Vec<u8>, [usize; 2]);

impl Task {
    fn encode(self) -> Encoded {
        let mut encoder = FrameEncoder::new(self.shape);
        let mut sizes = UNKNOWN;
        let blocks = self.samples.chunks(BLOCK * self.shape.channels);
        for (number, block) in (self.first..).zip(blocks) {
            let size = encoder.encode(block, number);
            sizes = extended(sizes, [size; 2]);
        }
        (encoder.finish(), sizes)
    }
}

/// The smallest and the largest size of no frames.
const UNKNOWN: [usize; 2] = [usize::MAX, 0];

fn extended([least, most]: [usize; 2], [less, more]: [usize; 2]) -> [usize; 2] {
    [least.min(less), most.max(more)]
}

/// Encodes a file.
///
/// # Errors
/// The samples cannot be represented, or a thread died.
fn file(
    sound: &Waveform,
    tags: &[Tag],
    threads: usize,
    pool: &mut Option<Pool>,
) -> Result<Vec<u8>> {
    let samples = &sound.samples;
    let (rows, channels) = (samples.rows(), samples.cols());
    if rows as u64 > ROWS {
        return Err(Error::unfit(format!("has {rows} samples")).the_format(" can't count so many"));
    }
    let bits: u32 = match samples.dtype() {
        Dtype::U8 => 8,
        Dtype::I16 => 16,
        _ => BITS,
    };
    let shape = Shape {
        rate: sound.rate,
        channels,
        bits,
    };
    let size = u16::try_from(BLOCK).unwrap_or_default();
    let mut info = StreamInfo {
        // The last frame does not count. With different block sizes readers would assume frames
        // numbered by samples.
        blocks: (size, size),
        frames: (0, 0),
        rate: sound.rate,
        channels: u32::try_from(channels).unwrap_or_default(),
        bits,
        total: rows as u64,
        md5: [0; 16],
    };
    let mut out = Vec::new();
    blocks::write(&info, tags, &mut out)?;
    let step = PART * BLOCK * channels;
    let several = threads > 1 && samples.len() > step;
    let (mut sum, mut sizes) = (SampleMd5::new(bits, false), UNKNOWN);
    let mut append = |(frames, own): Encoded| {
        out.extend_from_slice(&frames);
        sizes = extended(sizes, own);
    };
    for start in (0..samples.len()).step_by(step.max(1)) {
        let range = start..samples.len().min(start + step);
        let width = samples.dtype().size();
        let native = &samples.as_bytes()[range.start * width..range.end * width];
        let task = Task {
            shape,
            samples: take(samples, range)?,
            first: (start / (BLOCK * channels)) as u64,
        };
        let done = match several {
            true => {
                let pool = pool.get_or_insert_with(|| Ordered::new(threads, Task::encode));
                pool.push(task)?
            }
            false => Some(task.encode()),
        };
        sum.add(native)?;
        done.into_iter().for_each(&mut append);
    }
    if let Some(pool) = pool {
        while let Some(done) = pool.pop()? {
            append(done);
        }
    }
    info.frames = sizes
        .map(|size| u32::try_from(size).unwrap_or_default())
        .into();
    info.md5 = sum.digest()?;
    let mut header = Vec::new();
    blocks::write(&info, tags, &mut header)?;
    out[..header.len()].copy_from_slice(&header);
    Ok(out)
}

/// Refuses a rate that is beyond what is encoded.
pub(super) fn check_rate(rate: &u32) -> Result<()> {
    match *rate > RATE {
        true => Err(Error::unfit(format!(
            "has {rate} samples a second, which a FLAC file written here can't hold"
        ))
        .suggest(Remedy::Resample)),
        false => Ok(()),
    }
}

/// Returns a range of samples, as numbers of their significant bits.
fn take(samples: &Matrix, range: Range<usize>) -> Result<Vec<i32>> {
    Ok(if let Some(samples) = samples.as_slice::<u8>() {
        samples[range].iter().map(|v| i32::from(*v) - 128).collect()
    } else if let Some(samples) = samples.as_slice::<i16>() {
        samples[range].iter().map(|v| i32::from(*v)).collect()
    } else {
        let samples = samples.values::<i32>()?;
        samples[range].iter().map(|v| v >> 8).collect()
    })
}
