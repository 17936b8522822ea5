//! What stands before the data of a parameter file.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::format::Extent;
use spr_core::model::{Decimal, Described, Dtype, Meta, Rank, Tag};
use spr_core::{Error, Result};

use crate::caps::{MOST_BYTES, MOST_PERIOD, NAME};
use crate::kind::{Content, ParameterKind};

/// Periods are counted in this power of ten of a second: 100 nanoseconds.
pub(crate) const UNIT: i16 = -7;
/// Such units in a second.
pub(crate) const UNITS: u32 = 10u32.pow(UNIT.unsigned_abs() as u32);
/// The key of the header line that keeps the kind.
pub(crate) const KIND: &[u8] = b"kind";
/// Frames whose room the numbers take by which compressed values are to be undone.
const SCALES: i32 = 4;

/// What the header says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    /// Frames, those in the place of which other numbers stand among them.
    frames: i32,
    period: i32,
    /// Bytes of a frame.
    size: u16,
    pub(crate) kind: ParameterKind,
    pub(crate) order: ByteOrder,
}

impl Header {
    const LEN: usize = 12;

    fn of(bytes: [u8; Self::LEN], order: ByteOrder) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = bytes;
        let int = |bytes| match order {
            ByteOrder::Big => i32::from_be_bytes(bytes),
            ByteOrder::Little => i32::from_le_bytes(bytes),
        };
        let short = |bytes| match order {
            ByteOrder::Big => u16::from_be_bytes(bytes),
            ByteOrder::Little => u16::from_le_bytes(bytes),
        };
        Self {
            frames: int([a, b, c, d]),
            period: int([e, f, g, h]),
            size: short([i, j]),
            kind: ParameterKind(short([k, l])),
            order,
        }
    }

    /// The lengths that a file may have whose header this is, if it is one: big-endian and
    /// little-endian.
    pub(crate) fn claims(head: [u8; Self::LEN]) -> [Option<u64>; 2] {
        [ByteOrder::Big, ByteOrder::Little].map(|order| Self::of(head, order).claim())
    }

    /// Whether a file of unknown length that starts so is likely to be one, in either byte order.
    pub(crate) fn is_likely(head: &[u8]) -> bool {
        head.first_chunk().is_some_and(|head| {
            let orders = [ByteOrder::Big, ByteOrder::Little];
            let mut headers = orders.map(|order| Self::of(*head, order)).into_iter();
            headers.any(|header| header.is_sane() && header.period > 0)
        })
    }

    /// Whether HTK itself would read a file with this header, apart from a period that is not known.
    fn is_sane(self) -> bool {
        self.claim().is_some()
            && self.period.unsigned_abs() <= MOST_PERIOD
            && u64::from(self.size) <= MOST_BYTES
            && self.kind.obstacle().is_none()
    }

    /// The length of the file, if this may be the header of one.
    fn claim(self) -> Option<u64> {
        let frames = u64::try_from(self.frames).ok().filter(|n| *n > 0)?;
        let possible =
            self.period >= 0 && self.size > 0 && self.size.is_multiple_of(self.kind.unit());
        let len = Self::LEN as u64 + frames * u64::from(self.size) + self.kind.trailer();
        (possible && self.kind.is_known()).then_some(len)
    }

    /// Reads a header. In a file of its own it is little-endian if only that fits the length, or, where
    /// that is not known, if only so HTK would read it.
    ///
    /// # Errors
    /// It is none, or the file holds what is not read.
    pub(crate) fn read(source: &mut Source, extent: Extent) -> Result<Self> {
        let (at, left) = (source.offset(), source.remaining());
        let bytes = source.array()?;
        let [big, little] = [ByteOrder::Big, ByteOrder::Little].map(|order| {
            let header = Self::of(bytes, order);
            match left {
                Some(left) => header.claim() == Some(left),
                None => header.is_sane(),
            }
        });
        let order = match extent == Extent::Whole && little && !big {
            true => ByteOrder::Little,
            false => ByteOrder::Big,
        };
        let header = Self::of(bytes, order);
        let placed = |e: Error| e.file(source.name()).byte(at);
        let Self {
            frames,
            period,
            size,
            kind,
            ..
        } = header;
        if let Some(obstacle) = kind.obstacle() {
            let message = format!("HTK data of kind {kind}, which hold {obstacle}");
            return Err(placed(Error::unsupported(message)));
        }
        if frames < 0 {
            let message = format!("the HTK header says {frames} frames");
            return Err(placed(Error::malformed(message)));
        }
        if size == 0 || !size.is_multiple_of(kind.unit()) || period < 0 {
            let message =
                format!("the HTK header says {size} bytes per frame and a period of {period}");
            return Err(placed(Error::malformed(message)));
        }
        if kind.content() == Content::Compressed && frames < SCALES {
            let message =
                format!("compressed HTK data of {frames} frames, expected {SCALES} or more");
            return Err(placed(Error::malformed(message)));
        }
        Ok(header)
    }

    /// Columns; none where there are no frames.
    pub(crate) fn dim(self) -> u64 {
        match self.frames {
            0 => 0,
            _ => u64::from(self.size / self.kind.unit()),
        }
    }

    /// Bytes of a frame.
    pub(crate) fn frame_size(self) -> u64 {
        self.size.into()
    }

    /// Rows.
    pub(crate) fn rows(self) -> u64 {
        let scales = match self.kind.content() {
            Content::Compressed => SCALES,
            _ => 0,
        };
        u64::try_from(self.frames - scales).unwrap_or_default()
    }

    /// Bytes of the data, without a check sum.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.frames.unsigned_abs()) * u64::from(self.size)
    }

    /// The features that it tells of; there are none beside sound.
    pub(crate) fn shape(self) -> (Dtype, Rank, u64, u64) {
        let dtype = match self.kind.content() {
            Content::Samples | Content::Codes => Dtype::I16,
            Content::Floats | Content::Compressed | Content::Reflections => Dtype::F32,
        };
        (dtype, Rank::Matrix, self.rows(), self.dim())
    }

    /// Samples a second, if it is a whole number of them.
    pub(crate) fn rate(self) -> Option<u32> {
        let period = u32::try_from(self.period).ok().filter(|n| *n > 0)?;
        UNITS.is_multiple_of(period).then_some(UNITS / period)
    }

    /// Seconds from frame to frame.
    pub(crate) fn frame_shift(self) -> Option<Decimal> {
        let (mut digits, mut power) = (i64::from(self.period), UNIT);
        while digits % 10 == 0 && power < 0 {
            (digits, power) = (digits / 10, power + 1);
        }
        (digits > 0).then_some(Decimal::new(digits, power))
    }

    /// What it says beside the shape.
    pub(crate) fn describe(self, meta: &mut Meta) {
        if self.kind.content() == Content::Samples {
            return;
        }
        if let Some(shift) = self.frame_shift() {
            meta.frame_shift = Some(shift);
        }
        // Without a tag the kind is USER.
        let kind = self.kind.as_read();
        if kind != ParameterKind::USER {
            let tag = Tag::new(NAME, KIND, kind.to_string());
            meta.tags.push(tag.about(Described::Columns));
        }
    }
}
