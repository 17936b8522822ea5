//! Sound, and features of one column, as a line.

use spr_core::model::{Element, Matrix, Waveform};
use spr_core::{Result, dispatch};
use spr_stats::number;

use super::axis::Axis;

/// Channels that are shown.
pub(super) const MAX_CHANNELS: usize = 2;

/// Sound as the least and the greatest sample, of full range 1, in each column of a picture; or
/// one value a frame as a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Wave {
    /// The extremes.
    pub peaks: Vec<(f64, f64)>,
    /// The least and the greatest value of a curve, where it is none of sound.
    pub span: Option<(f64, f64)>,
    /// Its time.
    pub axis: Axis,
}

impl Wave {
    /// The values at the bottom and at the top of a picture; those of sound are as far from 0 as
    /// `round` makes of the greatest.
    pub(super) fn ends(&self, round: impl Fn(f64) -> f64) -> (f64, f64) {
        match self.span {
            Some((low, high)) if low < high => (low, high),
            Some((value, _)) => (value - 1.0, value + 1.0),
            None => {
                let peaks = self.peaks.iter().map(|(least, most)| most.max(-least));
                let peak = round(peaks.fold(1e-4, f64::max));
                (-peak, peak)
            }
        }
    }
}

/// The channels of sound.
///
/// # Errors
/// A truth value is neither 0 nor 1.
pub(super) fn waves(sound: &Waveform, cols: usize) -> Result<Vec<Wave>> {
    let samples = &sound.samples;
    let axis = Axis {
        from: 0.0,
        to: samples.rows() as f64 / f64::from(sound.rate.max(1)),
        seconds: true,
    };
    let wave = |channel: usize| {
        let peaks = dispatch!(samples.dtype(), T => {
            peaks(samples.values::<T>()?, samples, channel, cols)
        });
        let span = None;
        Ok(Wave { peaks, span, axis })
    };
    let channels = if samples.is_empty() {
        0
    } else {
        samples.cols()
    };
    (0..channels.min(MAX_CHANNELS)).map(wave).collect()
}

/// Features of one column, with a line from each value to the next.
///
/// # Errors
/// A truth value is neither 0 nor 1.
pub(super) fn curve(features: &Matrix, axis: Axis, cols: usize) -> Result<Wave> {
    let cols = cols.min(features.rows());
    let mut peaks = vec![NOTHING; cols];
    let mut last = None;
    let mut add = |row: usize, value: f64| {
        let value = Some(value).filter(|v| v.is_finite());
        if let Some((place, value)) = peaks.get_mut(row * cols / features.rows()).zip(value) {
            // From the value before, so that the curve has no gaps.
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
        axis,
    })
}

/// The extremes of no values.
pub(super) const NOTHING: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

fn peaks<T: Element>(
    values: &[T],
    samples: &Matrix,
    channel: usize,
    cols: usize,
) -> Vec<(f64, f64)> {
    let cols = cols.min(samples.rows());
    let mut peaks = vec![NOTHING; cols];
    let dtype = samples.dtype();
    let half = match dtype.is_float() {
        true => 1.0,
        false => 2f64.powf(8.0 * dtype.size() as f64 - 1.0),
    };
    let middle = if dtype.is_signed() { 0.0 } else { half };
    for (row, values) in values.chunks_exact(samples.cols().max(1)).enumerate() {
        let value = values.get(channel).map(|v| (number(*v) - middle) / half);
        let place = peaks.get_mut(row * cols / samples.rows());
        if let Some((value, (least, most))) = value.filter(|v| v.is_finite()).zip(place) {
            *least = least.min(value);
            *most = most.max(value);
        }
    }
    let proper = |(least, most): (f64, f64)| match least <= most {
        true => (least, most),
        false => (0.0, 0.0),
    };
    peaks.into_iter().map(proper).collect()
}
