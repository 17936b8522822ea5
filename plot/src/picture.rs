//! A reduced view of one utterance.

use spr_core::model::{FrameGrid, Key, Matrix, Rank, Utterance};
use spr_core::{Result, Symbols};

use super::axis::{Axis, Unit, clock};
use super::clip::Clip;
use super::columns::Normalisation;
use super::heat::Heat;
use super::spectrum::{Analysis, Spectrum, spectra};
use super::track::{Track, label_tracks, last_of, tier_tracks};
use super::wave::{MAX_CHANNELS, Wave, curve, waves};
use super::weights::Weights;
use super::words::counted;

/// The largest length of the text that is kept, in bytes.
const MOST_TEXT: usize = 2000;

/// The detail of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// The largest number of columns.
    pub cols: usize,
    /// The largest number of rows of features.
    pub rows: usize,
    /// The largest number of rows of frequencies.
    pub bins: usize,
    /// The parameters of spectrograms.
    pub analysis: Analysis,
    /// The range of the colours of features.
    pub normalisation: Normalisation,
    /// The largest size of a clip in bytes, if audio is kept to be played.
    pub clip: Option<u64>,
}

impl Detail {
    /// Sets the numbers of columns and feature rows; there are half as many rows of frequencies.
    pub fn new(cols: usize, rows: usize) -> Self {
        Self {
            cols: cols.max(1),
            rows: rows.max(1),
            bins: rows.div_ceil(2).max(1),
            analysis: Analysis::default(),
            normalisation: Normalisation::None,
            clip: None,
        }
    }
}

/// An utterance reduced for display. Its size depends on that of the utterance only by the names of
/// labels.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The key of the utterance.
    pub key: Key,
    /// The number of frames.
    pub frames: u64,
    /// The axis of features and labels.
    pub axis: Axis,
    /// The axis of everything timed in seconds, from the first start to the last end.
    pub time: Option<Axis>,
    /// The features.
    pub heat: Option<Heat>,
    /// The waveforms, one per channel.
    pub waves: Vec<Wave>,
    /// The spectrograms, one per channel.
    pub spectra: Vec<Spectrum>,
    /// The audio to be played, if requested.
    pub clip: Option<Clip>,
    /// The beginning of the text.
    pub text: Option<String>,
    /// Labels and segments.
    pub tracks: Vec<Track>,
    /// The end of the last segment, if it is later than that of all other data.
    pub beyond: Option<f64>,
    /// Notes on data left out.
    pub notes: Vec<String>,
}

impl Picture {
    /// Reduces an utterance to at most `cols` columns and `rows` rows of features. Waveforms need
    /// samples: see [`Request::samples`](spr_core::format::Request::samples).
    ///
    /// # Errors
    /// A boolean value is neither 0 nor 1.
    pub fn of(utt: &Utterance, cols: usize, rows: usize) -> Result<Self> {
        Self::with(utt, &Detail::new(cols, rows))
    }

    /// Returns all labels and segments, those too narrow to be seen as well: a label keeps its colour
    /// whatever the width.
    pub(super) fn labels(&self) -> impl Iterator<Item = &String> {
        self.tracks.iter().flat_map(|track| &track.labels)
    }

    /// Reduces an utterance with the given detail.
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
                unit: Unit::Seconds,
            },
            // The values of a vector need not be in order of time.
            None if is_vector(utt) => Axis::up_to(frames as f64, Unit::Values),
            None => Axis::up_to(frames as f64, Unit::Frames),
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
            heat: many
                .map(|m| Heat::of(m, (cols, rows), detail.normalisation))
                .transpose()?,
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
            time: None,
            beyond: None,
            tracks: Vec::new(),
            notes: Vec::new(),
        };
        let channels = utt.waveform().map_or(0, |sound| sound.samples.cols());
        if channels > MAX_CHANNELS && !picture.waves.is_empty() {
            picture
                .notes
                .push(format!("channels 0 and 1 of {channels}"));
        }
        if let Some(weights) = utt.object.as_ref().and_then(Weights::of) {
            picture.frames = weights.frames as u64;
            if !axis.is_time() {
                picture.axis.to = weights.frames as f64;
            }
            picture.heat = Some(weights.heat(cols, rows));
            picture
                .tracks
                .extend(weights.best(cols).map(|(spans, labels)| Track {
                    name: "best".to_owned(),
                    axis: picture.axis,
                    spans,
                    numbers: true,
                    labels,
                }));
        }
        if let Some(labels) = utt.labels.as_ref().filter(|m| !m.is_empty()) {
            let (tracks, notes) = label_tracks(labels, axis, cols)?;
            picture.tracks.extend(tracks);
            picture.notes.extend(notes);
        }
        let sound = picture.waves.iter().map(|wave| wave.axis);
        let timed = sound.chain((picture.frames > 0).then_some(picture.axis));
        picture.time = timed.filter(Axis::is_time).reduce(Axis::with);
        let last = last_of(&utt.tiers);
        if last > 0.0 {
            let segments = Axis::up_to(last, Unit::Seconds);
            let all = picture.time.map_or(segments, |time| time.with(segments));
            if picture
                .time
                .is_some_and(|time| all.to - time.to > all.to / cols as f64)
            {
                picture.beyond = Some(last);
            }
            picture.time = Some(all);
        }
        let time = picture.time.unwrap_or(Axis::up_to(0.0, Unit::Seconds));
        let (tracks, notes) = tier_tracks(&utt.tiers, time, cols);
        picture.tracks.extend(tracks);
        picture.notes.extend(notes);
        Ok(picture)
    }

    /// Returns the axis on which data with the axis `axis` are drawn.
    pub(super) fn along(&self, axis: Axis) -> Axis {
        self.time.filter(|_| axis.is_time()).unwrap_or(axis)
    }

    /// Describes the length in words.
    pub(super) fn facts(&self) -> Vec<String> {
        let what = match self.axis.unit {
            Unit::Values => "value",
            _ => "frame",
        };
        let frames = (self.frames > 0).then(|| counted(self.frames, what));
        let (sound, last) = (self.waves.first().map(|wave| wave.axis), self.beyond);
        // The duration of the audio itself, if segments go beyond it.
        let own = sound.filter(Axis::is_time).or(Some(self.axis));
        let own = own.filter(|axis| axis.is_time()).or(self.time);
        let length = own.map(|axis| clock(axis.to - axis.from));
        let beyond = last.map(|last| format!("segments to {}", clock(last)));
        frames.into_iter().chain(length).chain(beyond).collect()
    }

    /// Replaces numeric labels by their names, if they have one.
    pub fn name(&mut self, symbols: &Symbols) {
        self.tracks.iter_mut().for_each(|track| track.name(symbols));
        if let Some(heat) = &mut self.heat {
            heat.name(symbols);
        }
    }

    /// Returns `true` if there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.heat.is_none() && self.waves.is_empty() && self.tracks.is_empty()
    }
}

/// Returns `true` if the features are a vector and no other field is aligned with its values.
fn is_vector(utt: &Utterance) -> bool {
    let vector = |features: &Matrix| features.rank() == Rank::Vector && features.cols() == 1;
    utt.features.as_ref().is_some_and(vector) && utt.labels.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::NONE;
    use crate::wave::NOTHING;
    use spr_core::Limits;
    use spr_core::model::{Decimal, Dtype, Element, Segment, Tier, Waveform};

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
        assert_eq!((heat.dim, heat.cols, heat.odd), (2, 2, 2));
        let range = heat.range;
        assert_eq!((range.low, range.high, range.ends), (1.0, 9.0, (0.0, 9.0)));
        assert_eq!(heat.cells, [254, NONE, 0, 127]);
        let caption = "feature; values 0.0 to 9.0 in all; grey: 2 values NaN/inf";
        assert_eq!(heat.caption(), caption);
        // A single NaN makes its cell empty.
        let heat = Picture::of(&utt, 1, 1).unwrap().heat.unwrap();
        assert_eq!((heat.has_values(), &heat.cells[..]), (false, &[NONE][..]));
        // One value per frame is drawn as a curve without gaps.
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
        let axis = Axis::up_to(2.0, Unit::Seconds);
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
        let wave = [(-1.0, 0.0), (0.0, 0.5)];
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
        assert_eq!(spans(1), [(0.0, 0.0), (0.25, 0.25), (1.0, 1.0)]);
    }

    #[test]
    fn all_that_is_timed_has_one_axis() {
        let sound = Waveform {
            rate: 4,
            samples: matrix(&[0i16; 16], 1).unwrap(),
        };
        let segment = |to| Segment::new(Decimal::new(0, 0), Some(Decimal::new(to, 0)), b"");
        for (last, facts) in [
            (3, &["4.00 s"][..]),
            (4, &["4.00 s"][..]),
            (8, &["4.00 s", "segments to 8.00 s"][..]),
        ] {
            let utt = Utterance {
                audio: Some(sound.clone().into()),
                tiers: vec![Tier::only(vec![segment(last)])],
                ..Utterance::default()
            };
            let picture = Picture::of(&utt, 100, 9).unwrap();
            let time = picture.time.unwrap();
            assert_eq!(time.to, last.max(4) as f64);
            assert_eq!(picture.along(picture.waves[0].axis), time);
            assert_eq!(picture.tracks[0].spans[0].to, last as f64 / time.to);
            assert_eq!(picture.facts(), facts);
        }
    }

    #[test]
    fn a_vector_has_values_and_many_channels_are_told() {
        let mut utt = Utterance {
            features: Some(Matrix::from_rows(&[1.0f32; 5], 1, Rank::Vector).unwrap()),
            ..Utterance::default()
        };
        assert_eq!(Picture::of(&utt, 9, 9).unwrap().facts(), ["5 values"]);
        utt.features = Some(Matrix::from_rows(&[1.0f32; 5], 5, Rank::Matrix).unwrap());
        assert_eq!(Picture::of(&utt, 9, 9).unwrap().facts(), ["1 frame"]);
        let sound = Waveform {
            rate: 1,
            samples: matrix(&[0i16; 12], 6).unwrap(),
        };
        utt.audio = Some(sound.into());
        let notes = Picture::of(&utt, 9, 9).unwrap().notes;
        assert_eq!(notes, ["channels 0 and 1 of 6"]);
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
