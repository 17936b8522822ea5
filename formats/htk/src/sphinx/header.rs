//! The header of a feature file, and the width of its frames.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::format::ObjectBounds;
use spr_core::model::{Dtype, Rank};
use spr_core::{Error, Result};

/// The number of cepstra in a frame.
pub(super) const CEPSTRA: u32 = 13;

/// Other usual widths: cepstra with two orders of differences, and filter banks.
const OTHERS: [u32; 3] = [3 * CEPSTRA, 40, 80];

/// Guesses the width of frames from the number of values: 13 cepstra if that fits, otherwise the
/// only usual width that does. A guess is returned with a warning.
pub(super) fn guess(count: u64) -> (u32, Option<String>) {
    let fits = |dim: &u32| count > 0 && count.is_multiple_of((*dim).into());
    let others: Vec<_> = OTHERS.iter().copied().filter(fits).collect();
    match (fits(&CEPSTRA), others.as_slice()) {
        (true, [other, ..]) => (
            CEPSTRA,
            Some(format!(
                "{count} floats fill frames of {CEPSTRA} and of {other}: they are read as \
                 {CEPSTRA}, dim={other} says otherwise"
            )),
        ),
        (false, &[only]) => (
            only,
            Some(format!(
                "{count} floats don't fill frames of {CEPSTRA}, but of {only}: they are read as \
                 that, dim=N says otherwise"
            )),
        ),
        _ => (CEPSTRA, None),
    }
}

/// The fields of the header.
#[derive(Clone, Copy)]
pub(super) struct Header {
    pub(super) frames: u64,
    pub(super) dim: u64,
    pub(super) order: ByteOrder,
}

impl Header {
    /// Reads the number of values: big-endian, or little-endian if only that fits the size of a
    /// file by itself.
    ///
    /// # Errors
    /// The source ends, or an object of a container fills it as little-endian alone.
    pub(super) fn read(source: &mut Source, extent: ObjectBounds) -> Result<(u64, ByteOrder)> {
        let left = source.remaining();
        let bytes = source.array()?;
        let [big, little] =
            [ByteOrder::Big, ByteOrder::Little].map(|order| u64::from(order.read_u32(bytes)));
        let fits = |count: u64| left == Some(4 + 4 * count);
        let is_little = fits(little) && !fits(big);
        match (is_little, extent) {
            (false, _) => Ok((big, ByteOrder::Big)),
            (true, ObjectBounds::Whole) => Ok((little, ByteOrder::Little)),
            (true, ObjectBounds::Own) => Err(source.malformed(
                "is a little-endian Sphinx file, expected big-endian floats as Kaldi reads them",
            )),
        }
    }

    /// Creates the header for frames of `dim` values.
    pub(super) fn new((count, order): (u64, ByteOrder), dim: u32) -> Result<Self> {
        let dim = u64::from(dim);
        if !count.is_multiple_of(dim) {
            let hint = match count.is_multiple_of(80) {
                true => "they fill frames of 40 and of 80: dim=N says which",
                false => "the option dim sets how many values a frame has",
            };
            let message = format!("{count} floats do not fill Sphinx frames of {dim}");
            return Err(Error::malformed(message).hint(hint));
        }
        let frames = count / dim;
        let dim = if frames == 0 { 0 } else { dim };
        Ok(Self { frames, dim, order })
    }

    pub(super) fn shape(self) -> (Dtype, Rank, u64, u64) {
        (Dtype::F32, Rank::Matrix, self.frames, self.dim)
    }
}
