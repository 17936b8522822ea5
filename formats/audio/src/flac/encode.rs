//! Encoding of a file.

use std::ops::Range;

use flacenc::bitsink::ByteSink;
use flacenc::component::BitRepr;
use flacenc::config::Encoder;
use flacenc::error::Verify;
use flacenc::source::{Fill, FrameBuf};
use spr_core::model::{Dtype, Matrix, Tag, Waveform};
use spr_core::{Error, Remedy, Result};

use super::blocks;
use super::decode::SampleMd5;
use super::stream_info::StreamInfo;

/// The number of samples per channel in a frame, as in the `flac` program.
const BLOCK: usize = 4096;
/// The encoder's limits for channels, bits of samples, and sampling rates.
pub(super) const CHANNELS: u64 = 8;
pub(super) const BITS: u32 = 24;
const RATE: u32 = 96_000;

/// Encodes a file.
///
/// # Errors
/// The samples cannot be represented.
pub(super) fn file(sound: &Waveform, tags: &[Tag]) -> Result<Vec<u8>> {
    let samples = &sound.samples;
    let (rows, channels) = (samples.rows(), samples.cols());
    let bits: u32 = match samples.dtype() {
        Dtype::U8 => 8,
        Dtype::I16 => 16,
        _ => BITS,
    };
    let broken = |e: &dyn std::fmt::Display| Error::unfit(format!("can't be encoded: {e}"));
    let encoder = Encoder::default()
        .into_verified()
        .map_err(|(_, e)| broken(&e))?;
    let shape = flacenc::component::StreamInfo::new(sound.rate as usize, channels, bits as usize);
    let shape = shape.map_err(|e| broken(&e))?;
    let mut block = FrameBuf::with_size(channels, BLOCK).map_err(|e| broken(&e))?;
    let mut sum = SampleMd5::new(bits);
    let (mut frames, mut lengths) = (Vec::new(), (u32::MAX, 0));
    let (all, step, mut part) = (rows * channels, BLOCK * channels, Vec::new());
    for (n, start) in (0..all).step_by(step).enumerate() {
        take(samples, start..all.min(start + step), &mut part)?;
        block.fill_interleaved(&part).map_err(|e| broken(&e))?;
        let frame = flacenc::encode_fixed_size_frame(&encoder, &block, n, &shape);
        let mut sink = ByteSink::new();
        let written = frame.map_err(|e| broken(&e))?.write(&mut sink);
        written.map_err(|e| broken(&e))?;
        let len = u32::try_from(sink.as_slice().len()).unwrap_or(u32::MAX);
        lengths = (lengths.0.min(len), lengths.1.max(len));
        frames.extend_from_slice(sink.as_slice());
        sum.add_all(&part);
    }
    let size = u16::try_from(BLOCK).unwrap_or_default();
    let info = StreamInfo {
        // The last frame does not count. With different block sizes readers would assume frames
        // numbered by samples.
        blocks: (size, size),
        frames: lengths,
        rate: sound.rate,
        channels: u32::try_from(channels).unwrap_or_default(),
        bits,
        total: rows as u64,
        md5: sum.digest(),
    };
    let mut out = Vec::with_capacity(frames.len() + 1024);
    blocks::write(&info, tags, &mut out)?;
    out.extend_from_slice(&frames);
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

/// Extracts a range of samples, as numbers of their significant bits.
fn take(samples: &Matrix, range: Range<usize>, out: &mut Vec<i32>) -> Result<()> {
    out.clear();
    if let Some(samples) = samples.as_slice::<u8>() {
        out.extend(samples[range].iter().map(|v| i32::from(*v) - 128));
    } else if let Some(samples) = samples.as_slice::<i16>() {
        out.extend(samples[range].iter().map(|v| i32::from(*v)));
    } else {
        let samples = samples.values::<i32>()?;
        out.extend(samples[range].iter().map(|v| v >> 8));
    }
    Ok(())
}
