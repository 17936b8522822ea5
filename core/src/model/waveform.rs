//! Audio samples.

use serde::{Deserialize, Serialize};

use super::{CastStats, Dtype, Element, Matrix, RecordingFacts, Wide};
use crate::error::Result;
use crate::model::Limits;
use crate::number::dispatch;

/// Samples with their rate.
///
/// ```
/// use spr_core::model::{Audio, Matrix, Rank, Utterance, Waveform};
///
/// // Two channels of three samples each.
/// let samples = Matrix::from_rows(&[0i16, 0, 100, -100, 200, -200], 2, Rank::Matrix)?;
/// let sound = Waveform { rate: 16000, samples };
/// assert_eq!((sound.samples.rows(), sound.samples.cols()), (3, 2));
/// let utt = Utterance { audio: Some(Audio::Samples(sound)), ..Utterance::default() };
/// assert_eq!(utt.waveform().map(|sound| sound.rate), Some(16000));
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waveform {
    /// The sampling rate in Hz.
    pub rate: u32,
    /// Rows are instants, columns are channels. Integers use the full range of their type, unsigned
    /// ones centred; floats range from -1 to 1.
    pub samples: Matrix,
}

impl Waveform {
    /// Returns the facts about a recording with these samples.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no sound has more channels"
    )]
    pub fn facts(&self) -> RecordingFacts {
        RecordingFacts {
            rate: Some(self.rate),
            channels: Some(self.samples.cols() as u32),
            samples: Some(self.samples.rows() as u64),
            duration: None,
        }
    }

    /// Casts the samples to type `to` with the same level, and measures the change: the 16-bit
    /// sample 16384 becomes the float 0.5, or the 8-bit sample 192. Differences are relative to
    /// full scale.
    ///
    /// ```
    /// use spr_core::Limits;
    /// use spr_core::model::{Dtype, Matrix, Rank, Waveform};
    ///
    /// let samples = Matrix::from_rows(&[0u8, 128, 192], 1, Rank::Matrix)?;
    /// let mut sound = Waveform { rate: 8000, samples };
    /// sound.cast(Dtype::I16, &Limits::default())?;
    /// assert_eq!(sound.samples.as_slice::<i16>(), Some(&[-32768, 0, 16384][..]));
    /// # Ok::<(), spr_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The result would exceed `limits`.
    pub fn cast(&mut self, to: Dtype, limits: &Limits) -> Result<CastStats> {
        self.cast_to_bits(to, u32::MAX, limits)
    }

    /// Casts the samples as [`cast`](Self::cast) does. Of a type of wider integers only the first
    /// `bits` are used, and the others are 0.
    ///
    /// # Errors
    /// The result would exceed `limits`.
    pub fn cast_to_bits(&mut self, to: Dtype, bits: u32, limits: &Limits) -> Result<CastStats> {
        let from = self.samples.dtype();
        let unused = unused(to, bits);
        let same = from == to || from.is_float() && to.is_float();
        if same && (unused == 0 || self.has_bits(bits)) {
            return self.samples.cast(to, limits);
        }
        let source = std::mem::take(&mut self.samples);
        let (rank, rows, cols) = (source.rank(), source.rows(), source.cols());
        self.samples.reset(to, rank, rows, cols, limits)?;
        Ok(dispatch!(from, A => dispatch!(to, B => {
            convert(source.values::<A>()?, self.samples.values_mut::<B>()?, unused)
        })))
    }

    /// Returns `true` if the samples are floats, or integers that use only the first `bits` of their
    /// type.
    pub(crate) fn has_bits(&self, bits: u32) -> bool {
        let unused = unused(self.samples.dtype(), bits);
        unused == 0
            || dispatch!(self.samples.dtype(), A => {
                let samples = self.samples.as_slice::<A>().unwrap_or_default();
                samples.iter().all(|sample| match sample.to_wide() {
                    Wide::Int(value) => value & ((1 << unused) - 1) == 0,
                    Wide::Float(_) => true,
                })
            })
    }
}

/// Returns the number of bits of integers of a type that are not among the first `bits`.
fn unused(dtype: Dtype, bits: u32) -> u32 {
    let has = 8 * u32::try_from(dtype.size()).unwrap_or_default();
    match dtype.is_float() {
        true => 0,
        false => has.saturating_sub(bits),
    }
}

/// Converts samples. Integers of type `B` have so many `unused` bits, which are 0.
fn convert<A: Element, B: Element>(from: &[A], to: &mut [B], unused: u32) -> CastStats {
    let mut stats = CastStats {
        values: from.len() as u64,
        ..CastStats::default()
    };
    for (a, b) in from.iter().zip(to) {
        let level = match a.to_wide() {
            Wide::Int(value) => Wide::Int(value - A::DTYPE.silence()),
            float => float,
        };
        *b = match unused {
            0 => scale::<A, B>(level),
            unused => round(scale::<A, B>(level), unused),
        };
        let change = difference::<A, B>(level, *b);
        if change != Some(0.0) {
            stats.changed += 1;
            match change {
                Some(size) if size.abs() <= step(B::DTYPE, unused) => {
                    stats.max_abs_err = stats.max_abs_err.max(size.abs());
                }
                // Compared in full scale, as all differences of sound are.
                size => stats.add_clipped(size.unwrap_or(f64::INFINITY)),
            }
        }
    }
    stats
}

/// Returns the sample of type `B` with the same level as `level`, of type `A` and centred at 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "floats are rounded to integers, beyond the range clipped; what is lost is measured"
)]
fn scale<A: Element, B: Element>(level: Wide) -> B {
    let (from, to) = (8 * A::DTYPE.size(), 8 * B::DTYPE.size());
    let whole = match level {
        Wide::Int(value) if B::DTYPE.is_float() => {
            return B::nearest(Wide::Float(value as f64 / A::DTYPE.full()));
        }
        Wide::Int(value) if to >= from => value << (to - from),
        Wide::Int(value) => {
            let half = 1 << (from - to - 1);
            (value + half) >> (from - to)
        }
        Wide::Float(value) if value.is_nan() => 0,
        Wide::Float(value) => (value * B::DTYPE.full()).round() as i128,
    };
    B::nearest(Wide::Int(whole.saturating_add(B::DTYPE.silence())))
}

/// Rounds a sample so that its last `unused` bits are 0.
fn round<B: Element>(sample: B, unused: u32) -> B {
    let Wide::Int(value) = sample.to_wide() else {
        return sample;
    };
    let whole = |value: i128| (value >> unused) << unused;
    let largest = match B::nearest(Wide::Int(i128::MAX)).to_wide() {
        Wide::Int(largest) => whole(largest),
        Wide::Float(_) => i128::MAX,
    };
    let half = 1 << (unused - 1);
    B::nearest(Wide::Int(whole(value + half).min(largest)))
}

/// Returns the largest rounding error of a type with so many unused bits, relative to full scale.
fn step(dtype: Dtype, unused: u32) -> f64 {
    match dtype {
        Dtype::F32 => f64::from(f32::EPSILON),
        Dtype::F64 => f64::EPSILON,
        Dtype::F16 => half::f16::EPSILON.to_f64(),
        Dtype::Bf16 => half::bf16::EPSILON.to_f64(),
        integer => 0.5 * f64::from(unused).exp2() / integer.full(),
    }
}

/// Returns the difference between `got` and `level`, relative to full scale, or `None` if one is
/// NaN.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "only the size of the difference is wanted, and whether there is one"
)]
fn difference<A: Element, B: Element>(level: Wide, got: B) -> Option<f64> {
    let error = match (level, got.to_wide()) {
        (Wide::Int(x), Wide::Int(y)) => {
            let y = y - B::DTYPE.silence();
            // Both as 64-bit samples.
            let wide = |value: i128, dtype: Dtype| value << (64 - 8 * dtype.size());
            (wide(x, A::DTYPE) - wide(y, B::DTYPE)) as f64 / Dtype::I64.full()
        }
        (Wide::Int(x), Wide::Float(y)) => {
            (x - (y * A::DTYPE.full()) as i128) as f64 / A::DTYPE.full()
        }
        (Wide::Float(x), Wide::Int(y)) => x - (y - B::DTYPE.silence()) as f64 / B::DTYPE.full(),
        (Wide::Float(x), Wide::Float(y)) => x - y,
    };
    error.is_finite().then_some(error)
}

#[cfg(test)]
mod tests {
    use super::super::Rank;
    use super::*;

    fn cast<A: Element, B: Element>(values: &[A]) -> (Vec<B>, CastStats) {
        let samples = Matrix::from_rows(values, 1, Rank::Matrix).unwrap();
        let mut audio = Waveform { rate: 1, samples };
        let stats = audio.cast(B::DTYPE, &Limits::default()).unwrap();
        (audio.samples.values::<B>().unwrap().to_vec(), stats)
    }

    #[test]
    fn wider_types_keep_all() {
        let samples = [i16::MIN, -1, 0, 1, i16::MAX];
        let (wide, stats) = cast::<i16, i32>(&samples);
        assert_eq!(wide, [i32::MIN, -65536, 0, 65536, 32767 << 16]);
        assert_eq!(stats.changed, 0);
        assert_eq!(cast::<i32, i16>(&wide).0, samples);
        let (floats, stats) = cast::<i16, f32>(&samples);
        assert_eq!(
            (floats[0], floats[1], stats.changed),
            (-1.0, -1.0 / 32768.0, 0)
        );
        let (back, stats) = cast::<f32, i16>(&floats);
        assert_eq!((&back[..], stats.changed), (&samples[..], 0));
        let (bytes, stats) = cast::<i8, u8>(&[-128, 0, 127]);
        assert_eq!((bytes, stats.changed), (vec![0, 128, 255], 0));
        for dtype in Dtype::ALL {
            for other in Dtype::ALL.iter().filter(|other| dtype.fits(**other)) {
                let mut samples = Matrix::from_rows(&[0u8, 1, 100, 127], 1, Rank::Matrix).unwrap();
                samples.cast(*dtype, &Limits::default()).unwrap();
                let mut audio = Waveform { rate: 1, samples };
                let stats = audio.cast(*other, &Limits::default()).unwrap();
                assert_eq!(stats.changed, 0, "{dtype} {other}");
            }
        }
    }

    #[test]
    fn unused_bits_are_zero() {
        fn cast<A: Element>(values: &[A]) -> (Vec<i32>, CastStats) {
            let samples = Matrix::from_rows(values, 1, Rank::Matrix).unwrap();
            let mut sound = Waveform { rate: 1, samples };
            let stats = sound.cast_to_bits(Dtype::I32, 24, &Limits::default());
            assert!(sound.has_bits(24));
            let samples = sound.samples.values::<i32>().unwrap().to_vec();
            (samples, stats.unwrap())
        }
        let (samples, stats) = cast(&[0i32, 127, 128, -129, 256, i32::MIN, i32::MAX]);
        assert_eq!(samples, [0, 0, 256, -256, 256, i32::MIN, i32::MAX - 255]);
        assert_eq!((stats.values, stats.changed, stats.clipped), (7, 4, 1));
        assert_eq!(stats.max_abs_err, 128.0 / 2f64.powi(31));
        let tiny = 0.25 / 8_388_608.0;
        let (samples, stats) = cast(&[0.5f32, -1.0, 0.5 + 4.0 * tiny, tiny, 1.0]);
        assert_eq!(
            samples,
            [1 << 30, i32::MIN, (1 << 30) + 256, 0, i32::MAX - 255]
        );
        assert_eq!((stats.changed, stats.clipped), (2, 1));
        assert_eq!(cast(&[i16::MIN, 1, i16::MAX]).1.changed, 0);
        let samples = Matrix::from_rows(&[1i32], 1, Rank::Matrix).unwrap();
        let sound = Waveform { rate: 1, samples };
        assert!(sound.has_bits(32) && !sound.has_bits(31));
    }

    #[test]
    fn rounding_and_clipping_are_told_apart() {
        let (samples, stats) = cast::<i32, i16>(&[65536 + 32768, 65536 - 1, 1 << 16, i32::MAX]);
        assert_eq!(samples, [2, 1, 1, 32767]);
        assert_eq!((stats.changed, stats.clipped), (3, 1));
        assert_eq!(stats.max_abs_err, 0.5 / 32768.0);
        let (samples, stats) = cast::<f32, i16>(&[0.5, 1.0, -2.0, f32::NAN, f32::INFINITY]);
        assert_eq!(samples, [16384, 32767, -32768, 0, 32767]);
        assert_eq!((stats.changed, stats.clipped), (4, 4));
        let (samples, stats) = cast::<f64, u8>(&[-1.0, 0.0, 0.001]);
        assert_eq!((samples, stats.changed), (vec![0, 128, 128], 1));
        let (samples, stats) = cast::<i64, f64>(&[i64::MIN, i64::MAX]);
        assert_eq!((samples, stats.changed), (vec![-1.0, 1.0], 1));
    }
}
