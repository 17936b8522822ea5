//! Spectrograms.

use std::f64::consts::TAU;

use realfft::RealFftPlanner;
use spr_core::model::{Element, Matrix, Waveform};
use spr_core::{Error, Result, dispatch};
use spr_stats::number;

use super::axis::{Axis, Unit};
use super::heat::level;
use super::wave::MAX_CHANNELS;
use super::words::whole;

/// The largest number of samples in a window.
const LONGEST: usize = 1 << 16;
/// The largest number of windows per column; of long recordings some moments are left out.
const WINDOWS: usize = 8;
/// A level below all audible levels, in dB.
const NOTHING: f64 = -300.0;

/// The parameters of a spectrogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analysis {
    /// The length of the Hann window, in seconds.
    pub window: f64,
    /// The shift between windows, in seconds.
    pub shift: f64,
    /// The range of the colours below the loudest cell, in dB.
    pub range: f64,
}

impl Default for Analysis {
    /// Uses windows of 25 ms every 10 ms, as in speech recognition, and 80 dB.
    fn default() -> Self {
        Self {
            window: 0.025,
            shift: 0.01,
            range: 80.0,
        }
    }
}

/// One channel of audio by time and frequency.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// The number of cells in a row; each is the mean power of its windows and frequencies.
    pub cols: usize,
    /// Scale positions from 0 to 254, row by row, the highest frequencies first.
    pub cells: Vec<u8>,
    /// The highest frequency, in Hz.
    pub hertz: f64,
    /// The level at position 0 and below, in dB; a full-scale tone has 0.
    pub low: f64,
    /// The level at position 254, in dB.
    pub high: f64,
    /// The window length and shift, in seconds.
    pub windows: (f64, f64),
    /// The time axis.
    pub axis: Axis,
}

/// Computes the spectrogram of each channel, with at most `cols` columns and `rows` rows.
///
/// # Errors
/// A boolean sample is neither 0 nor 1.
pub(super) fn spectra(
    sound: &Waveform,
    size: (usize, usize),
    analysis: &Analysis,
) -> Result<Vec<Spectrum>> {
    let samples = &sound.samples;
    if samples.is_empty() || sound.rate == 0 {
        return Ok(Vec::new());
    }
    let channels = 0..samples.cols().min(MAX_CHANNELS);
    let channels: Vec<_> = channels
        .map(|channel| levels(&channel_of(samples, channel)?, sound.rate, size, analysis))
        .collect::<Result<_>>()?;
    let all = channels.iter().flat_map(|levels| &levels.cells);
    let high = all.copied().fold(NOTHING, f64::max);
    // Silence is dark at any range.
    let high = if high > NOTHING { high } else { 0.0 };
    let low = high - analysis.range;
    let seconds = samples.rows() as f64 / f64::from(sound.rate);
    let spectrum = |levels: Levels| {
        let cells = levels.cells.iter();
        Spectrum {
            cols: levels.cols,
            cells: cells.map(|db| level((db - low) / analysis.range)).collect(),
            hertz: f64::from(sound.rate) / 2.0,
            low,
            high,
            windows: levels.windows,
            axis: Axis::up_to(seconds, Unit::Seconds),
        }
    };
    Ok(channels.into_iter().map(spectrum).collect())
}

/// The levels of the cells of one channel, in dB.
struct Levels {
    cols: usize,
    cells: Vec<f64>,
    windows: (f64, f64),
}

/// Returns the samples of a channel relative to full scale. NaN and infinite values become silence.
fn channel_of(samples: &Matrix, channel: usize) -> Result<Vec<f64>> {
    Ok(dispatch!(samples.dtype(), T => {
        let silence = T::DTYPE.silence() as f64;
        let rows = samples.values::<T>()?.chunks_exact(samples.cols().max(1));
        let values = rows.filter_map(|row| row.get(channel));
        let values = values.map(|value| (number(*value) - silence) / T::DTYPE.full());
        values.map(|value| if value.is_finite() { value } else { 0.0 }).collect()
    }))
}

fn levels(
    samples: &[f64],
    rate: u32,
    (cols, rows): (usize, usize),
    analysis: &Analysis,
) -> Result<Levels> {
    let rate = f64::from(rate);
    let length = whole((analysis.window * rate).round()).clamp(16, LONGEST);
    let least = samples.len().div_ceil(cols.max(1) * WINDOWS);
    let shift = whole((analysis.shift * rate).round()).max(least).max(1);
    let count = samples.len().div_ceil(shift);
    let size = length.next_power_of_two();
    let fft = RealFftPlanner::<f64>::new().plan_fft_forward(size);
    let (mut input, mut output) = (fft.make_input_vec(), fft.make_output_vec());
    let hann = |i: usize| 0.5 - 0.5 * (TAU * (i as f64 + 0.5) / length as f64).cos();
    let hann: Vec<_> = (0..length).map(hann).collect();
    // The power of a full-scale tone in the cell of its frequency.
    let full = (hann.iter().sum::<f64>() / 2.0).powi(2);
    let (cols, rows) = (cols.min(count).max(1), rows.min(output.len()).max(1));
    let mut sums = vec![(0.0, 0u32); cols * rows];
    for window in 0..count {
        // The window is centred.
        let start = (window * shift) as i64 - (length / 2) as i64;
        input.fill(0.0);
        for (i, (place, weight)) in input.iter_mut().zip(&hann).enumerate() {
            let at = usize::try_from(start + i as i64).ok();
            *place = weight * at.and_then(|at| samples.get(at)).unwrap_or(&0.0);
        }
        fft.process(&mut input, &mut output)
            .map_err(|e| Error::unsupported(format!("no spectrum: {e}")))?;
        let col = window * cols / count;
        for (bin, value) in output.iter().enumerate() {
            let row = rows - 1 - bin * rows / output.len();
            if let Some((sum, n)) = sums.get_mut(row * cols + col) {
                *sum += value.norm_sqr() / full;
                *n += 1;
            }
        }
    }
    let decibels = |(sum, n): &(f64, u32)| 10.0 * (sum / f64::from((*n).max(1))).log10();
    let levels = sums.iter().map(|cell| decibels(cell).max(NOTHING));
    Ok(Levels {
        cols,
        cells: levels.collect(),
        windows: (length as f64 / rate, shift as f64 / rate),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::{Rank, Waveform};

    /// A tone is a line at its frequency with its level.
    #[test]
    fn a_tone_is_a_line() {
        let at = |i: u32| (TAU * 1000.0 * f64::from(i) / 8000.0).sin() * 0.5;
        let samples: Vec<_> = (0..8000).map(at).collect();
        let sound = Waveform {
            rate: 8000,
            samples: Matrix::from_rows(&samples, 1, Rank::Matrix).unwrap(),
        };
        let analysis = Analysis {
            window: 0.032,
            ..Analysis::default()
        };
        let all = spectra(&sound, (20, 129), &analysis).unwrap();
        let [one] = &all[..] else {
            panic!("one channel")
        };
        assert_eq!(
            (one.cols, one.cells.len(), one.hertz),
            (20, 20 * 129, 4000.0)
        );
        assert!((one.high + 6.02).abs() < 0.1, "{}", one.high);
        assert_eq!((one.high - one.low).round(), 80.0);
        // 1000 Hz are bin 32 of 128, counted from below.
        let row = |row: usize| &one.cells[row * 20..][..20];
        assert!(row(128 - 32)[1..19].iter().all(|cell| *cell > 250));
        assert!(row(128 - 64)[1..19].iter().all(|cell| *cell == 0));
        let silence = Waveform {
            rate: 8000,
            samples: Matrix::from_rows(&[0i16; 100], 2, Rank::Matrix).unwrap(),
        };
        let silence = spectra(&silence, (20, 20), &analysis).unwrap();
        assert_eq!((silence.len(), silence[0].high), (2, 0.0));
        assert!(silence[0].cells.iter().all(|cell| *cell == 0));
        assert!(
            spectra(&Waveform::default(), (9, 9), &analysis)
                .unwrap()
                .is_empty()
        );
    }
}
