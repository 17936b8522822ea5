//! Labels and segments as spans of a picture's width.

use spr_core::dispatch;
use spr_core::model::{Element, Key, Matrix, Segment};

use super::axis::Axis;

/// Label columns that are shown.
const MAX_TRACKS: usize = 4;

/// Labelled spans of time or of frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// What they are.
    pub name: String,
    /// What they lie along.
    pub axis: Axis,
    /// In their order.
    pub spans: Vec<Span>,
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
pub(super) fn label_tracks(labels: &Matrix, axis: Axis, cols: usize) -> Vec<Track> {
    let (rows, all) = (labels.rows(), labels.cols());
    let track = |column: usize| {
        let label = |row: usize| {
            dispatch!(labels.dtype(), T => {
                labels.as_slice::<T>().and_then(|v| v.get(row * all + column)).map(|v| {
                    let mut text = Vec::new();
                    v.print(&mut text);
                    String::from_utf8_lossy(&text).into_owned()
                })
            })
        };
        let spans = spans(rows, cols, label);
        let name = match all {
            1 => "labels".to_owned(),
            _ => format!("labels {column}"),
        };
        Track { name, axis, spans }
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

/// Segments in the time of `axis`.
pub(super) fn segment_track(list: &[Segment], axis: Axis, cols: usize) -> Track {
    let mut spans: Vec<Span> = Vec::new();
    let share = |time: f64| ((time - axis.from) / (axis.to - axis.from)).clamp(0.0, 1.0);
    let mut drawn = -1.0;
    for segment in list {
        let (from, to) = (share(segment.start), share(segment.end.unwrap_or(axis.to)));
        // What ends in the column that is drawn can't be seen.
        if to > drawn {
            drawn = to + 0.5 / cols as f64;
            spans.push(Span {
                from,
                to,
                label: Key::from(&*segment.label).to_string(),
            });
        }
    }
    Track {
        name: "segments".to_owned(),
        axis,
        spans,
    }
}
