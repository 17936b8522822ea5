//! Search for the frame that holds a sample.

use std::collections::BTreeMap;
use std::ops::{Bound, Range};

use spr_core::Result;
use spr_core::bytes::Source;

use super::frame::{self, HEADER};
use super::stream_info::StreamInfo;

/// The number of bytes that are decoded rather than jumped over.
const NEAR: u64 = 16 << 10;
/// The least distance of frames whose places are kept, in bytes.
const APART: u64 = 32 << 10;
/// The number of bytes in which the start of a frame is looked for at once.
const WINDOW: usize = 1 << 10;

/// The place of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FramePlace {
    /// The index of its first sample.
    pub(super) sample: u64,
    /// The byte at which it starts.
    pub(super) byte: u64,
}

/// The places of frames that are known.
pub(super) struct FrameIndex {
    /// Bytes of frames that were decoded, by their first samples.
    decoded: BTreeMap<u64, u64>,
    /// The places of frames by the file's seek table, which may be wrong.
    points: Vec<FramePlace>,
    first: FramePlace,
    /// The end of the last frame, or of what follows it.
    end: FramePlace,
}

impl FrameIndex {
    /// Creates the index of a file, of which the first frame comes next. Returns `None` if the places of
    /// samples can't be found: where `source` can't go back, the samples are not counted, or numbers of
    /// frames do not tell their samples.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn new(
        source: &mut Source,
        info: &StreamInfo,
        mut points: Vec<FramePlace>,
    ) -> Result<Option<Self>> {
        let byte = source.offset();
        let (true, Some(len)) = (source.can_seek() && info.total > 0, source.len()) else {
            return Ok(None);
        };
        if frame::first_sample(source.peek(HEADER)?, info) != Some(0) {
            return Ok(None);
        }
        for point in &mut points {
            point.byte = point.byte.saturating_add(byte);
        }
        Ok(Some(Self {
            decoded: BTreeMap::new(),
            points,
            first: FramePlace { sample: 0, byte },
            end: FramePlace {
                sample: info.total,
                byte: len,
            },
        }))
    }

    /// Adds a frame that was decoded, unless one shortly before it is known.
    pub(super) fn add(&mut self, place: FramePlace) {
        let before = self.decoded.range(..=place.sample).next_back();
        if before.is_none_or(|(_, byte)| place.byte >= byte + APART) {
            self.decoded.insert(place.sample, place.byte);
        }
    }

    /// Returns the last known frame that starts at or before `sample`: the current one, which is `here`,
    /// or one that was decoded before.
    pub(super) fn before(&self, sample: u64, here: FramePlace) -> FramePlace {
        let decoded = self.decoded.range(..=sample).next_back();
        match decoded.map_or(self.first, of) {
            known if (known.sample..=sample).contains(&here.sample) => here,
            known => known,
        }
    }

    /// Searches forward from the frame `low` for one that starts at or shortly before sample `to`.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn search(
        &self,
        source: &mut Source,
        info: &StreamInfo,
        mut low: FramePlace,
        to: u64,
    ) -> Result<FramePlace> {
        let after = (Bound::Excluded(to), Bound::Unbounded);
        let mut high = self.decoded.range(after).next().map_or(self.end, of);
        let points = self.points.iter().filter(|point| point.sample <= to);
        let mut point = points.max_by_key(|point| point.sample).copied();
        for attempt in 1.. {
            let (near, most) = (low.byte.saturating_add(NEAR), high.byte.saturating_sub(1));
            let estimated = match attempt % 3 {
                // Where the rate of bytes varies much, halves come to an end.
                0 => low.byte + high.byte.saturating_sub(low.byte) / 2,
                _ => estimate(low, high, to, info),
            };
            let guess = match point.take_if(|point| (near..most).contains(&point.byte)) {
                Some(point) if estimated > near => point.byte,
                _ => estimated.min(most),
            };
            if guess <= near {
                break;
            }
            let samples = low.sample + 1..high.sample;
            match probe(source, info, guess..high.byte, samples)? {
                Some(found) if found.sample <= to => low = found,
                Some(found) => high = found,
                None => high.byte = guess,
            }
        }
        Ok(low)
    }
}

fn of((sample, byte): (&u64, &u64)) -> FramePlace {
    FramePlace {
        sample: *sample,
        byte: *byte,
    }
}

/// Estimates the byte from which the next frame is one at or shortly before sample `to`.
fn estimate(low: FramePlace, high: FramePlace, to: u64, info: &StreamInfo) -> u64 {
    let bytes = u128::from(high.byte.saturating_sub(low.byte));
    let samples = u128::from(high.sample.saturating_sub(low.sample)).max(1);
    let ahead = to.saturating_sub(low.sample);
    let ahead = u128::from(ahead.saturating_sub(u64::from(info.blocks.1)));
    low.byte + u64::try_from(ahead * bytes / samples).unwrap_or(u64::MAX / 2)
}

/// Finds the first frame that starts in these bytes and has its first sample in `samples`.
fn probe(
    source: &mut Source,
    info: &StreamInfo,
    bytes: Range<u64>,
    samples: Range<u64>,
) -> Result<Option<FramePlace>> {
    source.seek(bytes.start)?;
    while source.offset() < bytes.end {
        let at = source.offset();
        source.expect_jump();
        let window = source.peek(WINDOW)?;
        let is_last = window.len() < WINDOW;
        let starts = window.len().saturating_sub(HEADER - 1).max(1);
        let starts = if is_last { window.len() } else { starts };
        for n in 0..starts {
            let byte = at + n as u64;
            if window[n] == 0xff
                && bytes.contains(&byte)
                && let Some(sample) = frame::first_sample(&window[n..], info)
                && samples.contains(&sample)
            {
                return Ok(Some(FramePlace { sample, byte }));
            }
        }
        if is_last {
            break;
        }
        source.skip(starts as u64)?;
    }
    Ok(None)
}
