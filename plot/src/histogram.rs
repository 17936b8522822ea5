//! Counts as bars.

use serde_json::Value;
use spr_stats::{Column, LabelCount, Stats};

use super::Overview;
use super::range::Range;
use super::ticks::{number, round_step};

/// Counts side by side.
pub(super) struct Histogram {
    pub(super) title: String,
    pub(super) bars: Vec<Bar>,
}

/// How many there are of something.
pub(super) struct Bar {
    /// What, in words.
    pub(super) name: String,
    /// Where it starts on the axis.
    pub(super) from: f64,
    /// Where it ends.
    pub(super) to: f64,
    pub(super) count: u64,
}

impl Histogram {
    /// Where the axis starts and ends. A bar that is the only one is a part of it.
    pub(super) fn ends(&self) -> (f64, f64) {
        match &self.bars[..] {
            [] => (0.0, 1.0),
            [only] => {
                let width = only.to - only.from;
                (only.from - width, only.to + width)
            }
            [first, .., last] => (first.from, last.to),
        }
    }
}

/// How many utterances are how long, in frames; in seconds if they are nothing but sound.
pub(super) fn lengths(all: &Overview, most: usize) -> Option<Histogram> {
    if all.stats.frames > 0 {
        let counts = all.stats.length_counts();
        return binned("Utterances by frames", counts, 1.0, most);
    }
    let counts = all.durations.iter().map(|(length, n)| (*length, *n));
    binned("Utterances by seconds", counts, 0.01, most)
}

/// Bars of a round width; `unit` is what a whole length stands for.
fn binned(
    title: &str,
    counts: impl Iterator<Item = (u64, u64)>,
    unit: f64,
    most: usize,
) -> Option<Histogram> {
    let counts: Vec<_> = counts.collect();
    let (first, last) = (counts.first()?.0, counts.last()?.0);
    let step = round_step((last - first + 1) as f64 / most as f64).max(1.0);
    let step = super::whole(step) as u64;
    let start = first / step;
    let mut bars: Vec<_> = (start..=last / step)
        .map(|bin| {
            let from = bin as f64 * step as f64 * unit;
            let to = (bin as f64 + 1.0) * step as f64 * unit;
            let name = match (unit < 1.0, step) {
                (true, _) => format!("{}-{}", number(from, unit), number(to, unit)),
                (false, 1) => from.to_string(),
                (false, _) => format!("{from}-{}", to - 1.0),
            };
            Bar {
                name,
                from,
                to,
                count: 0,
            }
        })
        .collect();
    for (length, n) in counts {
        let at = usize::try_from(length / step - start).unwrap_or(usize::MAX);
        if let Some(bar) = bars.get_mut(at) {
            bar.count += n;
        }
    }
    Some(Histogram {
        title: title.to_owned(),
        bars,
    })
}

/// How often each label occurs; neighbours share a bar where there are too many.
pub(super) fn labels(column: usize, counts: &[LabelCount], most: usize) -> Option<Histogram> {
    let each = counts.len().div_ceil(most.max(1)).max(1);
    let bars = counts.chunks(each).enumerate().map(|(i, some)| {
        let [first, last] = [some.first(), some.last()].map(|c| c.map_or(String::new(), name));
        Bar {
            name: match each {
                1 => first,
                _ => format!("{first}-{last}"),
            },
            from: i as f64,
            to: (i + 1) as f64,
            count: some.iter().map(|c| c.count).sum(),
        }
    });
    let column = match column {
        0 => String::new(),
        n => format!(" in column {n}"),
    };
    let title = match each {
        1 => format!("Frames by label{column}: {} different", counts.len()),
        _ => format!(
            "Frames by label{column}: {} different, {each} a bar",
            counts.len()
        ),
    };
    let bars: Vec<_> = bars.collect();
    (!bars.is_empty()).then_some(Histogram { title, bars })
}

fn name(count: &LabelCount) -> String {
    match &count.label {
        Value::Number(n) => n.to_string(),
        Value::String(name) => name.clone(),
        _ => "?".to_owned(),
    }
}

/// A column of the features, or several: means, and what lies within a deviation from them.
pub(super) struct Spread {
    /// The first column.
    pub(super) first: usize,
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Spreads, and how many columns each of them sums up.
pub(super) fn spreads(columns: &[Column], most: usize) -> (Vec<Spread>, usize) {
    let each = columns.len().div_ceil(most.max(1)).max(1);
    let groups = columns.chunks(each).enumerate().filter_map(|(i, some)| {
        let finite = some.iter().filter(|c| c.count > 0);
        let known: Vec<_> = finite.filter(|c| (c.mean + c.std).is_finite()).collect();
        let ends = known.iter().map(|c| (c.mean - c.std, c.mean + c.std));
        let (low, high) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        Some(Spread {
            first: i * each,
            mean: known.iter().map(|c| c.mean).sum::<f64>() / known.len() as f64,
            low,
            high,
        })
    });
    (groups.collect(), each)
}

/// The values that a chart of spreads shows.
pub(super) fn ends_of(spreads: &[Spread]) -> Range {
    Range::of(spreads.iter().flat_map(|s| [s.low, s.high]), 0.0)
}

/// Columns of labels that are drawn.
pub(super) const LABEL_COLUMNS: usize = 8;

/// What is said of columns of labels that are not drawn, if there are any.
pub(super) fn left_out(columns: &[Vec<LabelCount>]) -> Option<String> {
    match columns.len().saturating_sub(LABEL_COLUMNS) {
        0 => None,
        n => Some(format!("{n} more columns of labels, which are not drawn")),
    }
}

/// What is said where columns of features are not told apart.
pub(super) fn of_the_first(stats: &Stats) -> String {
    match stats.columns_beyond {
        0 => String::new(),
        _ => format!(
            ", the first {} of {}",
            stats.features.len(),
            stats.columns()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_of_round_width() {
        let counts = [(219, 1), (227, 2), (304, 1)];
        let lengths = binned("", counts.into_iter(), 1.0, 10).unwrap();
        let bars: Vec<_> = lengths
            .bars
            .iter()
            .map(|b| (b.name.as_str(), b.count))
            .collect();
        assert_eq!(bars[0], ("210-219", 1));
        assert_eq!(bars[1], ("220-229", 2));
        assert_eq!((bars.len(), bars[9]), (10, ("300-309", 1)));
        let one = binned("", [(7, 3)].into_iter(), 1.0, 10).unwrap();
        assert_eq!((one.bars.len(), one.bars[0].name.as_str()), (1, "7"));
        assert_eq!(one.ends(), (6.0, 9.0));
        let ends = binned("", [(0, 1), (u64::MAX - 1, 1)].into_iter(), 1.0, 10).unwrap();
        assert!(ends.bars.len() <= 11);
    }

    #[test]
    fn labels_share_bars() {
        let counts: Vec<_> = (0..5i64)
            .map(|label| LabelCount {
                label: label.into(),
                count: 2,
            })
            .collect();
        let bars = labels(0, &counts, 2).unwrap().bars;
        assert_eq!(bars[0].name, "0-2");
        assert_eq!((bars[1].name.as_str(), bars[1].count), ("3-4", 4));
        assert!(labels(0, &[], 2).is_none());
    }
}
