//! The loss by compression.

use spr_core::model::CastStats;

/// The number of values processed per step, without branches and with separate sums.
const LANES: usize = 4;

/// Compares values with those read back. Those below `low` or above `high` are out of range.
pub(crate) fn changes<T: Copy>(
    values: &[T],
    decoded: &[f32],
    widen: impl Fn(T) -> f64,
    (low, high): (f64, f64),
) -> CastStats {
    match low == f64::NEG_INFINITY && high == f64::INFINITY {
        true => compare::<false, T>(values, decoded, widen, (low, high)),
        false => compare::<true, T>(values, decoded, widen, (low, high)),
    }
}

/// Compares values, which have no error out of range unless there is a `BOUND`.
fn compare<const BOUND: bool, T: Copy>(
    values: &[T],
    decoded: &[f32],
    widen: impl Fn(T) -> f64,
    (low, high): (f64, f64),
) -> CastStats {
    let mut changed = [0u64; LANES];
    let mut clipped = [0u64; LANES];
    let mut largest = [0f64; LANES];
    let mut furthest = [0f64; LANES];
    let mut count = |lane: usize, value: f64, back: f32| {
        let error = (value - f64::from(back)).abs();
        // NaN is not equal either.
        let same = error <= 0.0;
        let inside = (value >= low) & (value <= high);
        changed[lane] += u64::from(!same);
        clipped[lane] += u64::from(!same & !inside);
        let outside = if inside { 0.0 } else { error };
        let error = if inside { error } else { 0.0 };
        largest[lane] = greater(error, largest[lane]);
        if BOUND {
            furthest[lane] = greater(outside, furthest[lane]);
        }
    };
    let (steps, rest) = values.as_chunks::<LANES>();
    let (steps_back, rest_back) = decoded.as_chunks::<LANES>();
    for (values, back) in steps.iter().zip(steps_back) {
        for lane in 0..LANES {
            count(lane, widen(values[lane]), back[lane]);
        }
    }
    for (lane, (value, back)) in rest.iter().zip(rest_back).enumerate() {
        count(lane, widen(*value), *back);
    }
    let mut stats = CastStats::default();
    stats.values = decoded.len() as u64;
    stats.changed = changed.iter().sum();
    stats.clipped = clipped.iter().sum();
    stats.max_abs_err = largest.into_iter().fold(0.0, f64::max);
    stats.max_clip_err = furthest.into_iter().fold(0.0, f64::max);
    stats
}

/// Returns the greater number, and `before` if `error` is none.
fn greater(error: f64, before: f64) -> f64 {
    if error > before { error } else { before }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_counts() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        let values = [1.0, 2.0, 9.0, nan, 3.0, inf, 4.0, -1.0, 5.0f32];
        let decoded = [1.0, 2.5, 6.0, 0.0, 3.0, 6.0, 5.0, 0.0, 5.25];
        let stats = changes(&values, &decoded, f64::from, (0.0, 6.0));
        assert_eq!((stats.values, stats.changed, stats.clipped), (9, 7, 4));
        assert!((stats.max_abs_err - 1.0).abs() < 1e-9);
        assert_eq!(stats.max_clip_err, f64::INFINITY);
        let stats = changes(&values[..4], &decoded[..4], f64::from, (0.0, 6.0));
        assert!((stats.max_clip_err - 3.0).abs() < 1e-9);
        let unbounded = (f64::NEG_INFINITY, f64::INFINITY);
        let stats = changes(&values, &decoded, f64::from, unbounded);
        assert_eq!((stats.changed, stats.clipped), (7, 1));
    }
}
