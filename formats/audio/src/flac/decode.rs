//! Decoding of the frames.

use spr_core::bytes::{Env, ObjectBounds, Source};
use spr_core::model::{Dtype, Matrix, RecordingFacts, Tag};
use spr_core::{Error, ErrorKind, Result};

use super::bits::Fault;
use super::blocks::{self, Blocks};
use super::checksum::SampleMd5;
use super::frame::{self, Frame};
use super::order::Order;
use super::sample::Sample;
use super::seek::{FrameIndex, FramePlace};
use super::stream_info::StreamInfo;
use crate::coded::CodedFile;
use crate::id3;

/// The number of bytes that are looked at for a frame, if the file does not say how long they are.
const USUAL: usize = 8 << 10;
/// The largest size of a frame: 65 536 uncompressed samples of 8 channels, with headers.
const LONGEST: usize = 65_536 * 8 * 5;
/// The size and first bytes of an ID3v1 tag, which some programs append.
const TAG: (usize, &[u8]) = (128, b"TAG");

/// Reads everything before the first frame.
///
/// # Errors
/// The file is truncated, or the blocks are malformed.
pub(super) fn open(source: &mut Source, env: &Env) -> Result<Box<dyn CodedFile>> {
    if id3::skip(source)? {
        env.warn(&source.error(
            ErrorKind::Unfit,
            "an ID3 tag before the sound, which is ignored",
        ));
    }
    let blocks = blocks::read(source, env)?;
    Ok(match blocks.info.bits {
        ..=30 => Box::new(Stream::<i32>::new(blocks, env)),
        _ => Box::new(Stream::<i64>::new(blocks, env)),
    })
}

/// A file whose header has been read, decoded in numbers of a type.
struct Stream<S> {
    info: StreamInfo,
    tags: Vec<Tag>,
    points: Vec<FramePlace>,
    /// The places of frames, if it is sought in.
    index: Option<FrameIndex>,
    /// The samples of one frame, for each channel.
    planes: Vec<Vec<S>>,
    /// The frame at the current position, if it was decoded already.
    ready: Option<Frame>,
    /// The number of bytes in which most frames end.
    usual: usize,
    /// The number of samples per channel before the current position.
    rows: u64,
    order: Order,
    /// The sum of all samples so far, if none were passed over.
    sum: Option<SampleMd5>,
    /// Computes the sum on another thread.
    is_threaded: bool,
}

impl<S: Sample> Stream<S> {
    fn new(blocks: Blocks, env: &Env) -> Self {
        let info = blocks.info;
        let most = usize::try_from(info.frames.1).unwrap_or_default();
        let channels = usize::try_from(info.channels).unwrap_or_default();
        let mut stream = Self {
            tags: blocks.tags,
            points: blocks.points,
            index: None,
            planes: vec![Vec::new(); channels],
            ready: None,
            usual: if most > 0 { most.min(LONGEST) } else { USUAL },
            rows: 0,
            order: Order::new(&info),
            sum: None,
            is_threaded: env.threads > 1,
            info,
        };
        stream.restart(0);
        stream
    }

    /// Continues with the frame that starts with sample `rows`.
    fn restart(&mut self, rows: u64) {
        let is_summed = rows == 0 && self.info.md5 != [0; 16];
        self.sum = is_summed.then(|| SampleMd5::new(self.info.bits, self.is_threaded));
        self.order = Order::new(&self.info);
        self.ready = None;
        self.rows = rows;
    }

    /// Returns `true` if more samples follow.
    fn goes_on(&self, extent: ObjectBounds, source: &mut Source) -> Result<bool> {
        match (self.info.total, extent) {
            (0, ObjectBounds::Whole) => Ok(source.peek(TAG.0 + 1)?.len() > ended(source)?),
            (0, ObjectBounds::Own) => Err(source.error(
                ErrorKind::Unsupported,
                "a FLAC file that does not say how many samples it has",
            )),
            (total, _) => Ok(self.rows < total),
        }
    }

    /// Moves to a frame, and decodes it unless it is the current one. Returns `false` if it is damaged,
    /// or another one.
    fn land(&mut self, source: &mut Source, place: FramePlace) -> Result<bool> {
        source.seek(place.byte)?;
        if place.sample == self.rows {
            return Ok(true);
        }
        self.restart(place.sample);
        match self.next(source) {
            Ok(frame) => {
                self.ready = Some(frame);
                Ok(frame.first(&self.info) == Some(place.sample))
            }
            Err(e) if matches!(e.kind(), ErrorKind::Malformed | ErrorKind::Truncated) => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Decodes the frame at the current position without consuming it.
    fn next(&mut self, source: &mut Source) -> Result<Frame> {
        if self.index.is_some() {
            source.expect_jump();
        }
        loop {
            let bytes = source.peek(self.usual)?;
            let (there, last) = (bytes.len(), bytes.len() < self.usual);
            match frame::read(bytes, &self.info, &mut self.planes) {
                Ok(frame) => return Ok(frame),
                Err(Fault::Bad(why)) => {
                    return Err(source.malformed(format!("a damaged frame of samples: {why}")));
                }
                Err(Fault::More) if last => {
                    let of = match self.info.total {
                        0 => String::new(),
                        total => format!(" of {total}"),
                    };
                    let message = format!("the file ends after {}{of} samples", self.rows);
                    let error = Error::new(ErrorKind::Truncated, message).file(source.name());
                    return Err(error.byte(source.offset() + there as u64));
                }
                Err(Fault::More) if self.usual >= LONGEST => {
                    return Err(source.malformed("a damaged frame of samples: it has no end"));
                }
                Err(Fault::More) => self.usual *= 2,
            }
        }
    }

    /// Checks the sum of all samples, unless some were passed over.
    fn check_sum(&mut self, source: &Source) -> Result<()> {
        if let Some(sum) = self.sum.take()
            && sum.digest()? != self.info.md5
        {
            let message = "the samples are not those that were encoded: their MD5 is another";
            return Err(source.malformed(message));
        }
        Ok(())
    }
}

/// Returns the size of the trailing tag if that is all that remains, otherwise 0.
fn ended(source: &mut Source) -> Result<usize> {
    let left = source.peek(TAG.0 + 1)?;
    let tag = left.len() == TAG.0 && left.starts_with(TAG.1);
    Ok(if tag { TAG.0 } else { 0 })
}

impl<S: Sample> CodedFile for Stream<S> {
    fn facts(&self) -> RecordingFacts {
        RecordingFacts {
            rate: Some(self.info.rate),
            channels: Some(self.info.channels),
            samples: (self.info.total > 0).then_some(self.info.total),
            duration: None,
        }
    }

    fn dtype(&self) -> Dtype {
        dtype(self.info.bits)
    }

    fn bits(&self) -> Option<u32> {
        Some(self.info.bits)
    }

    fn count(&mut self, _: &mut Source, _: &Env) -> Result<Option<u64>> {
        Ok(None)
    }

    fn tags(&mut self) -> Vec<Tag> {
        std::mem::take(&mut self.tags)
    }

    fn seek(&mut self, source: &mut Source, to: u64) -> Result<Option<u64>> {
        if self.index.is_none() && self.rows == 0 {
            let points = std::mem::take(&mut self.points);
            self.index = FrameIndex::new(source, &self.info, points)?;
        }
        let Some(index) = &self.index else {
            return Ok(None);
        };
        let here = FramePlace {
            sample: self.rows,
            byte: source.offset(),
        };
        let decoded = index.before(to, here);
        let found = index.search(source, &self.info, decoded, to)?;
        // A sync code may occur inside a frame. If the frame itself is damaged, decoding reports it.
        if !self.land(source, found)? {
            self.land(source, decoded)?;
        }
        Ok(Some(self.rows))
    }

    fn decode(
        &mut self,
        source: &mut Source,
        extent: ObjectBounds,
        samples: &mut Matrix,
        env: &Env,
    ) -> Result<bool> {
        if !self.goes_on(extent, source)? {
            self.check_sum(source)?;
            if extent == ObjectBounds::Whole {
                finish(source, env)?;
            }
            return Ok(false);
        }
        let frame = match self.ready.take() {
            Some(frame) => frame,
            None => self.next(source)?,
        };
        let rows = self.rows + frame.rows as u64;
        if !self.order.holds(frame) {
            return Err(source.malformed("frames of samples are missing here"));
        }
        if self.info.total > 0 && rows > self.info.total {
            let message = format!("more than the {} samples that are told", self.info.total);
            return Err(source.malformed(message));
        }
        if let Some(index) = &mut self.index {
            if frame.first(&self.info) != Some(self.rows) {
                let message = "the number of this frame is not that of the samples before it";
                return Err(source.malformed(message));
            }
            index.add(FramePlace {
                sample: self.rows,
                byte: source.offset(),
            });
        }
        let out = source.grow(samples, frame.rows, &env.limits)?;
        store(&self.planes, self.info.bits, out);
        if let Some(sum) = &mut self.sum {
            sum.add(out)?;
        }
        source.skip(frame.len as u64)?;
        self.rows = rows;
        Ok(true)
    }
}

/// Returns the element type for samples of `bits` bits, which are shifted to its top.
fn dtype(bits: u32) -> Dtype {
    match bits {
        ..=8 => Dtype::U8,
        9..=16 => Dtype::I16,
        _ => Dtype::I32,
    }
}

/// Stores the samples of all channels, of `bits` bits each, at the top of the element type.
fn store<S: Sample>(planes: &[Vec<S>], bits: u32, out: &mut [u8]) {
    match bits {
        ..=8 => interleave(planes, out, |v: S| {
            let [level, ..] = (v.wide() << (8 - bits)).to_le_bytes();
            [level ^ 0x80]
        }),
        9..=16 => interleave(planes, out, |v: S| {
            let [a, b, ..] = (v.wide() << (16 - bits)).to_le_bytes();
            i16::from_le_bytes([a, b]).to_ne_bytes()
        }),
        _ => interleave(planes, out, |v: S| {
            let [a, b, c, d, ..] = (v.wide() << (32 - bits)).to_le_bytes();
            i32::from_le_bytes([a, b, c, d]).to_ne_bytes()
        }),
    }
}

/// Interleaves the samples of all channels.
fn interleave<const N: usize, S: Sample>(
    planes: &[Vec<S>],
    out: &mut [u8],
    convert: impl Fn(S) -> [u8; N],
) {
    let out = out.as_chunks_mut::<N>().0;
    match planes {
        [only] => {
            for (place, value) in out.iter_mut().zip(only) {
                *place = convert(*value);
            }
        }
        [left, right] => {
            let pairs = left.iter().zip(right);
            for (place, (left, right)) in out.as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
                *place = [convert(*left), convert(*right)];
            }
        }
        _ => {
            for (first, plane) in planes.iter().enumerate() {
                let places = out.iter_mut().skip(first).step_by(planes.len());
                for (place, value) in places.zip(plane) {
                    *place = convert(*value);
                }
            }
        }
    }
}

/// Consumes the trailing tag, if there is one.
fn finish(source: &mut Source, env: &Env) -> Result<()> {
    let tag = ended(source)?;
    if tag > 0 {
        env.warn(&source.error(
            ErrorKind::Unfit,
            "an ID3 tag after the samples, which is ignored",
        ));
        source.skip(tag as u64)?;
    }
    match source.at_end()? {
        true => Ok(()),
        false => Err(source.malformed("the file goes on after the samples")),
    }
}
