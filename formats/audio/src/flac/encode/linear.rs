//! Linear predictors with coefficients of their own for each block.

use std::array::from_fn;

use super::windows::fill;

/// The largest order.
pub(super) const MOST: usize = 10;
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
        let largest = (MOST as u64) << (width - 1 + self.precision - 1);
        if largest > u64::from(i32::MAX.unsigned_abs()) {
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
        // The recursion of Levinson and Durbin.
        if error <= 0.0 || error.is_nan() {
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
    if largest <= 0.0 || !largest.is_finite() {
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

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]
mod tests {
    use super::*;

    fn padded(samples: &[i32]) -> Vec<i32> {
        [&[0; MOST][..], samples].concat()
    }

    /// Returns the residual, calculated in the plainest way.
    fn plain(linear: &Linear, samples: &[i32]) -> Vec<i64> {
        let value = |n: usize| {
            let terms = (0..linear.order).map(|k| {
                let before = n.checked_sub(k + 1).map_or(0, |n| samples[n]);
                i64::from(linear.factors[k]) * i64::from(before)
            });
            i64::from(samples[n]) - (terms.sum::<i64>() >> linear.shift)
        };
        (0..samples.len()).map(value).collect()
    }

    #[test]
    fn a_resonance_is_found() {
        // A decaying tone each 200 samples: the predictor is 2 r cos φ, -r².
        let (decay, angle) = (0.99f64, 0.4f64);
        for width in [8, 16, 17, 24, 25] {
            let most = f64::from(1 << (width - 2));
            let tone = |n: i32| most * decay.powi(n % 200) * (angle * f64::from(n % 200)).cos();
            let samples: Vec<i32> = (0..4096).map(|n| tone(n) as i32).collect();
            let found = Linear::find(&samples, width, &mut Vec::new()).unwrap();
            let mut left = vec![0; samples.len()];
            assert!(found.residual(&padded(&samples), width, &mut Vec::new(), &mut left));
            assert!(
                left.iter()
                    .map(|v| i64::from(*v))
                    .eq(plain(&found, &samples))
            );
            let sum = |values: &[i32]| values.iter().map(|v| f64::from(v.abs())).sum::<f64>();
            let gain = sum(&samples) / sum(&left);
            assert!(
                gain > if width > 8 { 15.0 } else { 8.0 },
                "{width}: {gain}, {found:?}"
            );
        }
    }

    #[test]
    fn the_residual_is_exact_at_the_extremes() {
        for (width, precision) in [(8, 12), (16, 12), (17, 12), (18, 12), (25, 15), (16, 15)] {
            let (low, high) = (-1 << (width - 1), (1 << (width - 1)) - 1);
            let samples: Vec<i32> = (0..40)
                .map(|n: i32| if n.wrapping_mul(n) % 7 < 3 { low } else { high })
                .collect();
            for order in 1..=MOST {
                let edge = -1 << (precision - 1);
                let linear = Linear {
                    order,
                    precision,
                    shift: precision,
                    factors: from_fn(|n| if n < order { edge } else { 0 }),
                };
                let mut left = vec![0; samples.len()];
                assert!(linear.residual(&padded(&samples), width, &mut Vec::new(), &mut left));
                assert!(
                    left.iter()
                        .map(|v| i64::from(*v))
                        .eq(plain(&linear, &samples))
                );
            }
        }
    }

    #[test]
    fn a_residual_of_too_many_bits_is_refused() {
        let samples = [1 << 23; 40];
        let mut linear = Linear {
            order: 8,
            precision: 15,
            shift: 9,
            factors: [-1 << 14; MOST],
        };
        let mut left = vec![0; samples.len()];
        assert!(!linear.residual(&padded(&samples), 25, &mut Vec::new(), &mut left));
        linear.shift = 10;
        assert!(linear.residual(&padded(&samples), 25, &mut Vec::new(), &mut left));
    }

    #[test]
    fn sound_without_shape_has_no_predictor() {
        let mut scratch = Vec::new();
        for samples in [&[0; 100][..], &[5; SHORTEST - 1]] {
            assert_eq!(Linear::find(samples, 16, &mut scratch), None);
        }
        assert!(Linear::find(&[5; SHORTEST], 16, &mut scratch).is_some());
        for bad in [0.0, f64::NAN, f64::INFINITY, 1e9] {
            assert_eq!(quantise(&[bad], 12), None);
        }
    }

    #[test]
    fn coefficients_are_rounded_with_the_error_of_those_before() {
        let linear = quantise(&[1.5, -0.75], 4).unwrap();
        assert_eq!((linear.order, linear.shift, linear.precision), (2, 2, 4));
        assert_eq!(linear.factors[..2], [6, -3]);
        let linear = quantise(&[1.1, 0.1, 0.0], 4).unwrap();
        // 4.4, and 0.4 with the 0.4 that is left.
        assert_eq!(
            (linear.order, linear.factors[..2].to_vec()),
            (2, vec![4, 1])
        );
        // The largest one that does not fit is clipped.
        assert_eq!(quantise(&[1.99], 4).unwrap().factors[0], 7);
        assert_eq!(quantise(&[-2.0], 4).unwrap().factors[0], -4);
        assert_eq!(quantise(&[1e-9, 1e-3], 15).unwrap().shift, 15);
    }

    #[test]
    fn autocorrelation_of_any_length() {
        for len in [0, 1, 7, 8, 9, 10, 11, 12, 13, 100, 101] {
            let samples: Vec<f64> = (0..len).map(|n| f64::from(n * n % 17 - 8)).collect();
            let sums = autocorrelation(&samples);
            for (distance, sum) in sums.iter().enumerate() {
                let pairs = samples.iter().zip(samples.iter().skip(distance));
                assert_eq!(
                    *sum,
                    pairs.map(|(a, b)| a * b).sum::<f64>(),
                    "{len}, {distance}"
                );
            }
        }
    }
}
