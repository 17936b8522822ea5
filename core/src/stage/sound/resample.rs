//! Resampling.

use crate::error::{Error, Result};

#[cfg(feature = "resample")]
pub(super) use with::Resamplers;
#[cfg(not(feature = "resample"))]
pub(super) use without::Resamplers;

/// Returns the number of samples at rate `to` that last as long as `n` at rate `from`, rounded up.
pub(super) fn length(n: usize, from: u32, to: u32) -> Result<usize> {
    if from == 0 {
        let message = "has no sampling rate, so it can't be resampled";
        return Err(Error::unfit(message));
    }
    // The product of a 64-bit and a 32-bit number has up to 96 bits.
    let all = (n as u128 * u128::from(to)).div_ceil(u128::from(from));
    usize::try_from(all).map_err(|_| Error::limit(format!("{all} samples at {to} a second")))
}

#[cfg(feature = "resample")]
mod with {
    use std::sync::{Mutex, PoisonError};

    use rubato::audioadapter_buffers::direct::SequentialSlice;
    use rubato::{Fft, FixedSync, Resampler};

    use super::{Error, Result};

    /// Unused filters with their rates. Creating one takes longer than a short utterance.
    #[derive(Default)]
    pub(in super::super) struct Resamplers(Mutex<Vec<Free>>);

    /// The rates of a filter, and the filter.
    type Free = ((u32, u32), Fft<f64>);

    /// The number of filters kept.
    const KEPT: usize = 16;
    /// The smallest number of samples per block at the lower of the two rates: the filter passes 99
    /// % of the band, and aliasing is below -100 dB.
    const BLOCK: u32 = 2048;
    /// The longest block for rates with a small common divisor.
    const LONGEST: u32 = 1 << 20;

    impl Resamplers {
        /// Resamples from rate `from` to rate `to`, where the first samples of both are at the same
        /// instant, block by block: `fill` replaces its buffer by the next samples, at most as many
        /// as it is told, and fewer at the end; `take` gets `wanted` samples in order.
        pub(in super::super) fn resample(
            &self,
            (from, to): (u32, u32),
            wanted: usize,
            mut fill: impl FnMut(&mut Vec<f64>, usize) -> Result<()>,
            mut take: impl FnMut(&[f64]) -> Result<()>,
        ) -> Result<()> {
            if wanted == 0 {
                return Ok(());
            }
            let failed =
                |e: &dyn std::fmt::Display| Error::unfit(format!("can't be resampled: {e}"));
            let mut filter = self.filter(from, to)?;
            filter.reset();
            let (rows, made) = (filter.input_frames_next(), filter.output_frames_next());
            let (mut input, mut output) = (Vec::new(), vec![0.0; made]);
            // The filter delays the sound.
            let (mut late, mut left) = (filter.output_delay(), wanted);
            while left > 0 {
                fill(&mut input, rows)?;
                // All are looked at, for vectors.
                if !input
                    .iter()
                    .fold(true, |all, sample| all & sample.is_finite())
                {
                    let message = "has samples that are not finite, which would spread to others";
                    return Err(Error::unfit(message));
                }
                // Silence follows the end.
                input.resize(rows, 0.0);
                let block = SequentialSlice::new(&input, 1, rows).map_err(|e| failed(&e))?;
                let place = SequentialSlice::new_mut(&mut output, 1, made);
                let mut place = place.map_err(|e| failed(&e))?;
                let done = filter.process_into_buffer(&block, &mut place, None);
                done.map_err(|e| failed(&e))?;
                let skipped = late.min(made);
                let own = &output[skipped..made.min(skipped.saturating_add(left))];
                take(own)?;
                late -= skipped;
                left -= own.len();
            }
            self.keep((from, to), filter);
            Ok(())
        }

        fn filter(&self, from: u32, to: u32) -> Result<Fft<f64>> {
            let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = free.iter().position(|(rates, _)| *rates == (from, to)) {
                return Ok(free.swap_remove(at).1);
            }
            drop(free);
            made(from, to)
        }

        fn keep(&self, rates: (u32, u32), filter: Fft<f64>) {
            let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if free.len() < KEPT {
                free.push((rates, filter));
            }
        }
    }

    fn made(from: u32, to: u32) -> Result<Fft<f64>> {
        let common = greatest_common(from, to);
        let (own, new) = (from / common, to / common);
        if own.max(new) > LONGEST {
            let message = format!(
                "has {from} samples a second, which have too little in common with {to} to be \
                 calculated"
            );
            return Err(Error::unfit(message));
        }
        // An even number of parts puts the middle of the filter on a sample of both rates, so that
        // its delay is a whole number.
        let parts = BLOCK.div_ceil(own.min(new)).next_multiple_of(2);
        let block = own as usize * parts as usize;
        Fft::new(from as usize, to as usize, block, 1, FixedSync::Both)
            .map_err(|e| Error::unfit(format!("can't be resampled from {from} to {to}: {e}")))
    }

    fn greatest_common(a: u32, b: u32) -> u32 {
        match b {
            0 => a,
            b => greatest_common(b, a % b),
        }
    }
}

#[cfg(not(feature = "resample"))]
mod without {
    use super::{Error, Result};

    /// A stand-in without resampling.
    #[derive(Default)]
    pub(in super::super) struct Resamplers {}

    impl Resamplers {
        /// Fails, because resampling is not available.
        pub(in super::super) fn resample(
            &self,
            _: (u32, u32),
            _: usize,
            _: impl FnMut(&mut Vec<f64>, usize) -> Result<()>,
            _: impl FnMut(&[f64]) -> Result<()>,
        ) -> Result<()> {
            Err(
                Error::unsupported("this program was built without other rates of sound")
                    .hint("build it with the feature resample"),
            )
        }
    }
}
