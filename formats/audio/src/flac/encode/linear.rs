//! Linear predictors with coefficients of their own for each block.

use std::array::from_fn;

use super::windows::fill;

/// The largest order.
pub(super) const MOST: usize = 8;
/// The shortest block for which coefficients pay.
const SHORTEST: usize = 4 * MOST;
/// The largest precision of coefficients in the format.
const FINEST: u32 = 15;

/// A quantised predictor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    pub(super) order: usize,
    /// The bits of a coefficient.
    pub(super) precision: u32,
    /// The number of bits by which the sum is shifted down.
    pub(super) shift: u32,
    /// The coefficients of the preceding samples, the nearest first. Those beyond the order are 0.
    pub(super) factors: [i32; MOST],
}

impl Linear {
    /// Returns the predictor that suits samples of `width` bits best, if there is one.
    pub(super) fn find(samples: &[i32], width: u32, scratch: &mut Vec<f64>) -> Option<Self> {
        if samples.len() < SHORTEST {
            return None;
        }
        window(samples, scratch);
        let moments = autocorrelation(scratch);
        let precision = precision(samples.len(), width);
        let (order, factors) = best_order(&moments, samples.len(), width + precision)?;
        quantise(&factors[..order], precision)
    }

    /// Fills `out` with the residual of samples of `width` bits, which have [`MOST`] zeros before
    /// them in `padded`. Returns `false` if it exceeds 32 bits.
    pub(super) fn residual(
        &self,
        padded: &[i32],
        width: u32,
        narrow: &mut Vec<i16>,
        out: &mut [i32],
    ) -> bool {
        let factors: [i32; MOST] = from_fn(|n| self.factors[MOST - 1 - n]);
        let shift = self.shift;
        // The sum of products is below 2³¹.
        if width + self.precision + MOST.ilog2() - 1 > 31 {
            return wide_residual(padded, factors.map(i64::from), shift, out);
        }
        if width <= i16::BITS {
            narrow.clear();
            narrow.extend(padded.iter().map(|v| low(*v)));
            let factors = factors.map(low);
            let value = move |window: [i16; MOST + 1]| {
                let terms = window.iter().zip(factors);
                let sum: i32 = terms.map(|(v, f)| i32::from(*v) * i32::from(f)).sum();
                i32::from(window[MOST]) - (sum >> shift)
            };
            fill(narrow, value, out);
        } else {
            let value = move |window: [i32; MOST + 1]| {
                let sum: i32 = window.iter().zip(factors).map(|(v, f)| v * f).sum();
                window[MOST] - (sum >> shift)
            };
            fill(padded, value, out);
        }
        true
    }
}

/// Fills `out` with the residual of samples of many bits. Returns `false` if it exceeds 32 bits.
fn wide_residual(padded: &[i32], factors: [i64; MOST], shift: u32, out: &mut [i32]) -> bool {
    let mut fits = true;
    for (out, window) in out.iter_mut().zip(padded.windows(MOST + 1)) {
        let terms = window.iter().zip(factors);
        let sum: i64 = terms.map(|(v, f)| i64::from(*v) * f).sum();
        let wide = i64::from(window[MOST]) - (sum >> shift);
        *out = truncated(wide);
        fits &= i64::from(*out) == wide && *out > i32::MIN;
    }
    fits
}

#[expect(clippy::cast_possible_truncation, reason = "it has at most 16 bits")]
fn low(value: i32) -> i16 {
    value as i16
}

#[expect(clippy::cast_possible_truncation, reason = "the caller compares both")]
fn truncated(value: i64) -> i32 {
    value as i32
}

/// Returns the bits of a coefficient for a block of `rows` samples of `width` bits. Finer ones
/// cost more than they save.
fn precision(rows: usize, width: u32) -> u32 {
    let more = if width > 17 { 3 } else { 0 };
    (rows.ilog2() + more).clamp(5, FINEST)
}

/// Replaces `out` by the samples in a window whose first and last quarter fade, smoothly.
fn window(samples: &[i32], out: &mut Vec<f64>) {
    out.clear();
    out.extend(samples.iter().map(|v| f64::from(*v)));
    let fade = samples.len() / 4;
    let step = 1.0 / f64::from(u32::try_from(fade).unwrap_or(u32::MAX));
    let mut at = step / 2.0;
    for n in 0..fade {
        let gain = at * at * (3.0 - 2.0 * at);
        out[n] *= gain;
        out[samples.len() - 1 - n] *= gain;
        at += step;
    }
}

/// Returns the sums of products of samples at distances up to the largest order.
fn autocorrelation(samples: &[f64]) -> [f64; MOST + 1] {
    // Two sums each, of even and odd places, for vectors of two.
    let mut sums = [[0.0; 2]; MOST + 1];
    let whole = samples.len().saturating_sub(MOST) / 2 * 2;
    for start in (0..whole).step_by(2) {
        let Some(window) = samples[start..].first_chunk::<{ MOST + 2 }>() else {
            break;
        };
        for (distance, sum) in sums.iter_mut().enumerate() {
            sum[0] += window[0] * window[distance];
            sum[1] += window[1] * window[distance + 1];
        }
    }
    let mut sums = sums.map(|[even, odd]| even + odd);
    for (n, value) in samples.iter().enumerate().skip(whole) {
        for (sum, other) in sums.iter_mut().zip(&samples[n..]) {
            *sum += value * other;
        }
    }
    sums
}

/// Returns the order with the least bits, by the expected residuals, and its coefficients, the
/// nearest first. A coefficient, with the sample before the residual that it needs, has `overhead` bits.
fn best_order(
    moments: &[f64; MOST + 1],
    rows: usize,
    overhead: u32,
) -> Option<(usize, [f64; MOST])> {
    let rows = f64::from(u32::try_from(rows).ok()?);
    let mut factors = [0.0; MOST];
    let mut error = moments[0];
    let mut best: Option<(f64, usize, [f64; MOST])> = None;
    for n in 0..MOST {
        // The recursion of Levinson and Durbin; also false for numbers that are none.
        if !(error > 0.0) {
            break;
        }
        let before = factors;
        let sum: f64 = (0..n).map(|k| before[k] * moments[n - k]).sum();
        let reflection = (moments[n + 1] - sum) / error;
        factors[n] = reflection;
        for k in 0..n {
            factors[k] = before[k] - reflection * before[n - 1 - k];
        }
        error *= 1.0 - reflection * reflection;
        let order = n + 1;
        let left = rows - order as f64;
        // Half the logarithm of the variance, and the least that a code of a number takes.
        let each = (0.5 * (error / rows).max(f64::MIN_POSITIVE).log2() + SPREAD).max(1.0);
        let bits = each * left + (order as f64) * f64::from(overhead);
        if best.is_none_or(|(least, ..)| bits < least) {
            best = Some((bits, order, factors));
        }
    }
    best.map(|(_, order, factors)| (order, factors))
}

/// The bits of a Rice code beyond the logarithm of the standard deviation.
const SPREAD: f64 = 1.95;

/// Rounds coefficients, each of which takes over the error of those before.
fn quantise(factors: &[f64], precision: u32) -> Option<Linear> {
    const STEEPEST: i32 = 15;
    let largest = factors.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    // The largest is below 2 to this power.
    let exponent = i32::try_from(largest.to_bits() >> 52).ok()? - 1022;
    let shift = (i32::try_from(precision).ok()? - 1 - exponent).min(STEEPEST);
    let shift = u32::try_from(shift).ok()?;
    let (scale, most) = (f64::from(1u32 << shift), (1i32 << (precision - 1)) - 1);
    let (mut rounded, mut rest) = ([0; MOST], 0.0);
    for (place, factor) in rounded.iter_mut().zip(factors) {
        let wanted = factor * scale + rest;
        *place = whole(wanted).clamp(-most - 1, most);
        rest = wanted - f64::from(*place);
    }
    let order = rounded.iter().rposition(|f| *f != 0)? + 1;
    Some(Linear {
        order,
        precision,
        shift,
        factors: rounded,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "it saturates")]
fn whole(value: f64) -> i32 {
    value.round() as i32
}
