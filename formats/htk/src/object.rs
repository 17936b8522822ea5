//! HTK parameter files as bytes.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{Claim, Extent, Nested};
use spr_core::model::{Decimal, Described, Dtype, Matrix, Meta, Rank, Tag, Utterance};
use spr_core::{Error, ErrorKind, Result};

use crate::caps::{CAPS, NAME};
use crate::kind::ParameterKind;

/// Periods are counted in this power of ten of a second: 100 nanoseconds.
const UNIT: i16 = -7;
/// The key of the header line that keeps the kind.
const KIND: &[u8] = b"kind";

/// What the header says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) frames: i32,
    period: i32,
    /// Bytes of a frame.
    size: u16,
    kind: ParameterKind,
}

impl Header {
    const LEN: usize = 12;

    fn of(bytes: [u8; Self::LEN]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = bytes;
        Self {
            frames: i32::from_be_bytes([a, b, c, d]),
            period: i32::from_be_bytes([e, f, g, h]),
            size: u16::from_be_bytes([i, j]),
            kind: ParameterKind(u16::from_be_bytes([k, l])),
        }
    }

    /// The length of the file, if this may be the header of one.
    fn claim(self) -> Option<u64> {
        let frames = u64::try_from(self.frames).ok().filter(|n| *n > 0)?;
        let possible =
            self.period >= 0 && self.size > 0 && self.size.is_multiple_of(self.kind.unit());
        let len = Self::LEN as u64 + frames * u64::from(self.size) + self.kind.trailer();
        (possible && self.kind.is_known()).then_some(len)
    }

    /// Reads a header of plain floats.
    ///
    /// # Errors
    /// It is not one.
    pub(crate) fn read(source: &mut Source) -> Result<Self> {
        let at = source.offset();
        let header = Self::of(source.array()?);
        let placed = |e: Error| e.file(source.name()).byte(at);
        let Self {
            frames,
            period,
            size,
            kind,
        } = header;
        if let Some(obstacle) = kind.obstacle() {
            let message = format!("HTK data of kind {kind}, which hold {obstacle}");
            return Err(placed(Error::unsupported(message)));
        }
        if frames < 0 {
            let message = format!("the HTK header says {frames} frames");
            return Err(placed(Error::malformed(message)));
        }
        if size == 0 || size % 4 != 0 || period < 0 {
            let message =
                format!("the HTK header says {size} bytes a frame and a period of {period}");
            return Err(placed(Error::malformed(message)));
        }
        Ok(header)
    }

    /// Columns; none where there are no frames.
    pub(crate) fn dim(self) -> u64 {
        match self.frames {
            0 => 0,
            _ => u64::from(self.size / 4),
        }
    }

    /// The matrix that follows.
    pub(crate) fn shape(self) -> (Dtype, Rank, u64, u64) {
        let rows = u64::from(self.frames.unsigned_abs());
        (Dtype::F32, Rank::Matrix, rows, self.dim())
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
        if let Some(shift) = self.frame_shift() {
            meta.frame_shift = Some(shift);
        }
        // Without a tag the kind is USER.
        if self.kind != ParameterKind::USER {
            let kind = self.kind.0.to_string();
            let tag = Tag::new(NAME, KIND, kind);
            meta.tags.push(tag.about(Described::Columns));
        }
    }
}

/// Refuses what follows the frames.
///
/// # Errors
/// There is something.
pub(crate) fn end(source: &mut Source) -> Result<()> {
    match source.at_end()? {
        true => Ok(()),
        false => Err(source.error(ErrorKind::Malformed, "the file goes on after the frames")),
    }
}

/// A parameter file inside a container.
pub(crate) struct NestedHtk;

impl Nested for NestedHtk {
    fn claim(&self, head: &[u8]) -> Claim {
        let len = head
            .first_chunk()
            .and_then(|head| Header::of(*head).claim());
        match len {
            None => Claim::No,
            len => Claim::Lengths([len, None]),
        }
    }

    fn read(
        &self,
        source: &mut Source,
        extent: Extent,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let header = Header::read(source)?;
        utt.labels = None;
        source.read_matrix(
            utt.features_mut(),
            header.shape(),
            ByteOrder::Big,
            &env.limits,
        )?;
        header.describe(&mut utt.meta);
        match extent {
            Extent::Whole => end(source),
            Extent::Own => Ok(()),
        }
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        CAPS.check(utt)?;
        let Some(features) = &utt.features else {
            return Err(Error::unfit("has no features"));
        };
        let mut bytes = Vec::new();
        encode(features, period(&utt.meta)?, kind(&utt.meta)?.0, &mut bytes)?;
        put(&bytes)
    }
}

/// The frame shift as a period; 0 where there is none.
fn period(meta: &Meta) -> Result<i32> {
    let Some(shift) = meta.frame_shift else {
        return Ok(0);
    };
    let units = shift.sample(10u32.pow(u32::from(UNIT.unsigned_abs())));
    let period = units.and_then(|n| i32::try_from(n).ok()).filter(|n| *n > 0);
    let exact = |period: &i32| Decimal::new(i64::from(*period), UNIT) == shift;
    period.filter(exact).ok_or_else(|| {
        Error::unfit(format!(
            "has a frame shift of {shift} s, which is not a whole number of 100 ns below 215 s"
        ))
    })
}

/// The kind that the header line says, if there is one.
fn kind(meta: &Meta) -> Result<ParameterKind> {
    let tag = match meta.tags.as_slice() {
        [] => return Ok(ParameterKind::USER),
        [tag] if tag.key == KIND => tag,
        _ => {
            let message = "has header lines other than one kind, which the format can't hold";
            return Err(Error::unfit(message));
        }
    };
    let text = std::str::from_utf8(&tag.value).ok();
    let number = text.and_then(|text| text.parse().ok().filter(|n: &u16| n.to_string() == text));
    let kind = number
        .map(ParameterKind)
        .filter(|kind| kind.is_known() && kind.obstacle().is_none());
    kind.ok_or_else(|| {
        let value = tag.value.escape_ascii();
        Error::unfit(format!(
            "has the kind '{value}', which is not a kind of plain floats"
        ))
    })
}

/// Puts the parameter file of `features`, frames of `f32`, in place of what `bytes` held: frames,
/// period in 100 ns, bytes of a frame and kind, then the values, all big-endian. Period and kind are
/// taken as they are.
///
/// # Errors
/// There are more frames or columns than the header can tell, or they are of another type.
fn encode(features: &Matrix, period: i32, kind: u16, bytes: &mut Vec<u8>) -> Result<()> {
    let frames = i32::try_from(features.rows());
    let size = i16::try_from(4 * features.cols());
    let (Ok(frames), Ok(size)) = (frames, size) else {
        return Err(Error::unfit(format!(
            "{} x {} is more than an HTK file can hold",
            features.rows(),
            features.cols()
        )));
    };
    bytes.clear();
    bytes.extend_from_slice(&frames.to_be_bytes());
    bytes.extend_from_slice(&period.to_be_bytes());
    bytes.extend_from_slice(&size.to_be_bytes());
    bytes.extend_from_slice(&kind.to_be_bytes());
    floats(features, bytes)
}

/// Adds the values of `features`, big-endian.
///
/// # Errors
/// They are not `f32`.
pub(crate) fn floats(features: &Matrix, bytes: &mut Vec<u8>) -> Result<()> {
    let values = features.values::<f32>()?;
    bytes.reserve(4 * values.len());
    bytes.extend(values.iter().flat_map(|value| value.to_be_bytes()));
    Ok(())
}
