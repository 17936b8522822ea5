//! Waveforms, and single-column features as curves.

use spr_core::model::{Element, Matrix, Waveform};
use spr_core::{Result, dispatch};
use spr_stats::number;

use super::axis::{Axis, Unit};
use super::ticks::brief;
use super::words::counted;

/// The largest number of channels drawn.
pub(super) const MAX_CHANNELS: usize = 2;

/// The smallest and the largest sample in each column of a picture, relative to full scale; or one
/// value per frame as a curve.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Wave {
    /// The extremes.
    pub peaks: Vec<(f64, f64)>,
    /// The smallest and the largest value of a curve; `None` for audio.
    pub span: Option<(f64, f64)>,
    /// The largest absolute value in all channels drawn.
    pub peak: f64,
    /// The number of adjacent full-scale samples, as in clipped audio.
    pub clipped: u64,
    /// The number of NaN and infinite values.
    pub odd: u64,
    /// The time axis.
    pub axis: Axis,
}

impl Wave {
    /// Returns the values at the bottom and the top. Those of audio are symmetric and rounded by
    /// `round`.
    pub(super) fn ends(&self, round: impl Fn(f64) -> f64) -> (f64, f64) {
        match self.span {
            Some((low, high)) if low < high => (low, high),
            Some((value, _)) => (value - 1.0, value + 1.0),
            None => {
                let peak = round(self.peak.max(1e-4));
                (-peak, peak)
            }
        }
    }

    /// Returns the extremes in at most `cols` columns.
    pub(super) fn narrowed(&self, cols: usize) -> Vec<(f64, f64)> {
        let each = self.peaks.len().div_ceil(cols.max(1)).max(1);
        let all = |some: &[(f64, f64)]| {
            let both = |a: (f64, f64), b: &(f64, f64)| (a.0.min(b.0), a.1.max(b.1));
            some.iter().fold(NOTHING, both)
        };
        self.peaks.chunks(each).map(all).collect()
    }

    /// Describes what the picture does not show: silence, clipping, a constant value.
    pub(super) fn note(&self) -> Option<String> {
        let mut notes = Vec::new();
        let silent = self.peaks.iter().all(|peak| *peak == (0.0, 0.0));
        match (self.span, &self.peaks[..]) {
            (None, _) if silent => notes.push("silent".to_owned()),
            (Some(_), [(value, other)]) if value == other => notes.push(brief(*value)),
            _ => {}
        }
        if self.clipped > 0 {
            let samples = counted(self.clipped, "sample");
            notes.push(format!("clipped: {samples} at full scale"));
        }
        if self.odd > 0 {
            notes.push(format!("{} NaN/inf", counted(self.odd, "value")));
        }
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// Returns the waveforms of all channels.
///
/// # Errors
/// A boolean sample is neither 0 nor 1.
pub(super) fn waves(sound: &Waveform, cols: usize) -> Result<Vec<Wave>> {
    let samples = &sound.samples;
    let seconds = samples.rows() as f64 / f64::from(sound.rate.max(1));
    let axis = Axis::up_to(seconds, Unit::Seconds);
    let channels = match samples.is_empty() {
        true => 0,
        false => samples.cols().min(MAX_CHANNELS),
    };
    let mut waves = Vec::with_capacity(channels);
    for channel in 0..channels {
        waves.push(dispatch!(samples.dtype(), T => {
            wave(samples.values::<T>()?, samples, channel, cols, axis)
        }));
    }
    let peaks = waves.iter().flat_map(|wave| &wave.peaks);
    let peak = peaks.fold(0.0, |peak: f64, (least, most)| peak.max(*most).max(-least));
    for wave in &mut waves {
        wave.peak = peak;
    }
    Ok(waves)
}

/// Draws single-column features as a curve.
///
/// # Errors
/// A boolean value is neither 0 nor 1.
pub(super) fn curve(features: &Matrix, axis: Axis, cols: usize) -> Result<Wave> {
    let cols = cols.min(features.rows());
    let mut peaks = vec![NOTHING; cols];
    let (mut last, mut odd) = (None, 0);
    let mut add = |row: usize, value: f64| {
        let value = Some(value).filter(|v| v.is_finite());
        odd += u64::from(value.is_none());
        if let Some((place, value)) = peaks.get_mut(row * cols / features.rows()).zip(value) {
            // Starts from the value before, so that the curve has no gaps.
            for v in [value, last.unwrap_or(value)] {
                *place = (place.0.min(v), place.1.max(v));
            }
        }
        last = value;
    };
    dispatch!(features.dtype(), T => {
        for (row, value) in features.values::<T>()?.iter().enumerate() {
            add(row, number(*value));
        }
    });
    let finite = peaks.iter().filter(|(least, most)| least <= most);
    let span = finite.fold(NOTHING, |a, b| (a.0.min(b.0), a.1.max(b.1)));
    Ok(Wave {
        span: Some(if span.0 <= span.1 { span } else { (0.0, 0.0) }),
        peaks,
        peak: 0.0,
        clipped: 0,
        odd,
        axis,
    })
}

/// The extremes of an empty set.
pub(super) const NOTHING: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

/// Returns the waveform of a channel, with a `peak` that the caller sets.
fn wave<T: Element>(
    values: &[T],
    samples: &Matrix,
    channel: usize,
    cols: usize,
    axis: Axis,
) -> Wave {
    let cols = cols.min(samples.rows());
    let mut peaks = vec![NOTHING; cols];
    let dtype = samples.dtype();
    let (silence, full) = (dtype.silence() as f64, dtype.full());
    // The largest integer sample is one step below full scale.
    let most = if dtype.is_float() {
        1.0
    } else {
        (full - 1.0) / full
    };
    let (mut last, mut run, mut clipped, mut odd) = (None, (0i8, 0u64), 0, 0);
    for (row, values) in values.chunks_exact(samples.cols().max(1)).enumerate() {
        let Some(value) = values.get(channel).map(|v| (number(*v) - silence) / full) else {
            continue;
        };
        if !value.is_finite() {
            odd += 1;
            continue;
        }
        let side = i8::from(value >= most) - i8::from(value <= -1.0);
        run = if side == run.0 {
            (side, run.1 + 1)
        } else {
            (side, 1)
        };
        clipped += match run {
            (0, _) | (_, 1) => 0,
            // The first of two adjacent samples counts as clipped with the second.
            (_, 2) => 2,
            _ => 1,
        };
        if let Some((least, most)) = peaks.get_mut(row * cols / samples.rows()) {
            // Starts from the sample before, so that the line has no gaps.
            for v in [value, last.unwrap_or(value)] {
                *least = least.min(v);
                *most = most.max(v);
            }
        }
        last = Some(value);
    }
    let proper = |(least, most): (f64, f64)| match least <= most {
        true => (least, most),
        false => (0.0, 0.0),
    };
    Wave {
        peaks: peaks.into_iter().map(proper).collect(),
        span: None,
        peak: 0.0,
        clipped,
        odd,
        axis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::Rank;

    fn drawn(samples: &[i16], channels: usize, cols: usize) -> Vec<Wave> {
        let samples = Matrix::from_rows(samples, channels, Rank::Matrix).unwrap();
        waves(
            &Waveform {
                rate: 8000,
                samples,
            },
            cols,
        )
        .unwrap()
    }

    #[test]
    fn silence_and_clipping_are_told() {
        let note = |samples: &[i16]| drawn(samples, 1, 4).remove(0).note();
        assert_eq!(note(&[0; 9]).as_deref(), Some("silent"));
        // A single full-scale sample is the peak of normalised audio.
        assert_eq!(note(&[0, 32767, 0, -32768]), None);
        let said = note(&[0, 32767, 32767, 32767, 5, -32768, -32768]);
        assert_eq!(said.as_deref(), Some("clipped: 5 samples at full scale"));
    }

    #[test]
    fn channels_have_one_scale_and_samples_are_joined() {
        let both = drawn(&[0, 16384, 8192, 0], 2, 100);
        assert_eq!(both[0].peaks, [(0.0, 0.0), (0.0, 0.25)]);
        assert_eq!(both[0].narrowed(1), [(0.0, 0.25)]);
        assert!(both.iter().all(|wave| wave.peak == 0.5));
    }
}
