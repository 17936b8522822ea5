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
    use std::ops::Range;
    use std::panic::resume_unwind;
    use std::sync::{Mutex, PoisonError};

    use rubato::audioadapter_buffers::direct::SequentialSlice;
    use rubato::{Fft, FixedSync, Resampler};

    use super::{Error, Result};

    /// Unused filters with their rates. Creating one takes longer than a short utterance.
    #[derive(Default)]
    pub(in super::super) struct Resamplers(Mutex<Vec<Free>>);

    /// The rates of a filter, and the filter.
    type Free = ((u32, u32), Filter);

    /// The number of filters kept.
    const KEPT: usize = 16;
    /// The smallest number of samples per block at the lower of the two rates: the filter passes 99
    /// % of the band, and aliasing is below -100 dB.
    const BLOCK: u32 = 2048;
    /// The longest block for rates with a small common divisor.
    const LONGEST: u32 = 1 << 20;
    /// The number of samples that a thread resamples at once.
    const STRETCH: usize = 1 << 17;

    impl Resamplers {
        /// Resamples from rate `from` to rate `to`, where the first samples of both are at the same
        /// instant, on at most `threads` threads, whose number changes no sample: `fill` replaces its
        /// buffer by the samples from the given one on, at most as many as it is told, and fewer at the
        /// end; `take` gets `wanted` samples in order.
        pub(in super::super) fn resample(
            &self,
            (from, to): (u32, u32),
            wanted: usize,
            threads: usize,
            fill: impl Fn(usize, usize, &mut Vec<f64>) -> Result<()> + Sync,
            mut take: impl FnMut(&[f64]) -> Result<()>,
        ) -> Result<()> {
            if wanted == 0 {
                return Ok(());
            }
            let mut filters = vec![self.filter(from, to)?];
            let (rows, made, mut late) = filters[0].sizes();
            let blocks = wanted.saturating_add(late).div_ceil(made);
            let each = STRETCH.div_ceil(rows);
            while filters.len() < threads.min(blocks.div_ceil(each)) {
                filters.push(self.filter(from, to)?);
            }
            let mut outputs = vec![Vec::new(); filters.len()];
            let mut left = wanted;
            for start in (0..blocks).step_by(each * filters.len()) {
                let stretches = (start..blocks).step_by(each);
                let stretches = stretches.map(|at| at..blocks.min(at + each));
                let mut jobs = filters.iter_mut().zip(&mut outputs).zip(stretches);
                std::thread::scope(|scope| {
                    let own = jobs.next();
                    let others: Vec<_> = jobs
                        .map(|((filter, output), stretch)| {
                            scope.spawn(|| filter.run(stretch, &fill, output))
                        })
                        .collect();
                    let done = own.map_or(Ok(()), |((filter, output), stretch)| {
                        filter.run(stretch, &fill, output)
                    });
                    others.into_iter().fold(done, |done, other| {
                        let other = other.join().unwrap_or_else(|panic| resume_unwind(panic));
                        done.and(other)
                    })
                })?;
                for output in &mut outputs {
                    let skipped = late.min(output.len());
                    let end = output.len().min(skipped.saturating_add(left));
                    take(&output[skipped..end])?;
                    late -= skipped;
                    left -= end - skipped;
                    output.clear();
                }
            }
            for filter in filters {
                self.keep((from, to), filter);
            }
            Ok(())
        }

        fn filter(&self, from: u32, to: u32) -> Result<Filter> {
            let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = free.iter().position(|(rates, _)| *rates == (from, to)) {
                return Ok(free.swap_remove(at).1);
            }
            drop(free);
            made(from, to).map(Filter::new)
        }

        fn keep(&self, rates: (u32, u32), mut filter: Filter) {
            filter.next = None;
            let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if free.len() < KEPT {
                free.push((rates, filter));
            }
        }
    }

    /// A filter, which keeps what a block adds to the next one.
    struct Filter {
        fft: Fft<f64>,
        /// The block behind the last one.
        next: Option<usize>,
        input: Vec<f64>,
        output: Vec<f64>,
    }

    impl Filter {
        fn new(fft: Fft<f64>) -> Self {
            Self {
                output: vec![0.0; fft.output_frames_next()],
                input: Vec::new(),
                next: None,
                fft,
            }
        }

        /// Returns the number of samples of a block before and after, and by how many samples the filter
        /// delays the sound.
        fn sizes(&self) -> (usize, usize, usize) {
            let made = self.output.len();
            (self.fft.input_frames_next(), made, self.fft.output_delay())
        }

        /// Appends the samples of some blocks.
        fn run(
            &mut self,
            blocks: Range<usize>,
            fill: &impl Fn(usize, usize, &mut Vec<f64>) -> Result<()>,
            into: &mut Vec<f64>,
        ) -> Result<()> {
            if self.next != Some(blocks.start) {
                self.fft.reset();
                if let Some(before) = blocks.start.checked_sub(1) {
                    self.block(before, fill)?;
                }
            }
            for block in blocks {
                self.block(block, fill)?;
                into.extend_from_slice(&self.output);
                self.next = Some(block + 1);
            }
            Ok(())
        }

        /// Resamples a block, of which the end goes into the next one.
        fn block(
            &mut self,
            block: usize,
            fill: &impl Fn(usize, usize, &mut Vec<f64>) -> Result<()>,
        ) -> Result<()> {
            let failed =
                |e: &dyn std::fmt::Display| Error::unfit(format!("can't be resampled: {e}"));
            let (rows, made) = (self.fft.input_frames_next(), self.output.len());
            fill(block.saturating_mul(rows), rows, &mut self.input)?;
            // All are looked at, for vectors.
            let samples = self.input.iter();
            if !samples.fold(true, |all, sample| all & sample.is_finite()) {
                let message = "has samples that are not finite, which would spread to others";
                return Err(Error::unfit(message));
            }
            // Silence follows the end.
            self.input.resize(rows, 0.0);
            let input = SequentialSlice::new(&self.input, 1, rows).map_err(|e| failed(&e))?;
            let place = SequentialSlice::new_mut(&mut self.output, 1, made);
            let mut place = place.map_err(|e| failed(&e))?;
            let done = self.fft.process_into_buffer(&input, &mut place, None);
            done.map(drop).map_err(|e| failed(&e))
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
            _: usize,
            _: impl Fn(usize, usize, &mut Vec<f64>) -> Result<()> + Sync,
            _: impl FnMut(&[f64]) -> Result<()>,
        ) -> Result<()> {
            Err(
                Error::unsupported("this program was built without other rates of sound")
                    .hint("build it with the feature resample"),
            )
        }
    }
}
