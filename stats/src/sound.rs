//! Statistics of audio.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use spr_core::model::{Audio, Level};

#[expect(clippy::cast_precision_loss, reason = "counts as weights")]
fn root_mean(squares: f64, values: u64) -> f64 {
    (squares / values.max(1) as f64).sqrt()
}

/// Converts a level relative to full scale to dB. Returns `None` for silence.
pub fn decibels(level: f64) -> Option<f64> {
    (level > 0.0).then(|| 20.0 * level.log10())
}

/// Formats a level with its significant digits.
fn linear(level: f64) -> String {
    match level {
        l if (1e-3..1e3).contains(&l) => format!("{l:.4}"),
        l => format!("{l:.3e}"),
    }
}

/// Statistics of the audio of a data set. Levels are those of the measured samples. The fields have
/// the same names in JSON.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sound {
    /// Utterances with audio.
    pub utterances: u64,
    /// The number of utterances by sampling rate.
    pub rates: BTreeMap<u32, u64>,
    /// The number of utterances by number of channels.
    pub channels: BTreeMap<u32, u64>,
    /// Element types of samples.
    pub dtypes: BTreeSet<&'static str>,
    /// Samples of each channel, as far as known.
    pub samples: u64,
    /// Utterances whose samples were measured.
    pub measured: u64,
    /// The least, the mean and the largest of the seconds of an utterance whose duration is known.
    pub seconds: Option<Spread>,
    /// The least, the mean and the largest sample, relative to full scale.
    pub amplitude: Option<Spread>,
    /// The largest absolute value, relative to full scale.
    pub peak: f64,
    /// The same in dB of full scale; `None` for silence.
    pub peak_db: Option<f64>,
    /// The root of the mean square, relative to full scale.
    pub rms: f64,
    /// The same in dB of full scale; `None` for silence.
    pub rms_db: Option<f64>,
    /// Samples of all channels.
    pub values: u64,
    /// Samples at the ends of their type's range, or beyond full scale in floats.
    pub clipped: u64,
    /// Utterances with such samples.
    pub clipped_utterances: u64,
    /// Samples that are exactly zero.
    pub zeros: u64,
    /// Utterances whose samples are all zero.
    pub silent_utterances: u64,
    /// Samples that are NaN or infinite.
    pub faulty: u64,
    /// Formats of sound files that are kept whole.
    #[serde(skip)]
    pub encoded: BTreeSet<String>,
    /// Utterances whose sound is somewhere else.
    #[serde(skip)]
    pub references: u64,
    #[serde(skip)]
    squares: f64,
}

/// The spread of values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub max: f64,
    /// The number of values.
    #[serde(skip)]
    count: u64,
}

impl Spread {
    /// Adds `count` values of which these are the least, the mean and the largest.
    #[expect(clippy::cast_precision_loss, reason = "counts as weights")]
    fn add(own: &mut Option<Self>, (min, mean, max): (f64, f64, f64), count: u64) {
        let before = own.map_or(0, |own| own.count);
        let all = own.get_or_insert(Self {
            min,
            mean,
            max,
            count: 0,
        });
        all.count = before + count;
        all.min = all.min.min(min);
        all.max = all.max.max(max);
        all.mean += (mean - all.mean) * (count as f64 / all.count.max(1) as f64);
    }
}

impl Sound {
    /// Counts the sound of one more utterance, whose loudness is `level` if samples are here.
    pub(crate) fn add(&mut self, audio: &Audio, level: Option<&Level>) {
        let facts = audio.facts();
        if let Some(seconds) = facts.seconds() {
            Spread::add(&mut self.seconds, (seconds, seconds, seconds), 1);
        }
        self.utterances += 1;
        for (counts, own) in [
            (&mut self.rates, facts.rate()),
            (&mut self.channels, facts.channels()),
        ] {
            if let Some(own) = own {
                *counts.entry(own).or_default() += 1;
            }
        }
        self.samples += facts.samples().unwrap_or_default();
        match audio {
            Audio::Samples(sound) => {
                self.dtypes.insert(sound.samples.dtype().name());
            }
            Audio::Encoded(encoded) if self.encoded.contains(&encoded.format) => {}
            Audio::Encoded(encoded) => {
                self.encoded.insert(encoded.format.clone());
            }
            Audio::Reference(_) => self.references += 1,
            _ => {}
        }
        if let Some(level) = level {
            self.measure(level);
        }
    }

    fn measure(&mut self, level: &Level) {
        self.measured += 1;
        if let Some((least, most)) = level.range {
            Spread::add(
                &mut self.amplitude,
                (least, level.mean(), most),
                level.values,
            );
        }
        self.values += level.values;
        self.faulty += level.faulty;
        self.clipped += level.clipped;
        self.clipped_utterances += u64::from(level.clipped > 0);
        self.zeros += level.zeros;
        self.silent_utterances += u64::from(level.zeros == level.values && level.values > 0);
        self.squares += level.squares;
        self.peak = self.peak.max(level.peak);
        self.peak_db = decibels(self.peak);
        self.rms = root_mean(self.squares, self.values);
        self.rms_db = decibels(self.rms);
    }

    /// Returns the levels as text, each with its name, or none if no sample was measured.
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    pub fn levels(&self) -> Vec<(&'static str, String)> {
        if self.values + self.faulty == 0 {
            return Vec::new();
        }
        let of = |n: u64| match (n, self.measured) {
            (_, 1) => String::new(),
            (1, _) => " in 1 utterance".to_owned(),
            (n, _) => format!(" in {n} utterances"),
        };
        let level = match (self.peak_db, self.rms_db) {
            (Some(peak), Some(rms)) => format!(
                "peak {peak:.2} dB ({}), RMS {rms:.2} dB ({}) of full scale",
                linear(self.peak),
                linear(self.rms)
            ),
            _ => "silence".to_owned(),
        };
        let mut levels = vec![("level", level)];
        if self.clipped > 0 {
            let noun = if self.clipped == 1 {
                "sample"
            } else {
                "samples"
            };
            let text = format!("{} {noun}{}", self.clipped, of(self.clipped_utterances));
            levels.push(("clipped", text));
        }
        let share = 100.0 * self.zeros as f64 / self.values.max(1) as f64;
        let mut zeros = format!("{share:.2}% of the samples are exactly 0");
        if self.silent_utterances > 0 && self.measured > 1 {
            zeros.push_str(&format!(", all{}", of(self.silent_utterances)));
        }
        levels.push(("silence", zeros));
        if self.faulty > 0 {
            levels.push(("faulty", format!("{} samples are not finite", self.faulty)));
        }
        levels
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::Limits;
    use spr_core::model::{Dtype, Element, Matrix, Rank, Waveform};

    fn of<T: Element>(values: &[T], cols: usize) -> Level {
        let samples = Matrix::from_rows(values, cols, Rank::Matrix).unwrap();
        Level::of(&Waveform {
            rate: 8000,
            samples,
        })
        .unwrap()
    }

    #[test]
    fn levels_are_parts_of_full_scale() {
        let level = of(&[i16::MIN, 0, 16384, 0, i16::MAX, 0, 0, 0], 2);
        assert_eq!((level.values, level.peak, level.clipped), (8, 1.0, 2));
        assert_eq!((level.zeros, level.offsets[1]), (5, 0.0));
        let square = (1.0 + 0.25 + (32767.0f64 / 32768.0).powi(2)) / 8.0;
        assert!((level.rms() - square.sqrt()).abs() < 1e-12);
        let level = of(&[0u8, 128, 192, 255], 1);
        assert_eq!((level.peak, level.clipped, level.zeros), (1.0, 2, 1));
        let level = of(&[0.5f32, -1.0, 1.5, f32::NAN], 1);
        assert_eq!((level.values, level.faulty, level.clipped), (3, 1, 2));
        assert_eq!((level.peak, level.offsets[0]), (1.5, 1.0 / 3.0));
        assert_eq!(decibels(0.5).map(|db| (db * 1e4).round()), Some(-60206.0));
        assert_eq!(decibels(of(&[0i16; 4], 1).rms()), None);
    }

    #[test]
    fn levels_add_up() {
        let mut sound = Sound::default();
        for samples in [&[i16::MAX, 0, 16384][..], &[0, 0], &[i16::MIN]] {
            sound.measure(&of(samples, 1));
        }
        assert_eq!((sound.measured, sound.values, sound.zeros), (3, 6, 3));
        assert_eq!((sound.clipped, sound.clipped_utterances), (2, 2));
        assert_eq!((sound.silent_utterances, sound.peak), (1, 1.0));
    }

    #[test]
    fn the_type_makes_no_sound_louder() {
        for dtype in [
            Dtype::I8,
            Dtype::U8,
            Dtype::I16,
            Dtype::U16,
            Dtype::I32,
            Dtype::F64,
        ] {
            let samples = Matrix::from_rows(&[64i8, -32, 0, 16], 1, Rank::Matrix).unwrap();
            let mut sound = Waveform {
                rate: 8000,
                samples,
            };
            sound.cast(dtype, &Limits::default()).unwrap();
            let level = Level::of(&sound).unwrap();
            assert_eq!(
                (level.peak, level.clipped, level.zeros),
                (0.5, 0, 1),
                "{dtype}"
            );
        }
    }

    #[test]
    fn data_sets_are_summed_up() {
        let mut sound = Sound::default();
        for (rate, values, cols) in [
            (8000, &[16384, -16384][..], 1),
            (16000, &[0i16, 0, 0, 0], 2),
            (8000, &[i16::MAX, 0], 1),
        ] {
            let samples = Matrix::from_rows(values, cols, Rank::Matrix).unwrap();
            let waveform = Waveform { rate, samples };
            let level = Level::of(&waveform).unwrap();
            sound.add(&waveform.into(), Some(&level));
        }
        assert_eq!((sound.utterances, sound.samples, sound.values), (3, 6, 8));
        assert_eq!(sound.rates, BTreeMap::from([(8000, 2), (16000, 1)]));
        assert_eq!((sound.clipped, sound.silent_utterances), (1, 1));
        let levels: Vec<_> = sound.levels().into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            levels,
            [
                "peak -0.00 dB (1.0000), RMS -7.27 dB (0.4330) of full scale",
                "1 sample in 1 utterance",
                "62.50% of the samples are exactly 0, all in 1 utterance",
            ]
        );
    }
}
