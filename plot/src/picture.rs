//! What is to be seen of an utterance.

use spr_core::model::{FrameGrid, Key, Utterance};

use super::axis::Axis;
use super::heat::Heat;
use super::sparse::Sparse;
use super::track::{Track, label_tracks, segment_track};
use super::wave::{Wave, curve, waves};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::NONE;
    use crate::wave::NOTHING;
    use spr_core::model::{Audio, Decimal, Element, Matrix, Rank, Segment};

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
