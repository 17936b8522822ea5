//! The range of values covered by colours and charts.

use super::ticks::numbers;
use super::words::whole;

/// The share of values, at either end, that is clamped to the colour of the end.
pub(super) const BEYOND: f64 = 0.01;
/// The factor by which an outlier is further from the median than all nearer values.
const APART: f64 = 100.0;

/// A range of values, and the extremes beyond it.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// The lower end; smaller values are clamped.
    pub low: f64,
    /// The upper end; larger values are clamped.
    pub high: f64,
    /// The smallest and the largest value of all.
    pub ends: (f64, f64),
}

impl Range {
    /// Returns a range without clamping.
    pub(super) fn whole(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            ends: (low, high),
        }
    }

    /// Returns the range of most finite values. It excludes the given share at either end, and
    /// outliers, at most half of all values, that would make the others look the same.
    pub(super) fn of(values: impl Iterator<Item = f64>, share: f64) -> Self {
        let mut sorted: Vec<_> = values.filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(first), Some(end)) = (sorted.first().copied(), sorted.last().copied()) else {
            return Self::default();
        };
        let near = near(&sorted);
        let last = near.len().saturating_sub(1);
        let beyond = whole(last as f64 * share);
        let at = |place: usize| near.get(place).copied().unwrap_or_default();
        let spans = [
            (at(beyond), at(last - beyond)),
            (at(0), at(last)),
            (first, end),
        ];
        // A few values among many equal ones are the ones of interest.
        let wide = spans.into_iter().find(|(low, high)| low < high);
        let (low, high) = wide.unwrap_or((first, end));
        Self {
            low,
            high,
            ends: (first, end),
        }
    }

    /// Returns a note on clamped values, if there are any.
    pub(super) fn note(&self) -> Option<String> {
        let (least, most) = self.ends;
        let step = (most - least) / 50.0;
        let beyond = least < self.low || most > self.high;
        let texts = numbers(&[least, most], step);
        beyond.then(|| format!("{} in all", texts.join(" to ")))
    }
}

/// Returns the values around the median up to a gap so wide that nothing else would be visible.
fn near(sorted: &[f64]) -> &[f64] {
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    let mut away: Vec<_> = sorted.iter().map(|v| (v - middle).abs()).collect();
    away.sort_by(f64::total_cmp);
    let half = away.len() / 2;
    let pairs = away
        .iter()
        .zip(away.iter().skip(1))
        .skip(half.saturating_sub(1));
    let mut gaps = pairs.filter(|(a, b)| **a > 0.0 && **b > APART * **a);
    let Some((most, _)) = gaps.next() else {
        return sorted;
    };
    let from = sorted.partition_point(|v| middle - v > *most);
    let to = sorted.partition_point(|v| v - middle <= *most);
    sorted.get(from..to).unwrap_or(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_far_out_leaves_the_others_their_colours() {
        for columns in [3, 5, 40] {
            let value = |i: usize| match i % columns {
                0 => 1e30,
                column => column as f64 + (i % 7) as f64 / 7.0,
            };
            let range = Range::of((0..100 * columns).map(value), BEYOND);
            assert!(range.low >= 1.0 && range.high < 41.0, "{range:?}");
            assert_eq!(range.ends.1, 1e30);
            let note = range.note().unwrap();
            assert!(note.ends_with("to 1.0e30 in all"), "{note}");
        }
        let even = Range::of((0..=1000).map(f64::from), BEYOND);
        assert_eq!(
            (even.low, even.high, even.ends),
            (10.0, 990.0, (0.0, 1000.0))
        );
        let one = (0..1000).map(|i| if i == 500 { 1.0 } else { 0.0 });
        assert_eq!(Range::of(one, BEYOND), Range::whole(0.0, 1.0));
        // Many zeros and a few values are all shown.
        let sparse = (0..100).map(|i| if i < 90 { 0.0 } else { f64::from(i) });
        assert_eq!(Range::of(sparse, BEYOND).high, 99.0);
        let ends = [f64::MAX, -f64::MAX, 0.0, 1.0, f64::NAN].into_iter();
        assert!(Range::of(ends, BEYOND).low.is_finite());
        assert_eq!(Range::of([7.0; 3].into_iter(), 0.0), Range::whole(7.0, 7.0));
        assert_eq!(Range::of(std::iter::empty(), BEYOND).note(), None);
    }
}
