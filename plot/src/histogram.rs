//! Counts drawn as bars.

use serde_json::Value;
use spr_stats::{Column, Columns, LabelCount, Survey};

use super::range::Range;
use super::ticks::{number, numbers, round_step};
use super::words::{counted, whole};

/// Counts side by side.
pub(super) struct Histogram {
    pub(super) title: String,
    /// The names of the vertical and horizontal axes.
    pub(super) axes: (&'static str, &'static str),
    pub(super) bars: Vec<Bar>,
}

/// The count of one bin.
pub(super) struct Bar {
    /// The name of the bin.
    pub(super) name: String,
    /// The start of the bin on the axis.
    pub(super) from: f64,
    /// The end of the bin on the axis.
    pub(super) to: f64,
    pub(super) count: u64,
}

impl Histogram {
    /// Returns the ends of the axis. A single bar covers only a part of it.
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

/// Counts utterances by length in frames, or in seconds if they are nothing but sound.
pub(super) fn lengths(survey: &Survey, most: usize) -> Option<Histogram> {
    let (what, counts, unit) = match survey.frames {
        0 => ("seconds", &survey.length_counts.hundredths, 0.01),
        _ => ("frames", &survey.length_counts.frames, 1.0),
    };
    let counts = counts.iter().map(|(length, n)| (*length, *n));
    binned(what, counts, unit, most)
}

/// Removes the few lengths so far from the others that those would share a bar, and returns a note
/// on them.
fn far_out(counts: &mut Vec<(u64, u64)>, unit: f64) -> Option<String> {
    let all: u64 = counts.iter().map(|(_, n)| n).sum();
    let at = |place: u64| {
        let mut seen = 0;
        let reached = |(_, n): &&(u64, u64)| {
            seen += *n;
            seen >= place
        };
        counts.iter().find(reached).map(|(length, _)| *length)
    };
    let (low, high) = (at((all / 10).max(1))?, at(all - all / 10)?);
    let (first, last) = (counts.first()?.0, counts.last()?.0);
    let most = high - low + 1;
    if (last - first) / 10 < most {
        return None;
    }
    let near = low.saturating_sub(4 * most)..=high.saturating_add(4 * most);
    let count = |far: &dyn Fn(u64) -> bool| -> u64 {
        let far = counts.iter().filter(|(length, _)| far(*length));
        far.map(|(_, n)| n).sum()
    };
    let (shorter, longer) = (count(&|l| l < *near.start()), count(&|l| l > *near.end()));
    let told = |length: u64| number(length as f64 * unit, unit);
    let parts = [
        (shorter > 0).then(|| format!("{shorter} shorter, from {}", told(first))),
        (longer > 0).then(|| format!("{longer} longer, up to {}", told(last))),
    ];
    counts.retain(|(length, _)| near.contains(length));
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Bins counts in bars of a round width, where `unit` is the value of one unit of length.
fn binned(
    what: &'static str,
    counts: impl Iterator<Item = (u64, u64)>,
    unit: f64,
    most: usize,
) -> Option<Histogram> {
    let mut counts: Vec<_> = counts.collect();
    let far = far_out(&mut counts, unit).map(|far| format!("; {far}"));
    let (first, last) = (counts.first()?.0, counts.last()?.0);
    let step = round_step((last - first + 1) as f64 / most as f64).max(1.0);
    let step = whole(step) as u64;
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
        title: format!("Utterances by {what}{}", far.unwrap_or_default()),
        axes: ("utterances", what),
        bars,
    })
}

/// Counts the occurrences of each label. Neighbours share a bar if there are too many.
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
    let axes = ("frames", "label");
    (!bars.is_empty()).then_some(Histogram { title, axes, bars })
}

fn name(count: &LabelCount) -> String {
    match &count.label {
        Value::Number(n) => n.to_string(),
        Value::String(name) => name.clone(),
        _ => "?".to_owned(),
    }
}

/// The mean and standard deviation of one feature column, or of several.
pub(super) struct Spread {
    /// The first column.
    pub(super) first: usize,
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Returns the spreads, and the number of columns that each of them covers.
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

/// The range of values in a chart of spreads.
pub(super) struct Ends {
    pub(super) low: f64,
    pub(super) high: f64,
    /// The first columns of spreads that exceed the range, and their extremes.
    cut: Vec<usize>,
    beyond: (f64, f64),
}

impl Ends {
    /// Returns a note on clipped spreads, if there are any.
    pub(super) fn note(&self) -> Option<String> {
        let which = match &self.cut[..] {
            [] => return None,
            [only] => format!("column {only}"),
            few if few.len() <= NAMED => {
                let few: Vec<_> = few.iter().map(usize::to_string).collect();
                format!("columns {}", few.join(", "))
            }
            many => counted(many.len() as u64, "column"),
        };
        let (low, high) = self.beyond;
        let ends = numbers(&[low, high], (high - low) / 50.0).join(" to ");
        Some(format!("cut: {which}, {ends}"))
    }
}

/// The largest number of clipped columns that are named.
const NAMED: usize = 3;

/// Returns the range of a chart of spreads, without spreads so wide that the others would
/// disappear.
pub(super) fn ends_of(spreads: &[Spread]) -> Ends {
    let near = Range::of(spreads.iter().flat_map(|s| [s.low, s.high]), 0.0);
    let inside = |s: &&Spread| s.low >= near.low && s.high <= near.high;
    let reach = |kept: &mut dyn Iterator<Item = &Spread>| {
        kept.map(|s| (s.low, s.high))
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    };
    let kept = reach(&mut spreads.iter().filter(inside));
    let cut = || spreads.iter().filter(|s| !inside(s));
    let (low, high) = kept.unwrap_or((near.low, near.high));
    Ends {
        low,
        high,
        cut: cut().map(|s| s.first).collect(),
        beyond: reach(&mut cut()).unwrap_or_default(),
    }
}

/// The largest number of label columns drawn.
pub(super) const LABEL_COLUMNS: usize = 8;

/// Returns a note on label columns that are not drawn, if there are any.
pub(super) fn left_out(columns: &[Vec<LabelCount>]) -> Option<String> {
    match columns.len().saturating_sub(LABEL_COLUMNS) {
        0 => None,
        n => Some(format!("{n} more columns of labels, which are not drawn")),
    }
}

/// Returns what is said where columns of features are not told apart.
pub(super) fn of_the_first(columns: &Columns) -> String {
    match columns.beyond {
        Some(_) => format!(", the first {} of {}", columns.each.len(), columns.count),
        None => String::new(),
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
    fn a_length_far_out_leaves_the_others_their_bars() {
        let counts = (100..120).map(|length| (length, 1)).chain([(50_000, 1)]);
        let lengths = binned("frames", counts, 1.0, 20).unwrap();
        assert_eq!(lengths.bars.len(), 20);
        let title = "Utterances by frames; 1 longer, up to 50000";
        assert_eq!(lengths.title, title);
    }

    #[test]
    fn a_column_far_out_is_cut_and_told() {
        let spread = |first: usize, mean: f64, std: f64| Spread {
            first,
            mean,
            low: mean - std,
            high: mean + std,
        };
        let spreads = [
            spread(0, 5.0, 1.0),
            spread(1, 7.0, 1.0),
            spread(2, 6.0, 1.0),
            spread(3, 1e30, 1e30),
        ];
        let ends = ends_of(&spreads);
        assert_eq!((ends.low, ends.high), (4.0, 8.0));
        assert_eq!(ends.note().as_deref(), Some("cut: column 3, 0 to 2.0e30"));
        assert_eq!(ends_of(&spreads[..3]).note(), None);
    }

    #[test]
    fn labels_share_bars() {
        let counts: Vec<_> = (0..5i64).map(|label| LabelCount::new(label, 2)).collect();
        let bars = labels(0, &counts, 2).unwrap().bars;
        assert_eq!(bars[0].name, "0-2");
        assert_eq!((bars[1].name.as_str(), bars[1].count), ("3-4", 4));
        assert!(labels(0, &[], 2).is_none());
    }
}
