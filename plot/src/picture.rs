//! What is to be seen of an utterance.

use spr_core::model::{FrameGrid, Key, Utterance};
use spr_core::{Result, Symbols};

use super::axis::Axis;
use super::clip::Clip;
use super::heat::Heat;
use super::spectrum::{Analysis, Spectrum, spectra};
use super::track::{Track, label_tracks, tier_tracks};
use super::wave::{Wave, curve, waves};
use super::weights::Weights;

/// Bytes of what was said that are kept.
const MOST_TEXT: usize = 2000;

/// How much of an utterance a picture shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// Columns, at most.
    pub cols: usize,
    /// Rows of features, at most.
    pub rows: usize,
    /// Rows of frequencies, at most.
    pub bins: usize,
    /// How sound becomes a spectrogram.
    pub analysis: Analysis,
    /// Bytes of sound that is kept to be played, if any is.
    pub clip: Option<u64>,
}

impl Detail {
    /// So many columns and rows of features, and half as many of frequencies.
    pub fn new(cols: usize, rows: usize) -> Self {
        Self {
            cols: cols.max(1),
            rows: rows.max(1),
            bins: rows.div_ceil(2).max(1),
            analysis: Analysis::default(),
            clip: None,
        }
    }
}

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
    /// The sound by time and frequency, a spectrogram a channel.
    pub spectra: Vec<Spectrum>,
    /// The sound to be played, where that was asked for.
    pub clip: Option<Clip>,
    /// What was said, the start of it.
    pub text: Option<String>,
    /// Labels and segments.
    pub tracks: Vec<Track>,
}

impl Picture {
    /// Makes an utterance small: `cols` columns at most, and `rows` rows of features. Of sound it
    /// shows samples, so ask for [them](spr_core::format::Request::samples).
    ///
    /// # Errors
    /// A truth value of it is neither 0 nor 1.
    pub fn of(utt: &Utterance, cols: usize, rows: usize) -> Result<Self> {
        Self::with(utt, &Detail::new(cols, rows))
    }

    /// Makes an utterance small, with such detail.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn with(utt: &Utterance, detail: &Detail) -> Result<Self> {
        let Detail { cols, rows, .. } = *detail;
        let frames = utt.frames();
        let grid = FrameGrid::of(&utt.meta);
        let axis = match &grid {
            Some(grid) => Axis {
                from: grid.time(0).value(),
                to: grid.time(frames).value(),
                seconds: true,
            },
            None => Axis {
                from: 0.0,
                to: frames as f64,
                seconds: false,
            },
        };
        let features = utt.features.as_ref().filter(|m| !m.is_empty());
        let (one, many) = (
            features.filter(|m| m.cols() == 1),
            features.filter(|m| m.cols() > 1),
        );
        let mut drawn = match utt.waveform() {
            Some(sound) => waves(sound, cols)?,
            None => Vec::new(),
        };
        if let Some(one) = one {
            drawn.push(curve(one, axis, cols)?);
        }
        let mut picture = Self {
            key: utt.key.clone(),
            frames,
            axis,
            heat: many.map(|m| Heat::of(m, cols, rows)).transpose()?,
            waves: drawn,
            clip: match (utt.waveform(), detail.clip) {
                (Some(sound), Some(most)) => Clip::of(sound, most)?,
                _ => None,
            },
            spectra: match utt.waveform() {
                Some(sound) => spectra(sound, (cols, detail.bins), &detail.analysis)?,
                None => Vec::new(),
            },
            text: utt.said().map(|text| {
                let text = text.get(..MOST_TEXT).unwrap_or(&text);
                String::from_utf8_lossy(text).into_owned()
            }),
            tracks: Vec::new(),
        };
        if let Some(weights) = utt.object.as_ref().and_then(Weights::of) {
            picture.frames = weights.frames as u64;
            if !axis.seconds {
                picture.axis.to = weights.frames as f64;
            }
            picture.heat = Some(weights.heat(cols, rows));
            picture.tracks.extend(weights.best(cols).map(|spans| Track {
                name: "best".to_owned(),
                axis: picture.axis,
                spans,
                numbers: true,
            }));
        }
        if let Some(labels) = utt.labels.as_ref().filter(|m| !m.is_empty()) {
            picture.tracks.extend(label_tracks(labels, axis, cols)?);
        }
        let sound = picture.waves.first().map(|wave| wave.axis);
        let timed = (frames > 0 && axis.seconds).then_some(axis);
        let tracks = tier_tracks(&utt.tiers, sound.or(timed), cols);
        picture.tracks.extend(tracks);
        Ok(picture)
    }

    /// Puts names in place of labels that are numbers, and have one.
    pub fn name(&mut self, symbols: &Symbols) {
        self.tracks.iter_mut().for_each(|track| track.name(symbols));
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
    use crate::range::Range;
    use crate::wave::NOTHING;
    use spr_core::Limits;
    use spr_core::model::{Decimal, Dtype, Element, Matrix, Rank, Segment, Tier, Waveform};

    fn matrix<T: Element>(values: &[T], cols: usize) -> Option<Matrix> {
        Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap())
    }

    #[test]
    fn cells_are_means() {
        let mut utt = Utterance {
            features: matrix(&[0.0, 9.0, 2.0, 9.0, 4.0, f64::NAN, 6.0, f64::INFINITY], 2),
            ..Utterance::default()
        };
        let heat = Picture::of(&utt, 2, 5).unwrap().heat.unwrap();
        assert_eq!(
            (heat.dim, heat.cols, heat.range),
            (2, 2, Range::whole(1.0, 9.0))
        );
        assert_eq!(heat.cells, [254, NONE, 0, 127]);
        let heat = Picture::of(&utt, 1, 1).unwrap().heat.unwrap();
        assert_eq!((heat.range.low, &heat.cells[..]), (5.0, &[127][..]));
        // One value a frame is a curve, without gaps.
        utt.features = matrix(&[1.0, 4.0, f64::NAN, 2.0], 1);
        let picture = Picture::of(&utt, 100, 9).unwrap();
        let wave = &picture.waves[0];
        assert!(picture.heat.is_none() && wave.span == Some((1.0, 4.0)));
        assert_eq!(wave.peaks, [(1.0, 1.0), (1.0, 4.0), NOTHING, (2.0, 2.0)]);
        utt.features = matrix::<f32>(&[], 0);
        assert!(Picture::of(&utt, 2, 2).unwrap().is_empty());
    }

    #[test]
    fn labels_become_spans() {
        let mut utt = Utterance {
            labels: matrix(&[7, 7, 7, -1], 1),
            ..Utterance::default()
        };
        let spans = |utt: &Utterance, cols| {
            let track = Picture::of(utt, cols, 9).unwrap().tracks.remove(0);
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
        assert_eq!(Picture::of(&utt, 100, 9).unwrap().axis, axis);
        utt.labels = None;
        let segment = |start, end, label| {
            Segment::new(Decimal::new(start, 0), Some(Decimal::new(end, 0)), label)
        };
        utt.tiers = vec![Tier::only(vec![
            segment(1, 2, b"a"),
            segment(2, 4, b"b\x1b"),
        ])];
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
            let sound = Waveform {
                rate: 2,
                samples: samples.unwrap(),
            };
            let utt = Utterance {
                audio: Some(sound.into()),
                ..Utterance::default()
            };
            let wave = Picture::of(&utt, 2, 9).unwrap().waves.remove(0);
            assert_eq!(wave.axis.to, 2.0);
            wave.peaks
        };
        let wave = [(-1.0, 0.0), (0.5, 0.5)];
        assert_eq!(of(matrix(&[0u8, 128, 192, 192], 1)), wave);
        assert_eq!(of(matrix(&[-32768i16, 0, 16384, 16384], 1)), wave);
        assert_eq!(of(matrix(&[-1.0f32, 0.0, 0.5, f32::NAN], 1)), wave);
    }

    #[test]
    fn every_tier_with_segments_is_a_track() {
        let points = [0, 1, 4].map(|time| Segment::new(Decimal::new(time, 0), None, b"p"));
        let word = Segment::new(Decimal::ZERO, Some(Decimal::new(2, 0)), b"w");
        let tier = |name: &[u8], segments| Tier {
            name: name.into(),
            segments,
            points: false,
        };
        let utt = Utterance {
            tiers: vec![
                tier(b"words", vec![word]),
                tier(b"nothing", Vec::new()),
                Tier {
                    points: true,
                    ..tier(b"clicks", points.to_vec())
                },
            ],
            ..Utterance::default()
        };
        let tracks = Picture::of(&utt, 8, 9).unwrap().tracks;
        let names: Vec<_> = tracks.iter().map(|track| track.name.as_str()).collect();
        assert_eq!(names, ["words", "clicks"]);
        let spans = |i: usize| {
            let spans = tracks[i].spans.iter().map(|span| (span.from, span.to));
            spans.collect::<Vec<_>>()
        };
        assert_eq!(spans(0), [(0.0, 0.5)]);
        assert_eq!(spans(1), [(0.0, 0.125), (0.25, 0.375), (0.875, 1.0)]);
    }

    #[test]
    fn every_type_is_drawn() {
        for dtype in Dtype::ALL {
            let of = |cols| {
                let mut matrix = matrix(&[1u8, 0, 1, 1], cols).unwrap();
                matrix.cast(*dtype, &Limits::default()).unwrap();
                let utt = Utterance {
                    features: Some(matrix.clone()),
                    labels: Some(matrix),
                    ..Utterance::default()
                };
                Picture::of(&utt, 9, 9).unwrap()
            };
            assert_eq!(of(2).heat.unwrap().cells, [0, 254, 254, 254], "{dtype}");
            assert_eq!(of(1).waves[0].span, Some((0.0, 1.0)), "{dtype}");
            assert_eq!(of(1).tracks[0].spans.len(), 3, "{dtype}");
        }
    }
}
