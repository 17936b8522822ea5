//! The coefficients that lilcom chooses: linear regression on the value before, axis by axis.

use super::SCALE;

/// Coefficients below are taken for 0.
const SMALLEST: f32 = 0.02;
/// The part of a sum of squares that keeps it from 0.
const SOMETHING: f32 = 1e-20;

/// Returns the coefficient of each axis in units of 1/256. Sums are those of NumPy to the bit,
/// with which lilcom computes them.
pub(super) fn coefficients(values: &[f32], shape: &[usize]) -> Vec<i32> {
    let mut values = values.to_vec();
    let mut coefficients = vec![0; shape.len()];
    let mut stride = values.len();
    for (size, coefficient) in shape.iter().zip(&mut coefficients) {
        let span = stride;
        stride /= size;
        if *size == 1 {
            continue;
        }
        let pairs = Pairs {
            values: &values,
            span,
            stride,
        };
        let (products, squares) = pairs.sums();
        let weight = products / (squares + SOMETHING);
        // Values of which the squares are out of range have no coefficient.
        if !weight.is_finite() || weight.abs() < SMALLEST {
            continue;
        }
        let weight = weight.clamp(-1.0, 1.0);
        #[expect(clippy::cast_possible_truncation, reason = "from -256 to 256")]
        let rounded = (weight * SCALE).round_ties_even() as i32;
        *coefficient = rounded;
        if stride > 1 {
            subtract(&mut values, span, stride, weight);
        }
    }
    coefficients
}

/// Subtracts from each value the weighted one before it along an axis.
fn subtract(values: &mut [f32], span: usize, stride: usize, weight: f32) {
    for part in values.chunks_exact_mut(span) {
        for n in (stride..span).rev() {
            part[n] -= part[n - stride] * weight;
        }
    }
}

/// The pairs of neighbours along an axis: in each `span` of values, those `stride` apart.
struct Pairs<'a> {
    values: &'a [f32],
    span: usize,
    stride: usize,
}

/// The values that NumPy adds without halving.
const BLOCK: usize = 128;
/// The sums that it keeps side by side.
const LANES: usize = 8;

impl Pairs<'_> {
    /// Returns the sums of the products of all pairs, and of the squares of their first values.
    fn sums(&self) -> (f32, f32) {
        let per_span = self.span - self.stride;
        let pairs = self.values.len() / self.span * per_span;
        let mut at = Position::default();
        self.pairwise(pairs, &mut at)
    }

    /// Adds the next `n` pairs in NumPy's order: the sum of each half, down to blocks.
    fn pairwise(&self, n: usize, at: &mut Position) -> (f32, f32) {
        if n > BLOCK {
            let half = n / 2 / LANES * LANES;
            let (first, second) = (self.pairwise(half, at), self.pairwise(n - half, at));
            return (first.0 + second.0, first.1 + second.1);
        }
        let (mut products, mut squares) = ([0.0; BLOCK], [0.0; BLOCK]);
        let mut filled = 0;
        while filled < n {
            let per_span = self.span - self.stride;
            let step = (per_span - at.inner).min(n - filled);
            let from = at.span + at.inner;
            let firsts = &self.values[from..from + step];
            let seconds = &self.values[from + self.stride..from + self.stride + step];
            let into = products[filled..].iter_mut().zip(&mut squares[filled..]);
            for ((product, square), (a, b)) in into.zip(firsts.iter().zip(seconds)) {
                (*product, *square) = (a * b, a * a);
            }
            filled += step;
            at.inner += step;
            if at.inner == per_span {
                *at = Position {
                    span: at.span + self.span,
                    inner: 0,
                };
            }
        }
        (block(&products[..n]), block(&squares[..n]))
    }
}

/// The place of the next pair.
#[derive(Default)]
struct Position {
    span: usize,
    inner: usize,
}

/// Adds up to [`BLOCK`] values in NumPy's order.
fn block(values: &[f32]) -> f32 {
    let (lanes, rest) = values.split_at(values.len() / LANES * LANES);
    let mut sum = 0.0;
    if !lanes.is_empty() {
        let mut sums = [0.0f32; LANES];
        for lane in lanes.chunks_exact(LANES) {
            for (sum, value) in sums.iter_mut().zip(lane) {
                *sum += value;
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
    }
    rest.iter().fold(sum, |sum, value| sum + value)
}
