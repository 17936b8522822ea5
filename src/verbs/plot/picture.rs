//! What is to be seen of an utterance.

use spr_core::dispatch;
use spr_core::model::{Audio, Element, FrameGrid, Key, Matrix, Segment, Utterance};

use super::colour::NONE;
use super::sparse::Sparse;
use super::whole;
use crate::verbs::stats::number;

/// Label columns that are shown.
const MAX_TRACKS: usize = 4;
/// Channels that are shown.
const MAX_CHANNELS: usize = 2;
/// Of the values, this share at either end has the colour of the end.
const BEYOND: f64 = 0.01;

/// An utterance, made small enough to be seen. Its size does not depend on that of the utterance.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Whose it is.
    pub key: Key,
    /// Frames.
    pub frames: u64,
    /// What features and labels lie along.
    pub axis: Axis,
    /// The features.
    pub heat: Option<Heat>,
    /// The sound, a wave a channel.
    pub waves: Vec<Wave>,
    /// Labels and segments.
    pub tracks: Vec<Track>,
}

/// What a picture's sides are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axis {
    /// At the left side.
    pub from: f64,
    /// At the right side.
    pub to: f64,
    /// Whether it is in seconds, else in frames.
    pub seconds: bool,
}

/// Features as places on a colour scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// The number of the first column of the features, or the least of the numbers of a posterior.
    pub first: i64,
    /// Columns of the features.
    pub dim: usize,
    /// Cells in a row; each is the mean of the frames in it.
    pub cols: usize,
    /// Places on the scale from 0 to 254, row by row, the last feature first; 255 is no value.
    pub cells: Vec<u8>,
    /// The value at place 0, which all smaller ones share.
    pub low: f64,
    /// The value at place 254, which all greater ones share.
    pub high: f64,
}

/// Sound as the least and the greatest sample, of full range 1, in each column of a picture; or
/// one value a frame as a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Wave {
    /// The extremes.
    pub peaks: Vec<(f64, f64)>,
    /// The least and the greatest value of a curve, where it is none of sound.
    pub span: Option<(f64, f64)>,
    /// Its time.
    pub axis: Axis,
}

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

impl Picture {
    /// Makes an utterance small: `cols` columns at most, and `rows` rows of features.
    pub fn of(utt: &Utterance, cols: usize, rows: usize) -> Self {
        let frames = utt.frames();
        let grid = FrameGrid::of(&utt.meta);
        let axis = match &grid {
            Some(grid) => Axis {
                from: grid.time(0),
                to: grid.time(frames),
                seconds: true,
            },
            None => Axis {
                from: 0.0,
                to: frames as f64,
                seconds: false,
            },
        };
        let (cols, rows) = (cols.max(1), rows.max(1));
        let features = utt.features.as_ref().filter(|m| !m.is_empty());
        let (one, many) = (
            features.filter(|m| m.cols() == 1),
            features.filter(|m| m.cols() > 1),
        );
        let sound = utt.audio.iter().flat_map(|audio| waves(audio, cols));
        let mut picture = Self {
            key: utt.key.clone(),
            frames,
            axis,
            heat: many.map(|m| Heat::of(m, cols, rows)),
            waves: sound.chain(one.map(|m| curve(m, axis, cols))).collect(),
            tracks: Vec::new(),
        };
        if let Some(sparse) = utt.object.as_ref().and_then(Sparse::of) {
            picture.frames = sparse.frames as u64;
            if !axis.seconds {
                picture.axis.to = sparse.frames as f64;
            }
            picture.heat = Some(sparse.heat(cols, rows));
            picture.tracks.extend(sparse.best(cols).map(|spans| Track {
                name: "best".to_owned(),
                axis: picture.axis,
                spans,
            }));
        }
        if let Some(labels) = utt.labels.as_ref().filter(|m| !m.is_empty()) {
            picture.tracks.extend(label_tracks(labels, axis, cols));
        }
        if let Some(list) = utt.segments.as_ref().filter(|list| !list.is_empty()) {
            let sound = picture.waves.first().map(|wave| wave.axis);
            let axis = sound.unwrap_or_else(|| match frames > 0 && axis.seconds {
                true => axis,
                false => Axis {
                    from: 0.0,
                    to: list
                        .iter()
                        .map(|s| s.end.unwrap_or(s.start))
                        .fold(0.0, f64::max),
                    seconds: true,
                },
            });
            picture.tracks.push(segment_track(list, axis, cols));
        }
        picture
    }

    /// Whether there is nothing to be seen.
    pub fn is_empty(&self) -> bool {
        self.heat.is_none() && self.waves.is_empty() && self.tracks.is_empty()
    }
}

impl Wave {
    /// The values at the bottom and at the top of a picture; those of sound are as far from 0 as
    /// `round` makes of the greatest.
    pub(super) fn ends(&self, round: impl Fn(f64) -> f64) -> (f64, f64) {
        match self.span {
            Some((low, high)) if low < high => (low, high),
            Some((value, _)) => (value - 1.0, value + 1.0),
            None => {
                let peaks = self.peaks.iter().map(|(least, most)| most.max(-least));
                let peak = round(peaks.fold(1e-4, f64::max));
                (-peak, peak)
            }
        }
    }
}

impl Heat {
    fn of(features: &Matrix, cols: usize, rows: usize) -> Self {
        let (cols, rows) = (cols.min(features.rows()), rows.min(features.cols()));
        let mut sums = vec![(0.0, 0u32); cols * rows];
        dispatch!(features.dtype(), T => {
            pool(features.as_slice::<T>().unwrap_or_default(), features, cols, &mut sums);
        });
        let means: Vec<_> = sums.iter().map(|(sum, n)| sum / f64::from(*n)).collect();
        let mut sorted: Vec<_> = means.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let beyond = whole(last as f64 * BEYOND);
        let at = |place: usize| sorted.get(place).copied().unwrap_or_default();
        let (low, high) = (at(beyond), at(last - beyond));
        let level = |v: &f64| match v.is_finite() {
            true => level((v - low) / (high - low)),
            false => NONE,
        };
        Self {
            first: 0,
            dim: features.cols(),
            cols,
            cells: means.iter().map(level).collect(),
            low,
            high,
        }
    }
}

/// The place on the scale of a share; the middle where all values are the same.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped"
)]
pub(super) fn level(share: f64) -> u8 {
    match share.is_finite() {
        true => (share.clamp(0.0, 1.0) * 254.0).round() as u8,
        false => 127,
    }
}

/// Adds the finite values to the cells in which they lie, the last feature in the first row.
fn pool<T: Element>(values: &[T], features: &Matrix, cols: usize, sums: &mut [(f64, u32)]) {
    let (frames, dim) = (features.rows(), features.cols());
    let rows = sums.len() / cols.max(1);
    for (frame, row) in values.chunks_exact(dim.max(1)).enumerate() {
        let col = frame * cols / frames.max(1);
        for (i, value) in row.iter().enumerate() {
            let value = number(*value);
            let at = (rows - 1 - i * rows / dim) * cols + col;
            if let Some((sum, n)) = sums.get_mut(at).filter(|_| value.is_finite()) {
                *sum += value;
                *n += 1;
            }
        }
    }
}

fn label_tracks(labels: &Matrix, axis: Axis, cols: usize) -> Vec<Track> {
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

fn segment_track(list: &[Segment], axis: Axis, cols: usize) -> Track {
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

fn waves(audio: &Audio, cols: usize) -> Vec<Wave> {
    let samples = &audio.samples;
    let axis = Axis {
        from: 0.0,
        to: samples.rows() as f64 / f64::from(audio.rate.max(1)),
        seconds: true,
    };
    let wave = |channel: usize| Wave {
        span: None,
        peaks: dispatch!(samples.dtype(), T => {
            peaks(samples.as_slice::<T>().unwrap_or_default(), samples, channel, cols)
        }),
        axis,
    };
    let channels = if samples.is_empty() {
        0
    } else {
        samples.cols()
    };
    (0..channels.min(MAX_CHANNELS)).map(wave).collect()
}

/// One value a frame.
fn curve(features: &Matrix, axis: Axis, cols: usize) -> Wave {
    let cols = cols.min(features.rows());
    let mut peaks = vec![NOTHING; cols];
    let mut last = None;
    let mut add = |row: usize, value: f64| {
        let value = Some(value).filter(|v| v.is_finite());
        if let Some((place, value)) = peaks.get_mut(row * cols / features.rows()).zip(value) {
            // From the value before, so that the curve has no gaps.
            for v in [value, last.unwrap_or(value)] {
                *place = (place.0.min(v), place.1.max(v));
            }
        }
        last = value;
    };
    dispatch!(features.dtype(), T => {
        for (row, value) in features.as_slice::<T>().unwrap_or_default().iter().enumerate() {
            add(row, number(*value));
        }
    });
    let finite = peaks.iter().filter(|(least, most)| least <= most);
    let span = finite.fold(NOTHING, |a, b| (a.0.min(b.0), a.1.max(b.1)));
    Wave {
        span: Some(if span.0 <= span.1 { span } else { (0.0, 0.0) }),
        peaks,
        axis,
    }
}

/// The extremes of no values.
const NOTHING: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

fn peaks<T: Element>(
    values: &[T],
    samples: &Matrix,
    channel: usize,
    cols: usize,
) -> Vec<(f64, f64)> {
    let cols = cols.min(samples.rows());
    let mut peaks = vec![NOTHING; cols];
    let dtype = samples.dtype();
    let half = match dtype.is_float() {
        true => 1.0,
        false => 2f64.powf(8.0 * dtype.size() as f64 - 1.0),
    };
    let middle = if dtype.is_signed() { 0.0 } else { half };
    for (row, values) in values.chunks_exact(samples.cols().max(1)).enumerate() {
        let value = values.get(channel).map(|v| (number(*v) - middle) / half);
        let place = peaks.get_mut(row * cols / samples.rows());
        if let Some((value, (least, most))) = value.filter(|v| v.is_finite()).zip(place) {
            *least = least.min(value);
            *most = most.max(value);
        }
    }
    let proper = |(least, most): (f64, f64)| match least <= most {
        true => (least, most),
        false => (0.0, 0.0),
    };
    peaks.into_iter().map(proper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::{Decimal, Rank};

    fn matrix<T: Element>(values: &[T], cols: usize) -> Option<Matrix> {
        Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap())
    }

    #[test]
    fn cells_are_means() {
        let mut utt = Utterance {
            features: matrix(&[0.0, 9.0, 2.0, 9.0, 4.0, f64::NAN, 6.0, f64::INFINITY], 2),
            ..Utterance::default()
        };
        let heat = Picture::of(&utt, 2, 5).heat.unwrap();
        assert_eq!((heat.dim, heat.cols, heat.low, heat.high), (2, 2, 1.0, 9.0));
        assert_eq!(heat.cells, [254, NONE, 0, 127]);
        let heat = Picture::of(&utt, 1, 1).heat.unwrap();
        assert_eq!((heat.low, &heat.cells[..]), (5.0, &[127][..]));
        // One value a frame is a curve, without gaps.
        utt.features = matrix(&[1.0, 4.0, f64::NAN, 2.0], 1);
        let picture = Picture::of(&utt, 100, 9);
        let wave = &picture.waves[0];
        assert!(picture.heat.is_none() && wave.span == Some((1.0, 4.0)));
        assert_eq!(wave.peaks, [(1.0, 1.0), (1.0, 4.0), NOTHING, (2.0, 2.0)]);
        utt.features = matrix::<f32>(&[], 0);
        assert!(Picture::of(&utt, 2, 2).is_empty());
    }

    #[test]
    fn labels_become_spans() {
        let mut utt = Utterance {
            labels: matrix(&[7, 7, 7, -1], 1),
            ..Utterance::default()
        };
        let spans = |utt: &Utterance, cols| {
            let track = Picture::of(utt, cols, 9).tracks.remove(0);
            let spans = track.spans.into_iter().map(|s| (s.from, s.to, s.label));
            spans.collect::<Vec<_>>()
        };
        let seven = (0.0, 0.75, "7".to_owned());
        assert_eq!(spans(&utt, 100), [seven, (0.75, 1.0, "-1".to_owned())]);
        assert_eq!(spans(&utt, 1).len(), 1);
        utt.meta.frame_shift = Decimal::parse("0.5");
        let axis = Axis {
            from: 0.0,
            to: 2.0,
            seconds: true,
        };
        assert_eq!(Picture::of(&utt, 100, 9).axis, axis);
        utt.labels = None;
        utt.segments = Some(vec![
            Segment {
                start: 1.0,
                end: Some(2.0),
                label: b"a".as_slice().into(),
            },
            Segment {
                start: 2.0,
                end: Some(4.0),
                label: b"b\x1b".as_slice().into(),
            },
        ]);
        let found = spans(&utt, 100);
        assert_eq!(
            found,
            [
                (0.25, 0.5, "a".to_owned()),
                (0.5, 1.0, "b\\u{1b}".to_owned())
            ]
        );
    }

    #[test]
    fn sound_of_any_type_has_the_same_wave() {
        let of = |samples: Option<Matrix>| {
            let audio = Audio {
                rate: 2,
                samples: samples.unwrap(),
            };
            let utt = Utterance {
                audio: Some(audio),
                ..Utterance::default()
            };
            let wave = Picture::of(&utt, 2, 9).waves.remove(0);
            assert_eq!(wave.axis.to, 2.0);
            wave.peaks
        };
        let wave = [(-1.0, 0.0), (0.5, 0.5)];
        assert_eq!(of(matrix(&[0u8, 128, 192, 192], 1)), wave);
        assert_eq!(of(matrix(&[-32768i16, 0, 16384, 16384], 1)), wave);
        assert_eq!(of(matrix(&[-1.0f32, 0.0, 0.5, f32::NAN], 1)), wave);
    }
}
