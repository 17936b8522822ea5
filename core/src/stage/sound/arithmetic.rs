//! Conversion between samples and floats for arithmetic.

use std::ops::Range;

use crate::error::Result;
use crate::model::{Dtype, Element, Limits, Matrix, Rank, Wide};
use crate::number::dispatch;
use crate::number::random::Mt19937;

/// Replaces `out` by some rows of one channel, in steps of their type relative to silence, or by the
/// mean of all channels.
pub(super) fn levels(
    samples: &Matrix,
    channel: Option<usize>,
    rows: Range<usize>,
    out: &mut Vec<f64>,
) -> Result<()> {
    out.clear();
    let cols = samples.cols().max(1);
    dispatch!(samples.dtype(), T => {
        let own = &samples.values::<T>()?[rows.start * cols..rows.end * cols];
        match channel {
            Some(_) if cols == 1 => out.extend(own.iter().map(|v| level(*v))),
            Some(col) => out.extend(own.iter().skip(col).step_by(cols).map(|v| level(*v))),
            None => out.extend(own.chunks_exact(cols).map(mean)),
        }
    });
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "no sound has so many channels")]
fn mean<T: Element>(row: &[T]) -> f64 {
    let (levels, count) = (row.iter().map(|value| level(*value)), row.len() as f64);
    let sum: f64 = levels.clone().sum();
    match sum.is_finite() {
        true => sum / count,
        // The sum of large levels is out of range, their mean is not.
        false => levels.map(|level| level / count).sum(),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "of 64-bit samples 53 bits count"
)]
fn level<T: Element>(value: T) -> f64 {
    match value.to_wide() {
        Wide::Int(value) => (value - T::DTYPE.silence()) as f64,
        Wide::Float(value) => value,
    }
}

/// Computed samples, channel by channel.
pub(super) struct Steps {
    pub(super) samples: Matrix,
    /// The number of samples out of range.
    pub(super) clipped: u64,
    /// The number of steps of this type per step of the type of the levels.
    scale: f64,
}

impl Steps {
    /// Creates silence of type `to`, for levels in steps of type `from`.
    pub(super) fn new(
        from: Dtype,
        to: Dtype,
        rows: usize,
        cols: usize,
        limits: &Limits,
    ) -> Result<Self> {
        let mut samples = Matrix::default();
        samples.reset(to, Rank::Matrix, rows, cols, limits)?;
        Ok(Self {
            samples,
            clipped: 0,
            scale: to.full() / from.full(),
        })
    }

    /// Fills the channel `col` from the row `start` on.
    pub(super) fn fill(
        &mut self,
        col: usize,
        start: usize,
        levels: &[f64],
        dither: Option<&mut Mt19937>,
    ) -> Result<()> {
        let cols = self.samples.cols();
        let dtype = self.samples.dtype();
        dispatch!(dtype, T => {
            let samples = self.samples.values_mut::<T>()?.iter_mut();
            let samples = samples.skip(start * cols + col).step_by(cols);
            let mut dither = dither.filter(|_| !dtype.is_float());
            for (sample, level) in samples.zip(levels) {
                let noise = dither.as_deref_mut().map_or(0.0, triangular);
                let exact = level * self.scale;
                *sample = match dtype.is_float() {
                    true => T::nearest(Wide::Float(exact)),
                    false => whole::<T>(exact + noise, &mut self.clipped),
                };
            }
        });
        Ok(())
    }
}

/// Returns the nearest sample of an integer type, with halves rounded away from zero.
fn whole<T: Element>(level: f64, clipped: &mut u64) -> T {
    let wanted = rounded(level).saturating_add(T::DTYPE.silence());
    let sample = T::nearest(Wide::Int(wanted));
    let kept = matches!(sample.to_wide(), Wide::Int(got) if got == wanted);
    *clipped += u64::from(!kept);
    sample
}

/// Rounds to the nearest integer, and halves away from zero.
#[expect(
    clippy::cast_possible_truncation,
    reason = "float casts saturate; clipping is counted"
)]
fn rounded(level: f64) -> i128 {
    /// The largest number below a half: with a half itself, the one below would be rounded up.
    const HALF: f64 = 0.5 - f64::EPSILON / 4.0;
    // Nearly all are small, which is quick.
    match level.abs() < f64::from(i32::MAX) {
        true => i128::from((level + HALF.copysign(level)) as i32),
        false => level.round() as i128,
    }
}

/// Returns a triangularly distributed number between -1 and 1, the sum of two uniform ones.
fn triangular(rng: &mut Mt19937) -> f64 {
    const ALL: f64 = 4_294_967_296.0;
    let mut half = || (f64::from(rng.next_u32()) + 0.5) / ALL - 0.5;
    half() + half()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_large_levels_is_finite() {
        let big = f64::MAX;
        for (row, expected) in [
            (vec![big, big], big),
            (vec![big, -big, big, big], big / 2.0),
            (vec![f64::INFINITY, 1.0], f64::INFINITY),
            (vec![0.25, 0.5], 0.375),
        ] {
            let samples = Matrix::from_rows(&row, row.len(), Rank::Matrix).unwrap();
            let mut means = Vec::new();
            levels(&samples, None, 0..1, &mut means).unwrap();
            assert_eq!(means, [expected], "{row:?}");
        }
    }

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
    fn halves_are_rounded_away_from_zero() {
        let half = 0.5f64;
        for level in [
            half,
            half.next_down(),
            half.next_up(),
            1.5,
            2.5,
            7.25,
            0.0,
            32767.5,
        ]
        .into_iter()
        .chain([
            2147483646.5,
            2147483647.5,
            4e9 + 0.5,
            1e30,
            f64::MAX,
            f64::INFINITY,
        ]) {
            // `round` of some systems rounds the float below a half upwards.
            let expected = level.trunc() + f64::from(level.fract() >= 0.5);
            assert_eq!(rounded(level), expected as i128, "{level:e}");
            assert_eq!(rounded(-level), -expected as i128, "-{level:e}");
        }
        assert_eq!(rounded(f64::NAN), 0);
    }
}
