//! The level of audio.

use serde::{Deserialize, Serialize};

use super::{Dtype, Element, Waveform, Wide};
use crate::dispatch;
use crate::error::Result;

/// The level of samples, relative to full scale: a 16-bit sample of 32768 is 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// The number of finite samples in all channels.
    pub values: u64,
    /// The number of NaN and infinite samples.
    pub faulty: u64,
    /// The largest absolute value.
    pub peak: f64,
    /// The least and the largest value, if a sample is finite.
    pub range: Option<(f64, f64)>,
    /// Samples at the ends of their type's range, or beyond full scale in floats.
    pub clipped: u64,
    /// The number of samples that are exactly zero.
    pub zeros: u64,
    /// The mean of each channel, which is its DC offset.
    pub offsets: Vec<f64>,
    /// The sum of the squares.
    pub squares: f64,
    /// The element type of the samples.
    pub dtype: Dtype,
}

impl Level {
    /// Measures the level of all channels.
    ///
    /// # Errors
    /// A boolean sample is neither 0 nor 1.
    pub fn of(sound: &Waveform) -> Result<Self> {
        let samples = &sound.samples;
        let mut level = Self {
            offsets: vec![0.0; samples.cols()],
            dtype: samples.dtype(),
            ..Self::default()
        };
        match samples.as_slice::<i16>() {
            Some(values) => level.see_words(values, samples.cols()),
            None => dispatch!(samples.dtype(), T => {
                level.see(samples.values::<T>()?, samples.cols());
            }),
        }
        Ok(level)
    }

    /// Measures 16-bit samples as [`see`](Self::see) does, in integers, as most sound is of this type.
    #[expect(clippy::cast_precision_loss, reason = "as exact as a sum of floats")]
    fn see_words(&mut self, values: &[i16], cols: usize) {
        /// The full scale.
        const FULL: f64 = 32768.0;
        /// Samples of which a sum fits in 32 bits.
        const BLOCK: usize = 4096;
        let values = &values[..values.len() - values.len() % cols.max(1)];
        let (mut least, mut most) = (i16::MAX, i16::MIN);
        for block in values.chunks(BLOCK) {
            let (mut zeros, mut clipped, mut squares) = (0u32, 0u32, 0u64);
            for value in block {
                let size = u32::from(value.unsigned_abs());
                (least, most) = (least.min(*value), most.max(*value));
                zeros += u32::from(size == 0);
                clipped += u32::from(size >= 32767);
                squares += u64::from(size * size);
            }
            self.zeros += u64::from(zeros);
            self.clipped += u64::from(clipped);
            self.squares += squares as f64 / (FULL * FULL);
        }
        self.values = values.len() as u64;
        if least <= most {
            let (least, most) = (f64::from(least) / FULL, f64::from(most) / FULL);
            self.range = Some((least, most));
            self.peak = most.abs().max(least.abs());
        }
        let mut sums = vec![0i64; cols];
        match sums.as_mut_slice() {
            [sum] => {
                for block in values.chunks(BLOCK) {
                    *sum += i64::from(block.iter().map(|value| i32::from(*value)).sum::<i32>());
                }
            }
            sums => {
                for row in values.chunks_exact(cols.max(1)) {
                    for (sum, value) in sums.iter_mut().zip(row) {
                        *sum += i64::from(*value);
                    }
                }
            }
        }
        let frames = (values.len() / cols.max(1)).max(1) as f64;
        for (offset, sum) in self.offsets.iter_mut().zip(sums) {
            *offset = sum as f64 / FULL / frames;
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "silence is the middle of a type, counts are weights"
    )]
    fn see<T: Element>(&mut self, values: &[T], cols: usize) {
        let (silence, full) = (T::DTYPE.silence() as f64, T::DTYPE.full());
        let last = match T::DTYPE.is_float() {
            true => full,
            // Integers have one more step below zero than above.
            false => full - 1.0,
        };
        let mut counts = vec![0u64; cols];
        for row in values.chunks_exact(cols.max(1)) {
            for ((value, sum), count) in row.iter().zip(&mut self.offsets).zip(&mut counts) {
                let value = match value.to_wide() {
                    Wide::Int(value) => value as f64,
                    Wide::Float(value) => value,
                } - silence;
                if !value.is_finite() {
                    self.faulty += 1;
                    continue;
                }
                let level = value / full;
                *count += 1;
                *sum += level;
                self.squares += level * level;
                let (least, most) = self.range.unwrap_or((level, level));
                self.range = Some((least.min(level), most.max(level)));
                self.peak = self.peak.max(level.abs());
                self.clipped += u64::from(value.abs() >= last);
                self.zeros += u64::from(value == 0.0);
            }
        }
        self.values = counts.iter().sum();
        for (sum, count) in self.offsets.iter_mut().zip(counts) {
            *sum /= count.max(1) as f64;
        }
    }

    /// Returns the mean of all channels.
    #[expect(
        clippy::cast_precision_loss,
        reason = "no sound has that many channels"
    )]
    pub fn mean(&self) -> f64 {
        self.offsets.iter().sum::<f64>() / self.offsets.len().max(1) as f64
    }

    /// Returns the root of the mean square.
    #[expect(clippy::cast_precision_loss, reason = "counts as weights")]
    pub fn rms(&self) -> f64 {
        (self.squares / self.values.max(1) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_measured_like_all_others() {
        let mut chance = 1u32;
        let mut next = || {
            chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match chance >> 28 {
                0 => 0,
                1 => i16::MIN,
                2 => i16::MAX,
                _ => {
                    let [_, low, high, _] = chance.to_le_bytes();
                    i16::from_le_bytes([low, high])
                }
            }
        };
        for (len, cols) in [(0, 1), (1, 1), (9001, 1), (9000, 2), (12_001, 3)] {
            let values: Vec<i16> = (0..len).map(|_| next()).collect();
            let level = || Level {
                offsets: vec![0.0; cols],
                ..Level::default()
            };
            let (mut words, mut others) = (level(), level());
            words.see_words(&values, cols);
            others.see(&values, cols);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert_eq!(words.peak, others.peak, "{len} {cols}");
            assert_eq!(words.range, others.range, "{len} {cols}");
            assert_eq!((words.values, words.zeros), (others.values, others.zeros));
            assert_eq!(
                (words.clipped, words.faulty),
                (others.clipped, others.faulty)
            );
            assert!(near(words.squares, others.squares));
            let mut offsets = words.offsets.iter().zip(&others.offsets);
            assert!(offsets.all(|(a, b)| near(*a, *b)), "{len} {cols}");
        }
    }
}
