//! The difference of audio.

use spr_core::model::{Dtype, Waveform};
use spr_core::{Limits, Result};
use spr_stats::decibels;

/// The difference between audio with equally many samples, relative to full scale.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// The number of samples that are finite in both.
    pub values: u64,
    /// The largest difference.
    pub largest: f64,
    /// The sum of the squares of the differences.
    errors: f64,
    /// The sum of the squares of the first audio.
    signal: f64,
}

impl Noise {
    /// Computes the difference of `b` from `a`, which have equally many samples.
    ///
    /// # Errors
    /// A boolean sample is neither 0 nor 1.
    pub(super) fn of(a: &Waveform, b: &Waveform) -> Result<Self> {
        let floats = |sound: &Waveform| {
            let mut sound = sound.clone();
            sound.cast(Dtype::F64, &Limits::NONE).map(|_| sound)
        };
        let (a, b) = (floats(a)?, floats(b)?);
        let mut noise = Self::default();
        let pairs = a.samples.values::<f64>()?.iter();
        for (a, b) in pairs.zip(b.samples.values::<f64>()?) {
            let error = b - a;
            if error.is_finite() {
                noise.values += 1;
                noise.largest = noise.largest.max(error.abs());
                noise.errors += error * error;
                noise.signal += a * a;
            }
        }
        Ok(noise)
    }

    /// Adds the difference of other audio.
    pub(super) fn append(&mut self, other: &Self) {
        self.values += other.values;
        self.largest = self.largest.max(other.largest);
        self.errors += other.errors;
        self.signal += other.signal;
    }

    /// Returns the root of the mean square of the differences.
    #[expect(clippy::cast_precision_loss, reason = "counts as weights")]
    pub fn rms(&self) -> f64 {
        (self.errors / self.values.max(1) as f64).sqrt()
    }

    /// Returns the power of the first audio relative to the difference in dB, or `None` if one of
    /// them is 0.
    pub fn snr(&self) -> Option<f64> {
        decibels((self.signal / self.errors).sqrt()).filter(|snr| snr.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use spr_core::model::{Element, Matrix, Rank};

    use super::*;

    fn sound<T: Element>(values: &[T]) -> Waveform {
        Waveform {
            rate: 8000,
            samples: Matrix::from_rows(values, 1, Rank::Matrix).unwrap(),
        }
    }

    #[test]
    fn noise_is_told_in_parts_of_full_scale() {
        let (a, b) = (
            sound(&[0.5f32, -0.5, 0.5, f32::NAN]),
            sound(&[16384i16 + 164, -16384, 16384, 0]),
        );
        let noise = Noise::of(&a, &b).unwrap();
        let step = 164.0 / 32768.0;
        assert_eq!((noise.values, noise.largest), (3, step));
        assert!((noise.rms() - step / 3f64.sqrt()).abs() < 1e-12);
        let snr = 10.0 * (0.75 / (step * step)).log10();
        assert!((noise.snr().unwrap() - snr).abs() < 1e-9);
        let silence = sound(&[0i16; 4]);
        assert_eq!(Noise::of(&silence, &b).unwrap().snr(), None);
        assert_eq!(Noise::of(&b, &b).unwrap().snr(), None);
        let mut both = noise;
        both.append(&noise);
        assert_eq!(
            (both.values, both.snr(), both.rms()),
            (6, noise.snr(), noise.rms())
        );
    }
}
