//! The five fixed predictors: polynomials through the preceding samples.

use super::windows::fill;

/// The largest order.
const MOST: usize = 4;
/// The number of samples whose differences are added in 32 bits.
const STEP: usize = 256;

/// Returns the order whose residual has the smallest magnitude, for samples of `width` bits.
pub(super) fn best_order(samples: &[i32], width: u32) -> usize {
    // The sum of a step is below 2³².
    let shift = width.saturating_sub(17);
    let mut sums = [0; MOST + 1];
    for start in (0..samples.len().saturating_sub(MOST)).step_by(STEP) {
        let end = samples.len().min(start + STEP + MOST);
        let step = magnitudes(&samples[start..end], shift);
        for (sum, part) in sums.iter_mut().zip(step) {
            *sum += u64::from(part);
        }
    }
    let orders = (0..=MOST).min_by_key(|order| (sums[*order], *order));
    orders.unwrap_or(0)
}

/// Returns the sums of the magnitudes of all residuals, each shifted.
fn magnitudes(samples: &[i32], shift: u32) -> [u32; MOST + 1] {
    let mut sums = [0; MOST + 1];
    for window in samples.windows(MOST + 1) {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|n| window[n]);
        let (ab, bc, cd, de) = (b - a, c - b, d - c, e - d);
        let (abc, bcd, cde) = (bc - ab, cd - bc, de - cd);
        let (abcd, bcde) = (bcd - abc, cde - bcd);
        let residuals = [e, de, cde, bcde, bcde - abcd];
        for (sum, residual) in sums.iter_mut().zip(residuals) {
            *sum += residual.unsigned_abs() >> shift;
        }
    }
    sums
}

/// Fills `out` with the residual of samples with `order` others before them.
pub(super) fn residual(samples: &[i32], order: usize, out: &mut [i32]) {
    match order {
        0 => fill(samples, |[a]| a, out),
        1 => fill(samples, |[a, b]| b - a, out),
        2 => fill(samples, |[a, b, c]| c - 2 * b + a, out),
        3 => fill(samples, |[a, b, c, d]| d - 3 * (c - b) - a, out),
        _ => fill(samples, |[a, b, c, d, e]| e - 4 * (d + b) + 6 * c + a, out),
    }
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_leaves_its_highest_difference() {
        for order in 0..=MOST {
            let polynomial = |n: i32| (0..order).fold(1, |value, k| value * (n + k as i32)) + 2;
            let samples: Vec<i32> = (-20..20).map(polynomial).collect();
            let mut left = vec![0; samples.len() - order];
            residual(&samples, order, &mut left);
            let first = left[0];
            assert!(
                left.iter().all(|value| *value == first),
                "{order}: {left:?}"
            );
            // One order more leaves nothing.
            assert_eq!(best_order(&samples, 17), (order + 1).min(MOST), "{order}");
        }
    }

    #[test]
    fn the_loudest_sound_has_a_best_order() {
        for width in [8, 16, 17, 24, 25] {
            let most = 1 << (width - 1);
            let buzz: Vec<i32> = (0..999)
                .map(|n| if n % 2 == 0 { most - 1 } else { -most })
                .collect();
            assert_eq!(best_order(&buzz, width), 0);
            let held = vec![-most; 999];
            assert_eq!(best_order(&held, width), 1);
        }
        for few in [&[][..], &[1], &[1, 2, 3, 4]] {
            assert_eq!(best_order(few, 16), 0);
        }
    }
}
