//! Samples as frames: `DIM1` and `DIM2` of audio.

use spr_core::model::Decimal;
use spr_core::{Error, Result};

use super::fields;
use crate::header::Header;

/// A number of frames and their width. An incomplete last frame does not count.
#[derive(Clone, Debug)]
pub(crate) struct View {
    frames: u64,
    width: u64,
    /// Whether the width is that of an instant, not of a frame, as far as the header tells.
    sound: bool,
    /// The names of the two keys in this header.
    keys: [String; 2],
}

impl View {
    /// Returns the view in the header, if it contains both numbers. Frames start every `shift`
    /// seconds.
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
        // Without a shift any width may be that of a frame.
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

    /// Compares the view with the number of values `found`. They are the only information about the
    /// length unless the header `counts` samples elsewhere. Returns a warning, if there is one.
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
