//! Values that are calculated from each sample and those before it.

use std::array::from_fn;

/// Fills `out` with a value for each run of `N` samples.
// By itself it is compiled for vectors.
#[inline(never)]
pub(super) fn fill<T: Copy, const N: usize>(
    samples: &[T],
    value: impl Fn([T; N]) -> i32,
    out: &mut [i32],
) {
    for (out, window) in out.iter_mut().zip(samples.windows(N)) {
        *out = value(from_fn(|n| window[n]));
    }
}
