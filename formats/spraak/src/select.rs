//! Selection of frames, columns and channels, as in `spr_copy`.

use std::ops::Range;

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{
    DatasetInfo, Decimal, FrameGrid, Matrix, Meta, TagSubject, Utterance, Waveform,
};
use spr_core::stage::{Columns, Ranges, SelectColumns, SelectFrames};
use spr_core::{Error, Limits, Result};

use crate::contents::tag;
use crate::header::shown;

/// The selected part of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) frames: Option<Ranges>,
    pub(crate) columns: Option<Ranges>,
    pub(crate) channels: Option<Ranges>,
}

impl Selection {
    /// Selects frames, channels and columns of features. Columns contain `channels` interleaved
    /// channels if some are to be selected.
    ///
    /// # Errors
    /// The columns are not a multiple of the channels, or there is no such channel.
    pub(crate) fn of_features(
        &self,
        mut reader: Box<dyn Reader>,
        channels: Option<u64>,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        if let Some(frames) = &self.frames {
            let stage = SelectFrames::new(reader, frames.clone(), env.limits);
            reader = Box::new(stage.telling(env));
        }
        if let (Some(wanted), Some(channels)) = (&self.channels, channels) {
            reader = Box::new(SelectChannels::new(reader, wanted, channels, env.limits)?);
        }
        if let Some(columns) = &self.columns {
            let stage = SelectColumns::new(reader, columns.clone(), env.limits);
            reader = Box::new(stage.telling(env));
        }
        Ok(reader)
    }

    /// Selects channels of audio, and the samples of frames, whose length is in `meta` or SPRAAK's
    /// default.
    ///
    /// # Errors
    /// A range exceeds the data, a frame is not a whole number of samples, or columns are
    /// requested.
    pub(crate) fn of_sound(
        &self,
        sound: &mut Waveform,
        meta: &mut Meta,
        limits: &Limits,
    ) -> Result<()> {
        if self.columns.is_some() {
            return Err(Error::unfit("holds samples, columns are of vectors")
                .hint("channels=FIRST:LAST takes channels"));
        }
        if let Some(frames) = &self.frames {
            let moments = of_frames(frames, sound, meta)?;
            if moments.first().is_some_and(|run| run.start > 0) {
                meta.frame_offset = None;
            }
            let all = 0..sound.samples.cols();
            take(&mut sound.samples, &moments, &[all], limits)?;
        }
        if let Some(channels) = &self.channels {
            let channels = channels.of("channel", sound.samples.cols())?;
            if channels.is_empty() {
                return Err(Error::unfit("no channel was asked for"));
            }
            let all = 0..sound.samples.rows();
            take(&mut sound.samples, &[all], &channels, limits)?;
        }
        Ok(())
    }
}

/// The selected channels of features, where element `k` of channel `c` of `n` is in column `k * n +
/// c`.
struct SelectChannels {
    inner: SelectColumns,
    /// The number of selected channels.
    taken: usize,
}

impl SelectChannels {
    fn new(
        reader: Box<dyn Reader>,
        wanted: &Ranges,
        channels: u64,
        limits: Limits,
    ) -> Result<Self> {
        let dim = reader.info().dim.unwrap_or_default();
        let each = match dim.checked_div(channels) {
            Some(each) if each * channels == dim => each,
            _ => {
                let message =
                    format!("{dim} columns are not as many for each of {channels} channels");
                return Err(Error::malformed(message));
            }
        };
        let chosen = wanted.of("channel", usize::try_from(channels).unwrap_or(usize::MAX))?;
        let chosen: Vec<_> = chosen.into_iter().flatten().collect();
        if chosen.is_empty() {
            return Err(Error::unfit("no channel was asked for"));
        }
        let (each, channels) = (
            limits.bytes("a vector", each)?,
            limits.bytes("a vector", channels)?,
        );
        let columns = (0..each).flat_map(|k| chosen.iter().map(move |c| k * channels + c));
        Ok(Self {
            inner: SelectColumns::new(reader, Columns::from_iter(columns), limits),
            taken: chosen.len(),
        })
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for SelectChannels {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if more {
            utt.meta.forget(TagSubject::Columns);
            let channels = tag(b"NCHAN", self.taken.to_string().as_bytes());
            utt.meta.tags.push(channels.about(TagSubject::Columns));
        }
        Ok(more)
    }
}

/// Returns the length of a frame of audio: its shift as in SPRAAK's `spr_copy`, otherwise its
/// length.
fn frame_length(meta: &Meta) -> Result<Decimal> {
    let said = meta.tags.iter().rev().find(|tag| tag.key == b"FLENGTH");
    match (meta.frame_shift, said) {
        (Some(shift), _) => Ok(shift),
        (None, None) => Ok(FrameGrid::USUAL_SHIFT),
        (None, Some(said)) => {
            let length = std::str::from_utf8(&said.value)
                .ok()
                .and_then(Decimal::parse);
            length.ok_or_else(|| {
                Error::unfit(format!("FLENGTH is '{}', not a time", shown(&said.value)))
                    .hint("fshift=SECONDS sets the length of a frame")
            })
        }
    }
}

/// Returns the sample ranges of frames. An incomplete last frame does not count.
fn of_frames(frames: &Ranges, sound: &Waveform, meta: &Meta) -> Result<Vec<Range<usize>>> {
    let length = frame_length(meta)?;
    let exact = length.value() * f64::from(sound.rate);
    if !(0.5..1e9).contains(&exact) || (exact - exact.round()).abs() > 1e-6 {
        return Err(Error::unfit(format!(
            "a frame of {length} s is {exact} samples, not a whole number"
        ))
        .hint("fshift=SECONDS sets its length"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and a billion"
    )]
    let size = exact.round() as usize;
    let runs = frames.of("frame", sound.samples.rows() / size)?;
    let moments = runs.into_iter();
    Ok(moments
        .map(|run| run.start * size..run.end * size)
        .collect())
}

/// Keeps ranges of rows and columns.
fn take(
    matrix: &mut Matrix,
    rows: &[Range<usize>],
    cols: &[Range<usize>],
    limits: &Limits,
) -> Result<()> {
    let (dtype, size) = (matrix.dtype(), matrix.dtype().size());
    let all = std::mem::take(matrix);
    let count = |runs: &[Range<usize>]| runs.iter().map(Range::len).sum();
    let mut out = matrix.reset(dtype, all.rank(), count(rows), count(cols), limits)?;
    let width = all.cols() * size;
    for row in rows.iter().cloned().flatten() {
        let row = &all.as_bytes()[row * width..(row + 1) * width];
        for run in cols {
            let run = &row[run.start * size..run.end * size];
            let (part, rest) = out.split_at_mut(run.len());
            part.copy_from_slice(run);
            out = rest;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use spr_core::model::Rank;

    use super::*;

    fn sound(meta: &Meta, rate: u32, channels: usize, selection: &Selection) -> Result<Vec<i16>> {
        let samples = Matrix::from_rows(&[0i16, 1, 2, 3, 4, 5, 6, 7], channels, Rank::Matrix)?;
        let mut sound = Waveform { rate, samples };
        selection.of_sound(&mut sound, &mut meta.clone(), &Limits::default())?;
        Ok(sound.samples.as_slice::<i16>().unwrap().to_vec())
    }

    fn ranges(text: &str) -> Option<Ranges> {
        text.parse().ok()
    }

    #[test]
    fn frames_of_sound_are_whole() {
        let frames = |meta: &Meta, rate, text| {
            let selection = Selection {
                frames: ranges(text),
                ..Selection::default()
            };
            sound(meta, rate, 1, &selection)
        };
        let mut meta = Meta::default();
        assert_eq!(frames(&meta, 200, "1:1").unwrap(), [2, 3]);
        assert_eq!(frames(&meta, 200, "0,2").unwrap(), [0, 1, 4, 5]);
        // The last two samples are an incomplete frame.
        assert_eq!(frames(&meta, 300, "1:").unwrap(), [3, 4, 5]);
        assert!(frames(&meta, 300, "2:2").is_err());
        assert!(frames(&meta, 250, "0:0").is_err());
        meta.tags = vec![tag(b"FLENGTH", b"0.02")];
        assert_eq!(frames(&meta, 100, "1:1").unwrap(), [2, 3]);
        meta.frame_shift = Decimal::parse("0.004");
        assert_eq!(frames(&meta, 250, "6:6").unwrap(), [6]);
        meta.frame_shift = None;
        meta.tags = vec![tag(b"FLENGTH", b"long")];
        assert!(frames(&meta, 100, "1:1").is_err());
    }

    #[test]
    fn channels_are_taken() {
        let channels = |text| {
            let selection = Selection {
                channels: ranges(text),
                ..Selection::default()
            };
            sound(&Meta::default(), 8000, 4, &selection)
        };
        assert_eq!(channels("1:2").unwrap(), [1, 2, 5, 6]);
        assert_eq!(channels("^0").unwrap(), [3, 7]);
        assert_eq!(channels("3,0").unwrap(), [3, 0, 7, 4]);
        for text in ["4", "1:4", "2:1", "nil"] {
            assert!(channels(text).is_err(), "{text}");
        }
    }
}
