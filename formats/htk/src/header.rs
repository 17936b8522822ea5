//! The header of a parameter file.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::format::ObjectBounds;
use spr_core::model::{Decimal, Dtype, Meta, Rank, Tag, TagSubject};
use spr_core::{Error, Result};

use crate::kind::{Content, ParameterKind};

/// The name of the format.
pub(crate) const NAME: &str = "htk";

/// The largest frame that HTK itself reads, in bytes.
pub(crate) const MOST_BYTES: u64 = 5000;
/// The longest frame shift that HTK itself reads, in units of 100 ns.
pub(crate) const MOST_PERIOD: u32 = 1_000_000;

/// The unit of periods as a power of ten: 100 nanoseconds.
pub(crate) const UNIT: i16 = -7;
/// The number of units per second.
pub(crate) const UNITS: u32 = 10u32.pow(UNIT.unsigned_abs() as u32);
/// The key of the tag with the kind.
pub(crate) const KIND: &[u8] = b"kind";
/// The number of frames that scales and offsets of compressed values replace.
const SCALES: i32 = 4;

/// The fields of the header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    /// The number of frames, including those replaced by other numbers.
    frames: i32,
    period: i32,
    /// The size of a frame in bytes.
    size: u16,
    pub(crate) kind: ParameterKind,
    pub(crate) order: ByteOrder,
}

impl Header {
    const LEN: usize = 12;

    fn of(bytes: [u8; Self::LEN], order: ByteOrder) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = bytes;
        Self {
            frames: order.read_i32([a, b, c, d]),
            period: order.read_i32([e, f, g, h]),
            size: order.read_u16([i, j]),
            kind: ParameterKind(order.read_u16([k, l])),
            order,
        }
    }

    /// Returns the file lengths that this header implies if it is valid: big-endian and
    /// little-endian.
    pub(crate) fn claims(head: [u8; Self::LEN]) -> [Option<u64>; 2] {
        [ByteOrder::Big, ByteOrder::Little].map(|order| Self::of(head, order).claim())
    }

    /// Returns `true` if this is likely the start of a file of unknown length, in either byte
    /// order.
    pub(crate) fn is_likely(head: &[u8]) -> bool {
        head.first_chunk().is_some_and(|head| {
            let orders = [ByteOrder::Big, ByteOrder::Little];
            let mut headers = orders.map(|order| Self::of(*head, order)).into_iter();
            headers.any(|header| header.is_sane() && header.period > 0)
        })
    }

    /// Returns `true` if HTK itself would read a file with this header, except for an unknown
    /// period.
    fn is_sane(self) -> bool {
        self.claim().is_some()
            && self.period.unsigned_abs() <= MOST_PERIOD
            && u64::from(self.size) <= MOST_BYTES
            && self.kind.obstacle().is_none()
    }

    /// Returns the implied length of the file, if this can be a header.
    fn claim(self) -> Option<u64> {
        let frames = u64::try_from(self.frames).ok().filter(|n| *n > 0)?;
        let possible =
            self.period >= 0 && self.size > 0 && self.size.is_multiple_of(self.kind.unit());
        let len = Self::LEN as u64 + frames * u64::from(self.size) + self.kind.trailer();
        (possible && self.kind.is_known()).then_some(len)
    }

    /// Reads a header. A file by itself is little-endian if only that fits its length or, if that
    /// is unknown, if HTK would read it only so.
    ///
    /// # Errors
    /// The header is invalid, or the kind is not supported.
    pub(crate) fn read(source: &mut Source, extent: ObjectBounds) -> Result<Self> {
        let (at, left) = (source.offset(), source.remaining());
        let bytes = source.array()?;
        let [big, little] = [ByteOrder::Big, ByteOrder::Little].map(|order| {
            let header = Self::of(bytes, order);
            match left {
                Some(left) => header.claim() == Some(left),
                None => header.is_sane(),
            }
        });
        let order = match extent == ObjectBounds::Whole && little && !big {
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

    /// Returns the number of columns, 0 if there are no frames.
    pub(crate) fn dim(self) -> u64 {
        match self.frames {
            0 => 0,
            _ => u64::from(self.size / self.kind.unit()),
        }
    }

    /// Returns the size of a frame in bytes.
    pub(crate) fn frame_size(self) -> u64 {
        self.size.into()
    }

    /// Returns the number of rows.
    pub(crate) fn rows(self) -> u64 {
        let scales = match self.kind.content() {
            Content::Compressed => SCALES,
            _ => 0,
        };
        u64::try_from(self.frames - scales).unwrap_or_default()
    }

    /// Returns the size of the data in bytes, without the checksum.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.frames.unsigned_abs()) * u64::from(self.size)
    }

    /// Returns the shape of the features. Audio files have none.
    pub(crate) fn shape(self) -> (Dtype, Rank, u64, u64) {
        let dtype = match self.kind.content() {
            Content::Samples | Content::Codes => Dtype::I16,
            Content::Floats | Content::Compressed | Content::Reflections => Dtype::F32,
        };
        (dtype, Rank::Matrix, self.rows(), self.dim())
    }

    /// Returns the sampling rate in Hz, if it is an integer.
    pub(crate) fn rate(self) -> Option<u32> {
        let period = u32::try_from(self.period).ok().filter(|n| *n > 0)?;
        UNITS.is_multiple_of(period).then_some(UNITS / period)
    }

    /// Returns the frame shift in seconds.
    pub(crate) fn frame_shift(self) -> Option<Decimal> {
        let (mut digits, mut power) = (i64::from(self.period), UNIT);
        while digits % 10 == 0 && power < 0 {
            (digits, power) = (digits / 10, power + 1);
        }
        (digits > 0).then_some(Decimal::new(digits, power))
    }

    /// Adds the information besides the shape.
    pub(crate) fn describe(self, meta: &mut Meta) {
        if self.kind.content() == Content::Samples {
            return;
        }
        if let Some(shift) = self.frame_shift() {
            meta.frame_shift = Some(shift);
        }
        // USER is the default kind.
        let kind = self.kind.as_read();
        if kind != ParameterKind::USER {
            let tag = Tag::new(NAME, KIND, kind.to_string());
            meta.tags.push(tag.about(TagSubject::Columns));
        }
    }
}
