//! Labels and segments as spans of a picture's width.

use spr_core::model::{Decimal, Element, Key, Matrix, Tier};
use spr_core::{Result, Symbols, dispatch};

use super::axis::Axis;

/// Label columns that are shown.
const MAX_TRACKS: usize = 4;
/// Tiers that are shown.
const MAX_TIERS: usize = 8;

/// Labelled spans of time or of frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// What they are.
    pub name: String,
    /// What they lie along.
    pub axis: Axis,
    /// In their order.
    pub spans: Vec<Span>,
    /// Whether the labels are numbers, which may have names.
    pub numbers: bool,
}

impl Track {
    /// Puts names in place of the numbers that have one.
    pub(super) fn name(&mut self, symbols: &Symbols) {
        for span in self.spans.iter_mut().filter(|_| self.numbers) {
            let number = span.label.parse().ok();
            if let Some(name) = number.and_then(|number| symbols.name_of(number)) {
                span.label = Key::from(name).to_string();
            }
        }
    }
}

/// A labelled part of a picture's width.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The start, as a share of the width.
    pub from: f64,
    /// The end.
    pub to: f64,
    /// The label.
    pub label: String,
}

/// The label columns.
///
/// # Errors
/// A truth value is neither 0 nor 1.
pub(super) fn label_tracks(labels: &Matrix, axis: Axis, cols: usize) -> Result<Vec<Track>> {
    dispatch!(labels.dtype(), T => {
        Ok(column_tracks(labels.values::<T>()?, labels, axis, cols))
    })
}

fn column_tracks<T: Element>(values: &[T], labels: &Matrix, axis: Axis, cols: usize) -> Vec<Track> {
    let (rows, all) = (labels.rows(), labels.cols());
    let track = |column: usize| {
        let label = |row: usize| {
            let mut text = Vec::new();
            values.get(row * all + column)?.print(&mut text);
            Some(String::from_utf8_lossy(&text).into_owned())
        };
        let name = match all {
            1 => "labels".to_owned(),
            _ => format!("labels {column}"),
        };
        Track {
            name,
            axis,
            spans: spans(rows, cols, label),
            numbers: true,
        }
    };
    (0..all.min(MAX_TRACKS)).map(track).collect()
}

/// Runs of frames with the same label, in `cols` columns at most.
pub(super) fn spans(
    frames: usize,
    cols: usize,
    label: impl Fn(usize) -> Option<String>,
) -> Vec<Span> {
    let cols = cols.min(frames);
    let mut spans: Vec<Span> = Vec::new();
    for col in 0..cols {
        // The label in the middle of a column stands for all in it.
        let Some(label) = label((2 * col + 1) * frames / (2 * cols)) else {
            continue;
        };
        let (from, to) = (col as f64 / cols as f64, (col + 1) as f64 / cols as f64);
        match spans.last_mut() {
            Some(span) if span.label == label && span.to == from => span.to = to,
            _ => spans.push(Span { from, to, label }),
        }
    }
    spans
}

/// The first tiers that have segments, in the time of `axis`, or to the end of the latest segment
/// where that is longer.
pub(super) fn tier_tracks(tiers: &[Tier], axis: Option<Axis>, cols: usize) -> Vec<Track> {
    let segments = tiers.iter().flat_map(|tier| &tier.segments);
    let ends = segments.map(|segment| segment.end.unwrap_or(segment.start).value());
    let last = ends.fold(0.0, f64::max);
    let axis = match axis {
        // What is later than the sound is shown on an axis of its own, but for what can't be seen.
        Some(axis) if last <= axis.to + (axis.to - axis.from) / cols.max(1) as f64 => axis,
        Some(axis) => Axis { to: last, ..axis },
        None => Axis {
            from: 0.0,
            to: last,
            seconds: true,
        },
    };
    let track = |tier: &Tier| Track {
        name: match tiers.len() == 1 || tier.name.is_empty() {
            true => "segments".to_owned(),
            false => Key::from(&*tier.name).to_string(),
        },
        axis,
        spans: tier_spans(tier, axis, cols),
        numbers: false,
    };
    let filled = tiers.iter().filter(|tier| !tier.segments.is_empty());
    filled.take(MAX_TIERS).map(track).collect()
}

fn tier_spans(tier: &Tier, axis: Axis, cols: usize) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let share = |time: f64| ((time - axis.from) / (axis.to - axis.from)).clamp(0.0, 1.0);
    let column = 1.0 / cols as f64;
    let mut drawn = -1.0;
    for segment in &tier.segments {
        let start = share(segment.start.value());
        let (from, to) = match tier.points {
            // A point in time is as wide as what is seen of it.
            true => (start.min(1.0 - column), (start + column).min(1.0)),
            false => (start, share(segment.end.map_or(axis.to, Decimal::value))),
        };
        // What ends in the column that is drawn can't be seen.
        if to > drawn {
            drawn = to + 0.5 * column;
            spans.push(Span {
                from,
                to,
                label: Key::from(&*segment.label).to_string(),
            });
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::Segment;

    #[test]
    fn segments_beyond_the_sound_are_seen_whole() {
        let segment =
            |from, to| Segment::new(Decimal::new(from, 0), Some(Decimal::new(to, 0)), b"");
        let sound = Axis {
            from: 0.0,
            to: 4.0,
            seconds: true,
        };
        for (last, to) in [(3i64, 4.0), (4, 4.0), (8, 8.0)] {
            let tiers = [Tier::only(vec![segment(0, 2), segment(2, last)])];
            let track = tier_tracks(&tiers, Some(sound), 100).remove(0);
            assert_eq!((track.axis.to, track.spans.len()), (to, 2), "{last}");
            let end = last as f64 / to;
            assert_eq!(track.spans[1].to, end, "{last}");
        }
    }
}
