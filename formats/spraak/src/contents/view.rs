//! Samples seen as frames: what `DIM1` and `DIM2` say of sound.

use spr_core::model::Decimal;
use spr_core::{Error, Result};

use super::fields;
use crate::header::Header;

/// So many frames of so many values. A part of a frame at the end counts for none.
#[derive(Clone, Debug)]
pub(crate) struct View {
    frames: u64,
    width: u64,
    /// Whether the width is that of a moment or a frame, as far as the header tells.
    sound: bool,
    /// The two keys as this header calls them.
    keys: [String; 2],
}

impl View {
    /// What the header says, if it says both numbers. Frames start every `shift` seconds.
    pub(super) fn of(
        header: &Header,
        (rate, channels): (u32, u64),
        shift: Option<Decimal>,
    ) -> Result<Option<Self>> {
        let dims = [
            fields::count(header, "DIM1")?,
            fields::count(header, "DIM2")?,
        ];
        let [Some(frames), Some(width)] = dims else {
            return Ok(None);
        };
        let whole = width.is_multiple_of(channels);
        // Where no shift is given any width may be that of a frame.
        let framed = shift.is_none_or(|shift| {
            let moments = shift.sample(rate);
            moments.and_then(|n| n.checked_mul(channels)) == Some(width)
        });
        Ok(Some(Self {
            frames,
            width,
            sound: whole && (framed || width == channels || frames <= 1),
            keys: ["DIM1", "DIM2"].map(|key| header.name_of(key)),
        }))
    }

    /// Compares it with the number of values `found`. They are all that a header has to say of the
    /// length unless it `counts` samples elsewhere. Gives what is to be warned about.
    ///
    /// # Errors
    /// There are too few.
    pub(crate) fn check(&self, found: u64, counts: bool) -> Result<Option<String>> {
        let Self { frames, width, .. } = *self;
        let claimed = frames.checked_mul(width);
        let more = |claimed: u64| found.checked_sub(claimed);
        let fits = claimed
            .and_then(more)
            .is_some_and(|over| over < width.max(1));
        if fits {
            return Ok(None);
        }
        let [dim1, dim2] = &self.keys;
        let said = format!("{dim1} x {dim2} is {frames} x {width} values");
        if claimed.and_then(more).is_none() && self.sound && !counts {
            let message = format!("the file ends here: {said}, found {found}");
            return Err(Error::truncated(message).hint("dim1=-1 reads what is there"));
        }
        Ok(Some(match (counts, self.sound) {
            (true, _) => format!("{said}, but CHANLEN x NCHAN is {found}, which counts"),
            (false, true) => format!("{said}, but {found} are there; all are read"),
            (false, false) => {
                format!("{said}, which are not frames of this sound; all {found} values are read")
            }
        }))
    }
}
