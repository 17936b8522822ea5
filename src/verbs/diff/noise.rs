//! How much sound differs.

use spr_core::model::{Dtype, Waveform};
use spr_core::{Limits, Result};
use spr_stats::decibels;

/// How far sound is from other sound of as many samples, in parts of full scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// Samples of all channels that are finite numbers in both.
    pub values: u64,
    /// The greatest difference.
    pub largest: f64,
    /// The sum of the squares of the differences.
    errors: f64,
    /// The sum of the squares of the first.
    signal: f64,
}

impl Noise {
    /// The difference of `b` from `a`, which have as many samples.
    ///
    /// # Errors
    /// A truth value is neither 0 nor 1.
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

    /// Adds that of other sound.
    pub(super) fn append(&mut self, other: &Self) {
        self.values += other.values;
        self.largest = self.largest.max(other.largest);
        self.errors += other.errors;
        self.signal += other.signal;
    }

    /// The root of the mean square of the differences.
    #[expect(clippy::cast_precision_loss, reason = "counts as weights")]
    pub fn rms(&self) -> f64 {
        (self.errors / self.values.max(1) as f64).sqrt()
    }

    /// The power of the first over that of the difference, in dB; `None` where one of them is 0.
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
