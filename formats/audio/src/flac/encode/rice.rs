//! The partitions of a residual, each with a Rice parameter of its own.

use super::writer::{BitWriter, zigzag};

/// The largest partition order, of which 2 to its power is the number of partitions.
const DEEPEST: u32 = 6;
const PARTITIONS: usize = 1 << DEEPEST;
/// The largest parameters of the two coding methods.
const SHORT: u32 = 14;
const LONG: u32 = 30;

/// The parameters for a residual.
#[derive(Clone, Copy)]
pub(super) struct Rice {
    /// The approximate number of bits.
    pub(super) bits: u64,
    order: u32,
    parameters: [u32; PARTITIONS],
}

impl Rice {
    /// Chooses the parameters for the residual of a block of `rows` samples, which lacks as many
    /// samples at its start as the predictor has coefficients.
    pub(super) fn choose(residual: &[i32], rows: usize) -> Self {
        let missing = rows - residual.len();
        let fits = |order: &u32| rows.is_multiple_of(1 << order) && rows >> order > missing;
        let deepest = (0..=DEEPEST).rev().find(fits).unwrap_or(0);
        let mut sums = [0; PARTITIONS];
        for (sum, part) in sums.iter_mut().zip(parts(residual, rows, deepest)) {
            *sum = part.iter().map(|n| u64::from(zigzag(*n))).sum::<u64>();
        }
        let mut best = Self::of(&sums, rows, missing, deepest);
        for order in (0..deepest).rev() {
            for n in 0..1 << order {
                sums[n] = sums[2 * n] + sums[2 * n + 1];
            }
            let next = Self::of(&sums, rows, missing, order);
            if next.bits <= best.bits {
                best = next;
            }
        }
        best
    }

    /// Returns the best parameters for the sums of all partitions.
    fn of(sums: &[u64; PARTITIONS], rows: usize, missing: usize, order: u32) -> Self {
        let mut parameters = [0; PARTITIONS];
        let (mut bits, mut most) = (0, 0);
        for (n, (sum, parameter)) in sums
            .iter()
            .zip(&mut parameters)
            .take(1 << order)
            .enumerate()
        {
            let count = (rows >> order) - if n == 0 { missing } else { 0 };
            let cost;
            (*parameter, cost) = best(*sum, count as u64);
            bits += cost;
            most = most.max(*parameter);
        }
        bits += u64::from(width(most)) << order;
        Self {
            bits,
            order,
            parameters,
        }
    }

    /// Writes the residual.
    pub(super) fn write(&self, residual: &[i32], rows: usize, out: &mut BitWriter) {
        let parameters = &self.parameters[..1 << self.order];
        let width = width(parameters.iter().copied().max().unwrap_or(0));
        out.put(u64::from(width - 4), 2);
        out.put(u64::from(self.order), 4);
        for (parameter, part) in parameters.iter().zip(parts(residual, rows, self.order)) {
            out.put(u64::from(*parameter), width);
            out.put_rice(part, *parameter);
        }
    }
}

/// Returns the bits of a parameter if `most` is the largest.
fn width(most: u32) -> u32 {
    if most > SHORT { 5 } else { 4 }
}

/// Splits a residual into its partitions. The first is shorter.
fn parts(residual: &[i32], rows: usize, order: u32) -> impl Iterator<Item = &[i32]> {
    let each = rows >> order;
    let first = (each + residual.len()).saturating_sub(rows);
    let (first, rest) = residual.split_at(first);
    std::iter::once(first).chain(rest.chunks_exact(each.max(1)))
}

/// Returns the best parameter for `count` numbers with this sum of their codes, and the approximate
/// number of bits.
///
/// Codes of a geometric distribution with the mean μ are shortest with the parameter *k* if
/// 2ᵏ ≥ 0.48 μ > 2ᵏ⁻¹.
fn best(sum: u64, count: u64) -> (u32, u64) {
    let wanted = sum / 2 - sum / 64;
    let mut parameter = 0;
    if wanted > count && count > 0 {
        parameter = (wanted.ilog2() - count.ilog2()).min(LONG);
        if count << parameter < wanted && parameter < LONG {
            parameter += 1;
        }
    }
    // The bits that are cut off are half ones.
    let cut = count * ((1 << parameter) - 1) / 2;
    let high = sum.saturating_sub(cut) >> parameter;
    (parameter, high + count * u64::from(1 + parameter))
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
    fn the_parameter_is_within_a_hundredth_of_the_best() {
        // A geometric distribution by its quantiles.
        for mean in [0.3f64, 1.0, 2.1, 7.0, 40.0, 900.0, 1e6] {
            let count = 1000u32;
            let decay = (mean / (1.0 + mean)).ln();
            let codes: Vec<u64> = (0..count)
                .map(|n| ((1.0 - (f64::from(n) + 0.5) / f64::from(count)).ln() / decay) as u64)
                .collect();
            let cost = |k: u32| {
                codes
                    .iter()
                    .map(|c| (c >> k) + 1 + u64::from(k))
                    .sum::<u64>()
            };
            let (parameter, bits) = best(codes.iter().sum(), u64::from(count));
            let least = (0..=LONG).map(cost).min().unwrap();
            assert!(cost(parameter) * 100 <= least * 101, "{mean}: {parameter}");
            assert!(
                bits.abs_diff(cost(parameter)) * 20 <= least,
                "{mean}: {bits}"
            );
        }
        assert_eq!(best(0, 0), (0, 0));
        assert_eq!(best(u64::from(u32::MAX) * 4096, 4096).0, LONG);
    }

    #[test]
    fn partitions_follow_the_block() {
        let residual: Vec<i32> = (0..4096).collect();
        for (rows, missing, order, lengths) in [
            (4096, 8, 2, vec![1016, 1024, 1024, 1024]),
            (12, 3, 2, vec![0, 3, 3, 3]),
            (7, 7, 0, vec![0]),
        ] {
            let residual = &residual[..rows - missing];
            let parts: Vec<_> = parts(residual, rows, order).collect();
            assert!(parts.iter().map(|p| p.len()).eq(lengths));
            assert_eq!(parts.concat(), residual);
        }
    }
}
