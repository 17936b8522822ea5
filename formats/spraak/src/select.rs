//! Ranges of frames, columns and channels, as `spr_copy` has them: counted from 0, both ends
//! included.

use std::str::FromStr;

use spr_core::model::{Audio, Matrix, Meta};
use spr_core::{Error, Limits, Result};

/// `FIRST:LAST`; an end that is left out is that of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range {
    first: usize,
    last: Option<usize>,
}

impl FromStr for Range {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const SHAPE: &str = "a range is FIRST:LAST, both counted from 0 and included";
        let (first, last) = text.split_once(':').ok_or(SHAPE)?;
        let number = |digits: &str| digits.parse().map_err(|_| SHAPE);
        let first = if first.is_empty() { 0 } else { number(first)? };
        let last = if last.is_empty() {
            None
        } else {
            Some(number(last)?)
        };
        match last {
            Some(last) if last < first => Err("the range ends before it starts"),
            _ => Ok(Self { first, last }),
        }
    }
}

impl Range {
    /// The items it takes of `there`.
    fn of(self, what: &str, there: usize) -> Result<std::ops::Range<usize>> {
        let end = self.last.map_or(there, |last| last.saturating_add(1));
        if self.first < end && end <= there {
            return Ok(self.first..end);
        }
        let last = self.last.map_or(String::new(), |last| last.to_string());
        Err(Error::unfit(format!(
            "{what} {}:{last} are asked for, there are {there}",
            self.first
        )))
    }
}

/// What to take of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) frames: Option<Range>,
    pub(crate) columns: Option<Range>,
    pub(crate) channels: Option<Range>,
}

impl Selection {
    /// Whether it takes everything.
    pub(crate) fn is_all(self) -> bool {
        self.frames.is_none() && self.columns.is_none() && self.channels.is_none()
    }

    /// Takes frames and columns of features.
    ///
    /// # Errors
    /// A range goes beyond what is there, or channels are asked for.
    pub(crate) fn of_features(self, features: &mut Matrix, limits: &Limits) -> Result<()> {
        if self.channels.is_some() {
            return Err(Error::unfit("holds vectors, channels are of samples")
                .hint("columns=FIRST:LAST takes columns"));
        }
        take(
            features,
            (self.frames, "frames"),
            (self.columns, "columns"),
            limits,
        )
    }

    /// Takes channels of sound, and the samples of frames, which last as long as `meta` or
    /// SPRAAK's default says.
    ///
    /// # Errors
    /// A range goes beyond what is there, a frame is no whole number of samples, or columns are
    /// asked for.
    pub(crate) fn of_sound(self, audio: &mut Audio, meta: &Meta, limits: &Limits) -> Result<()> {
        if self.columns.is_some() {
            return Err(Error::unfit("holds samples, columns are of vectors")
                .hint("channels=FIRST:LAST takes channels"));
        }
        let samples = match self.frames {
            Some(frames) => Some(of_frames(frames, audio, meta)?),
            None => None,
        };
        let channels = (self.channels, "channels");
        take(&mut audio.samples, (samples, "samples"), channels, limits)
    }
}

/// The samples of a range of frames. A part of a frame at the end counts for none.
fn of_frames(frames: Range, audio: &Audio, meta: &Meta) -> Result<Range> {
    const DEFAULT_SHIFT: f64 = 0.01;
    let shift = meta
        .frame_shift
        .as_ref()
        .map_or(DEFAULT_SHIFT, |s| s.value());
    let exact = shift * f64::from(audio.rate);
    if !(0.5..1e9).contains(&exact) || (exact - exact.round()).abs() > 1e-6 {
        return Err(Error::unfit(format!(
            "a frame of {shift} s is {exact} samples, no whole number"
        ))
        .hint("fshift=SECONDS sets its length"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and a billion"
    )]
    let size = exact.round() as usize;
    let there = audio.samples.rows() / size;
    let taken = frames.of("frames", there)?;
    Ok(Range {
        first: taken.start * size,
        last: Some(taken.end * size - 1),
    })
}

type Asked<'a> = (Option<Range>, &'a str);

/// Keeps the rows and columns that are asked for.
fn take(
    matrix: &mut Matrix,
    (rows, row_name): Asked<'_>,
    (cols, col_name): Asked<'_>,
    limits: &Limits,
) -> Result<()> {
    if rows.is_none() && cols.is_none() {
        return Ok(());
    }
    let taken = |range: Option<Range>, what, there| match range {
        Some(range) => range.of(what, there),
        None => Ok(0..there),
    };
    let rows = taken(rows, row_name, matrix.rows())?;
    let cols = taken(cols, col_name, matrix.cols())?;
    let (dtype, size) = (matrix.dtype(), matrix.dtype().size());
    let source = std::mem::take(matrix);
    let out = matrix.reset(dtype, source.rank(), rows.len(), cols.len(), limits)?;
    let (width, part) = (source.cols() * size, cols.start * size..cols.end * size);
    let whole = &source.as_bytes()[rows.start * width..rows.end * width];
    let kept = whole.chunks_exact(width).map(|row| &row[part.clone()]);
    for (to, from) in out.chunks_exact_mut(part.len()).zip(kept) {
        to.copy_from_slice(from);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use spr_core::model::{Decimal, Rank};

    use super::*;

    fn range(text: &str) -> Option<Range> {
        text.parse().ok()
    }

    #[test]
    fn ranges_include_both_ends() {
        for (text, taken) in [
            ("0:2", Some(0..3)),
            ("4:4", Some(4..5)),
            ("3:", Some(3..5)),
            (":1", Some(0..2)),
            (":", Some(0..5)),
            ("2:5", None),
            ("5:", None),
            ("0:18446744073709551615", None),
        ] {
            let range = range(text).unwrap();
            assert_eq!(range.of("frames", 5).ok(), taken, "{text}");
        }
        for text in [
            "",
            "3",
            "3:2",
            "-1:2",
            "a:b",
            "1:2:3",
            "0:18446744073709551616",
        ] {
            assert_eq!(range(text), None, "{text}");
        }
    }

    #[test]
    fn rows_and_columns_are_taken() {
        let limits = Limits::default();
        let mut matrix = Matrix::from_rows(&[1i16, 2, 3, 4, 5, 6], 3, Rank::Matrix).unwrap();
        let selection = Selection {
            frames: range("1:1"),
            columns: range("1:2"),
            channels: None,
        };
        selection.of_features(&mut matrix, &limits).unwrap();
        assert_eq!((matrix.rows(), matrix.cols()), (1, 2));
        assert_eq!(matrix.as_slice::<i16>().unwrap(), [5, 6]);
        let error = selection.of_features(&mut matrix, &limits).unwrap_err();
        assert_eq!(error.to_string(), "frames 1:1 are asked for, there are 1");
    }

    #[test]
    fn frames_of_sound_are_whole() {
        let sound = |meta: &Meta, rate, frames| {
            let samples = Matrix::from_rows(&[0i16, 1, 2, 3, 4, 5, 6], 1, Rank::Matrix).unwrap();
            let mut audio = Audio { rate, samples };
            let selection = Selection {
                frames: range(frames),
                ..Selection::default()
            };
            let result = selection.of_sound(&mut audio, meta, &Limits::default());
            result.map(|()| audio.samples.as_slice::<i16>().unwrap().to_vec())
        };
        let mut meta = Meta::default();
        assert_eq!(sound(&meta, 200, "1:1").unwrap(), [2, 3]);
        // The seventh sample is part of a frame.
        assert_eq!(sound(&meta, 200, "2:").unwrap(), [4, 5]);
        assert!(sound(&meta, 200, "3:3").is_err());
        assert!(sound(&meta, 250, "0:0").is_err());
        meta.frame_shift = Decimal::parse("0.004");
        assert_eq!(sound(&meta, 250, "6:6").unwrap(), [6]);
    }
}
