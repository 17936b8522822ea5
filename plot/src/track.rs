//! Labels and segments as spans of a picture's width.

use std::collections::{BTreeMap, BTreeSet};

use spr_core::model::{Decimal, Element, Key, Matrix, Segment, Tier};
use spr_core::{Result, Symbols, dispatch};

use super::axis::Axis;
use super::words::counted;

/// The largest number of label columns drawn.
const MAX_TRACKS: usize = 4;
/// The largest number of tiers drawn.
const MAX_TIERS: usize = 8;
/// The largest number of rows of overlapping segments in a tier.
const MAX_ROWS: usize = 8;

/// A row of labelled spans of time or frames.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The name; empty if the spans belong to the track above.
    pub name: String,
    /// The axis.
    pub axis: Axis,
    /// The spans in order, without overlaps.
    pub spans: Vec<Span>,
    /// Whether the labels are numbers, which may have names.
    pub numbers: bool,
    /// All labels, including those of spans too narrow to be seen.
    pub labels: BTreeSet<String>,
}

impl Track {
    /// Replaces numbers by their names, if they have one.
    pub(super) fn name(&mut self, symbols: &Symbols) {
        if !self.numbers {
            return;
        }
        let named = |label: &str| {
            let name = symbols.name_of(label.parse().ok()?)?;
            Some(Key::from(name).to_string())
        };
        for span in &mut self.spans {
            span.label = named(&span.label).unwrap_or_else(|| span.label.clone());
        }
        let labels = std::mem::take(&mut self.labels).into_iter();
        self.labels = labels.map(|label| named(&label).unwrap_or(label)).collect();
    }
}

/// A labelled part of a picture's width.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The start, from 0 to 1.
    pub from: f64,
    /// The end; equal to the start for a point in time.
    pub to: f64,
    /// The label.
    pub label: String,
}

impl Span {
    /// Returns `true` if the span is a point in time.
    pub(super) fn is_point(&self) -> bool {
        self.to <= self.from
    }
}

/// Tracks, and notes on those left out.
pub(super) type Tracks = (Vec<Track>, Vec<String>);

/// Returns the tracks of the label columns.
///
/// # Errors
/// A boolean value is neither 0 nor 1.
pub(super) fn label_tracks(labels: &Matrix, axis: Axis, cols: usize) -> Result<Tracks> {
    let tracks = dispatch!(labels.dtype(), T => {
        column_tracks(labels.values::<T>()?, labels, axis, cols)
    });
    let note = left_out(tracks.len(), labels.cols(), "columns of labels");
    Ok((tracks, note.into_iter().collect()))
}

/// Returns a note if not all are drawn.
fn left_out(drawn: usize, all: usize, what: &str) -> Option<String> {
    (drawn < all).then(|| format!("{drawn} of {all} {what}"))
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
            labels: (0..rows).filter_map(label).collect(),
        }
    };
    (0..all.min(MAX_TRACKS)).map(track).collect()
}

/// Returns runs of frames with the same label, in at most `cols` columns.
pub(super) fn spans(
    frames: usize,
    cols: usize,
    label: impl Fn(usize) -> Option<String>,
) -> Vec<Span> {
    let cols = cols.min(frames);
    let mut spans: Vec<Span> = Vec::new();
    for col in 0..cols {
        // The label in the middle of a column represents all labels in it.
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

/// Returns the end of the last segment.
pub(super) fn last_of(tiers: &[Tier]) -> f64 {
    let segments = tiers.iter().flat_map(|tier| &tier.segments);
    let ends = segments.map(|segment| segment.end.unwrap_or(segment.start).value());
    ends.fold(0.0, f64::max)
}

/// Returns the tracks of the first tiers with segments. Overlapping segments go to rows below each
/// other.
pub(super) fn tier_tracks(tiers: &[Tier], axis: Axis, cols: usize) -> Tracks {
    let filled = || tiers.iter().filter(|tier| !tier.segments.is_empty());
    let (mut tracks, mut hidden) = (Vec::new(), 0);
    for tier in filled().take(MAX_TIERS) {
        let name = match tiers.len() == 1 || tier.name.is_empty() {
            true => "segments".to_owned(),
            false => Key::from(&*tier.name).to_string(),
        };
        for (name, segments) in groups(tier, &name) {
            let (rows, more) = rows_of(&segments, tier.points, axis, cols);
            hidden += more;
            let labels = segments.iter().map(|segment| label_of(segment));
            let mut labels: BTreeSet<_> = labels.collect();
            for (i, spans) in rows.into_iter().enumerate() {
                tracks.push(Track {
                    name: if i == 0 { name.clone() } else { String::new() },
                    axis,
                    spans,
                    numbers: false,
                    labels: std::mem::take(&mut labels),
                });
            }
        }
    }
    let all = filled().count();
    let mut notes: Vec<_> = left_out(all.min(MAX_TIERS), all, "tiers")
        .into_iter()
        .collect();
    if hidden > 0 {
        let them = counted(hidden as u64, "segment");
        notes.push(format!("without {them}, as too many overlap"));
    }
    (tracks, notes)
}

fn label_of(segment: &Segment) -> String {
    Key::from(&*segment.label).to_string()
}

/// Sorts the segments of a tier. If some overlap and speakers are known, groups them by speaker.
fn groups<'a>(tier: &'a Tier, name: &str) -> Vec<(String, Vec<&'a Segment>)> {
    let mut segments: Vec<_> = tier.segments.iter().collect();
    segments.sort_by(|a, b| a.start.value().total_cmp(&b.start.value()));
    let mut last = f64::NEG_INFINITY;
    let overlap = segments.iter().any(|segment| {
        let before = last;
        last = before.max(segment.end.map_or(f64::INFINITY, Decimal::value));
        !tier.points && segment.start.value() < before
    });
    let speakers: BTreeSet<_> = segments.iter().map(|s| &s.speaker).collect();
    if !overlap || speakers.len() < 2 || speakers.len() > MAX_ROWS {
        return vec![(name.to_owned(), segments)];
    }
    let mut by: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for segment in segments {
        by.entry(&segment.speaker).or_default().push(segment);
    }
    let named = by.into_iter().map(|(speaker, segments)| match speaker {
        Some(speaker) => (Key::from(&**speaker).to_string(), segments),
        None => (name.to_owned(), segments),
    });
    named.collect()
}

/// A row of spans being filled.
#[derive(Default)]
struct Row {
    spans: Vec<Span>,
    /// The end of the last span, and the end of its painted part.
    ends: Option<(f64, f64)>,
}

/// Distributes segments over as few rows as possible without overlaps. Returns the number of
/// segments without a row as well.
fn rows_of(
    segments: &[&Segment],
    points: bool,
    axis: Axis,
    cols: usize,
) -> (Vec<Vec<Span>>, usize) {
    let column = 1.0 / cols.max(1) as f64;
    let (mut rows, mut hidden): (Vec<Row>, _) = (Vec::new(), 0);
    for segment in segments {
        let start = segment.start.value();
        let end = match points {
            true => start,
            false => segment.end.map_or(axis.to, Decimal::value),
        };
        let (from, to) = axis.shares(Axis {
            from: start,
            to: end.max(start),
            ..axis
        });
        // An overlap of less than half a column is invisible.
        let free = |row: &&mut Row| row.ends.is_none_or(|(end, _)| end <= from + column / 2.0);
        let full = rows.len() >= MAX_ROWS;
        let row = match rows.iter_mut().find(free) {
            Some(row) => row,
            None if full => {
                hidden += 1;
                continue;
            }
            None => {
                rows.push(Row::default());
                match rows.last_mut() {
                    Some(row) => row,
                    None => continue,
                }
            }
        };
        let painted = row.ends.map_or(-1.0, |(_, painted)| painted);
        // A segment narrower than a column is invisible within a painted one.
        let seen = to - from >= column || to > painted;
        if seen {
            let label = label_of(segment);
            row.spans.push(Span { from, to, label });
        }
        let most = if seen { to.max(from + column) } else { painted };
        row.ends = Some((to, most));
    }
    (rows.into_iter().map(|row| row.spans).collect(), hidden)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Unit;

    fn segment(from: f64, to: f64, label: &str) -> Segment {
        let time = |t: f64| Decimal::parse(&format!("{t}")).unwrap();
        Segment::new(time(from), Some(time(to)), label.as_bytes())
    }

    fn rows(segments: Vec<Segment>, cols: usize) -> Vec<(String, Vec<String>)> {
        let axis = Axis::up_to(10.0, Unit::Seconds);
        let (tracks, _) = tier_tracks(&[Tier::only(segments)], axis, cols);
        let labels = |t: Track| t.spans.into_iter().map(|s| s.label).collect();
        tracks
            .into_iter()
            .map(|t| (t.name.clone(), labels(t)))
            .collect()
    }

    #[test]
    fn segments_that_overlap_are_in_rows() {
        let all = || {
            [
                (0.0, 3.0, "a"),
                (2.0, 5.0, "b"),
                (2.5, 2.7, "c"),
                (4.0, 6.0, "d"),
            ]
            .map(|(from, to, label)| segment(from, to, label))
            .to_vec()
        };
        let row = |name: &str, labels: &[&str]| {
            let labels = labels.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>();
            (name.to_owned(), labels)
        };
        assert_eq!(
            rows(all(), 700),
            [
                row("segments", &["a", "d"]),
                row("", &["b"]),
                row("", &["c"])
            ]
        );
        let mut spoken = all();
        for (segment, speaker) in spoken.iter_mut().zip(["ann", "bob", "cid", "ann"]) {
            segment.speaker = Some(speaker.as_bytes().into());
        }
        assert_eq!(
            rows(spoken, 700),
            [
                row("ann", &["a", "d"]),
                row("bob", &["b"]),
                row("cid", &["c"])
            ]
        );
        // Nested segments, and many at once.
        let nested = rows(vec![segment(0.0, 9.0, "long"), segment(1.0, 2.0, "in")], 70);
        assert_eq!(nested.len(), 2);
        let many = vec![segment(0.0, 9.0, "x"); 20];
        let axis = Axis::up_to(10.0, Unit::Seconds);
        let (tracks, notes) = tier_tracks(&[Tier::only(many)], axis, 70);
        assert_eq!(tracks.len(), MAX_ROWS);
        assert_eq!(notes, ["without 12 segments, as too many overlap"]);
    }

    #[test]
    fn what_is_narrower_than_a_column_is_drawn_once_in_it() {
        let narrow = (0..1000).map(|i| f64::from(i) / 100.0);
        let narrow = narrow.map(|t| segment(t, t + 0.01, "x")).collect();
        let drawn = rows(narrow, 100).remove(0).1.len();
        assert!((100..=200).contains(&drawn), "{drawn}");
        let points = vec![
            segment(1.0, 1.0, "p"),
            segment(1.001, 1.001, "q"),
            segment(5.0, 5.0, "r"),
        ];
        assert_eq!(
            rows(points, 100),
            [("segments".to_owned(), vec!["p".to_owned(), "r".to_owned()])]
        );
    }

    #[test]
    fn tiers_that_are_left_out_are_told() {
        let tier = || Tier {
            name: (*b"t").into(),
            ..Tier::only(vec![segment(0.0, 1.0, "a")])
        };
        let tiers: Vec<_> = (0..12).map(|_| tier()).collect();
        let (tracks, notes) = tier_tracks(&tiers, Axis::up_to(1.0, Unit::Seconds), 9);
        assert_eq!(
            (tracks.len(), &notes[..]),
            (8, &["8 of 12 tiers".to_owned()][..])
        );
    }
}
