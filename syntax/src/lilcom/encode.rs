//! Encoding of arrays.

use std::ops::RangeInclusive;

use spr_core::model::CastStats;
use spr_core::{Error, Result};

use super::bits::BitWriter;
use super::regression::coefficients;
use super::{MAGIC, SCALE, integers, power, unsigned};

/// The ticks that a stream may have, as powers of two.
pub(super) const TICKS: RangeInclusive<i32> = -20..=20;
/// The most axes that are written.
const MOST_AXES: usize = 15;

/// The way in which arrays are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoder {
    tick: i32,
    regression: bool,
}

impl Default for Encoder {
    /// Values are rounded to 2^-5, as by Lhotse, with regression.
    fn default() -> Self {
        Self {
            tick: Self::TICK,
            regression: true,
        }
    }
}

/// Checks that values are finite, as lilcom has no others.
///
/// # Errors
/// One is not.
pub fn check_finite(values: &[f32]) -> Result<()> {
    match values.iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => Err(Error::unfit(format!(
            "holds {value}, which lilcom can't hold"
        ))),
    }
}

impl Encoder {
    /// The usual tick: 2^-5.
    pub const TICK: i32 = -5;

    /// Creates an encoder that rounds values to 2^`tick`. With regression, values are predicted
    /// from the ones before, and are multiples of that only beside the prediction.
    ///
    /// # Errors
    /// The tick is not from -20 to 20.
    pub fn new(tick: i32, regression: bool) -> Result<Self> {
        match TICKS.contains(&tick) {
            true => Ok(Self { tick, regression }),
            false => Err(Error::usage(format!(
                "the tick is {tick}, expected a power of two from {} to {}",
                TICKS.start(),
                TICKS.end()
            ))),
        }
    }

    /// Returns an array as a stream, and the loss by rounding. Values out of range of the tick
    /// become the nearest that it reaches, and are counted as clipped.
    ///
    /// # Errors
    /// An axis has no elements, there are too many of either, or a value is not finite.
    pub fn encode(&self, values: &[f32], shape: &[usize]) -> Result<(Vec<u8>, CastStats)> {
        check_finite(values)?;
        let product = shape
            .iter()
            .try_fold(1usize, |n, size| n.checked_mul(*size));
        if !(1..=MOST_AXES).contains(&shape.len()) || product != Some(values.len()) {
            let message = format!("an array of {} axes, lilcom holds 1 to 15", shape.len());
            return Err(Error::unfit(message));
        }
        if values.is_empty() || i32::try_from(values.len()).is_err() {
            let message = format!("{} values, lilcom holds 1 to {}", values.len(), i32::MAX);
            return Err(Error::unfit(message));
        }
        let coefficients = match self.regression {
            true => coefficients(values, shape),
            false => vec![0; shape.len()],
        };
        let mut codes = Vec::with_capacity(values.len() + 2 + 2 * shape.len());
        let mut header = |value: i32| codes.push(unsigned(value));
        header(i32::try_from(shape.len()).unwrap_or(i32::MAX));
        header(self.tick);
        for (size, coefficient) in shape.iter().zip(&coefficients) {
            // No axis is longer than all values are many.
            header(i32::try_from(*size).unwrap_or(i32::MAX));
            header(*coefficient);
        }
        let mut stats = CastStats::default();
        Quantiser::new(self.tick, shape, &coefficients).run(values, &mut codes, &mut stats);
        let mut out = BitWriter::new(MAGIC.to_vec());
        integers::write(&codes, &mut out);
        Ok((out.finish(), stats))
    }
}

/// Turns values into codes, each beside its prediction from decoded ones.
struct Quantiser {
    tick: f32,
    inverse: f32,
    cols: usize,
    last: f32,
    /// Of the other axes with a coefficient: size, values from one element to the next, coefficient.
    axes: Vec<(usize, usize, f32)>,
}

impl Quantiser {
    fn new(tick: i32, shape: &[usize], coefficients: &[i32]) -> Self {
        let (mut stride, mut axes) = (1, Vec::new());
        for (size, coefficient) in shape.iter().zip(coefficients).rev() {
            axes.push((*size, stride, *coefficient as f32 / SCALE));
            stride *= size;
        }
        let (cols, _, last) = axes.remove(0);
        axes.reverse();
        axes.retain(|(_, _, weight)| *weight != 0.0);
        Self {
            tick: power(tick),
            inverse: power(-tick),
            cols,
            last,
            axes,
        }
    }

    fn run(&self, values: &[f32], codes: &mut Vec<u32>, stats: &mut CastStats) {
        let mut decoded = vec![0.0f32; values.len()];
        for first in (0..values.len()).step_by(self.cols) {
            let is_inner =
                |(size, stride, _): &&(usize, usize, f32)| !(first / stride).is_multiple_of(*size);
            let inner: Vec<_> = self.axes.iter().filter(is_inner).collect();
            let (past, row) = decoded.split_at_mut(first);
            let mut carried = 0.0;
            for (n, (value, decoded)) in values[first..].iter().zip(row).enumerate().take(self.cols)
            {
                let mut predicted = carried;
                for (_, stride, weight) in &inner {
                    predicted += past[first + n - stride] * weight;
                }
                let (code, is_clipped) = nearest((value - predicted) * self.inverse);
                *decoded = predicted + code as f32 * self.tick;
                carried = *decoded * self.last;
                codes.push(unsigned(code));
                if is_clipped {
                    stats.values += 1;
                    stats.changed += 1;
                    stats.clipped += 1;
                } else {
                    stats.count(*value, *decoded);
                }
            }
        }
    }
}

/// Returns the nearest code, halves away from zero, and whether it is out of range.
#[inline]
fn nearest(value: f32) -> (i32, bool) {
    /// The first value above all codes.
    const END: f32 = (1u32 << 31) as f32;
    // Casts saturate.
    #[expect(clippy::cast_possible_truncation, reason = "as said")]
    let whole = value as i32;
    if !(-END..END).contains(&value) {
        return (whole, true);
    }
    let rest = value - whole as f32;
    let step = i32::from(rest >= 0.5) - i32::from(rest <= -0.5);
    (whole + step, false)
}
