//! Selection and conversion of audio: channels, rate, dither.

mod arithmetic;
mod resample;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Map;
use crate::bytes::Env;
use crate::error::{Error, Remedy, Result};
use crate::format::Reader;
use crate::model::{Audio, DatasetInfo, Decimal, Dtype, Utterance, Waveform};
use crate::number::random::Rng;
use crate::recording::{cut, load};
use arithmetic::{Steps, levels};
use resample::{Resamplers, length};

/// The number of samples that are calculated at once, unless they are resampled.
const BLOCK: usize = 4096;
/// The highest supported sampling rate in Hz.
const FASTEST: u32 = 1 << 24;

/// A selection of channels.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// A single channel, counted from 0; its samples do not change.
    One(usize),
    /// The mean of all channels, which is never louder than they are.
    Mix,
}

impl FromStr for Channels {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = || text.parse().ok().filter(|_| !text.starts_with('+'));
        match text {
            "mix" => Ok(Self::Mix),
            _ => number()
                .map(Self::One)
                .ok_or_else(|| Error::usage(format!("'{text}' is not a channel")).hint(CHANNEL)),
        }
    }
}

/// The expected value of a channel, for messages.
const CHANNEL: &str = "a channel counted from 0, or mix for the mean of all";

impl fmt::Display for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(n) => write!(f, "channel {n}"),
            Self::Mix => f.write_str("the mean of all channels"),
        }
    }
}

/// The requested form of audio. Only the given properties change; the level never does.
///
/// Samples keep their element type. Integers are rounded once, at the end, to nearest with halves
/// away from zero. Samples out of range are clipped and reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoundChoice {
    /// The channels; `None` for all.
    pub channels: Option<Channels>,
    /// The sampling rate in Hz; `None` to keep it. From *n* samples at rate *r* result ⌈*n* · rate
    /// / *r*⌉ samples; the first ones of both are at the same instant.
    pub rate: Option<u32>,
    /// The type of computed or dithered samples; `None` to keep it.
    pub dtype: Option<Dtype>,
    /// The seed of triangular noise of up to one step, which is added before samples are rounded to
    /// integers; it differs between utterances by key.
    pub dither: Option<u32>,
}

impl SoundChoice {
    /// Returns `true` if audio is not changed.
    pub fn is_idle(&self) -> bool {
        let dithers = self.dither.is_some() && self.dtype.is_some();
        self.channels.is_none() && self.rate.is_none() && !dithers
    }

    /// Sets the rate.
    ///
    /// # Errors
    /// It is invalid.
    pub fn set_rate(&mut self, text: &str) -> Result<()> {
        let rate = hertz(text).filter(|rate| (1..=FASTEST).contains(rate));
        let wrong = || Error::usage(format!("'{text}' is not a rate")).hint(RATE);
        self.rate = Some(rate.ok_or_else(wrong)?);
        Ok(())
    }

    /// Converts the audio of each utterance of `inner` to samples of this form, on the threads of
    /// `env`. Utterances without audio are not changed.
    pub fn over(self, inner: Box<dyn Reader>, env: &Env) -> Box<dyn Reader> {
        if self.is_idle() {
            return inner;
        }
        let info = DatasetInfo {
            sample_rate: inner.info().sample_rate.map(|own| self.rate.unwrap_or(own)),
            ..inner.info().without_totals()
        };
        let clipped = Arc::new(ClipCount::default());
        let (count, at, resamplers) = (clipped.clone(), env.clone(), Resamplers::default());
        let work = move |utt: &mut Utterance| {
            let changed = self.change(utt, &resamplers, &at);
            count.add(changed.map_err(Error::continuable)?);
            Ok(())
        };
        Box::new(Sound {
            inner: Map::new(inner, env.threads, work),
            info,
            clipped,
            env: env.clone(),
        })
    }

    /// Changes the audio of one utterance, and returns the number of clipped samples.
    fn change(&self, utt: &mut Utterance, resamplers: &Resamplers, env: &Env) -> Result<u64> {
        load(utt, env)?;
        let Some(Audio::Samples(sound)) = &mut utt.audio else {
            return Ok(0);
        };
        if let Some(Channels::One(wanted)) = self.channels {
            pick(sound, wanted, env)?;
        }
        let mix = self.channels == Some(Channels::Mix) && sound.samples.cols() > 1;
        let rate = self.rate.filter(|rate| *rate != sound.rate);
        let dtype = self.dtype.filter(|dtype| *dtype != sound.samples.dtype());
        let dithered = self.dither.is_some() && dtype.is_some();
        if !mix && rate.is_none() && !dithered {
            return Ok(0);
        }
        let from = sound.samples.dtype();
        let cols = if mix { 1 } else { sound.samples.cols() };
        let rows = match rate {
            None => sound.samples.rows(),
            Some(rate) => length(sound.samples.rows(), sound.rate, rate)?,
        };
        let mut steps = Steps::new(from, dtype.unwrap_or(from), rows, cols, &env.limits)?;
        let seeded = |seed| Rng::Seeded(seed).of_pass(hash(utt.key.as_bytes()));
        let mut dither = self.dither.map(|seed| seeded(seed).generator());
        for col in 0..cols {
            let mut made = 0;
            let rows_from = |start: usize, most: usize, into: &mut Vec<f64>| {
                let all = sound.samples.rows();
                let (start, end) = (start.min(all), start.saturating_add(most).min(all));
                levels(&sound.samples, (!mix).then_some(col), start..end, into)
            };
            let mut store = |levels: &[f64]| {
                made += levels.len();
                steps.fill(col, made - levels.len(), levels, dither.as_mut())
            };
            if let Some(rate) = rate {
                let rates = (sound.rate, rate);
                resamplers.resample(rates, rows, env.threads, rows_from, store)?;
                continue;
            }
            let mut block = Vec::new();
            for start in (0..rows).step_by(BLOCK) {
                rows_from(start, BLOCK, &mut block)?;
                store(&block)?;
            }
        }
        sound.rate = rate.unwrap_or(sound.rate);
        sound.samples = steps.samples;
        Ok(steps.clipped)
    }
}

/// The expected value of a rate, for messages.
const RATE: &str = "samples a second from 1 to 16777216, such as 16000 or 16k";

/// Returns a rate in Hz from its digits, or from kHz with a `k` behind.
fn hertz(text: &str) -> Option<u32> {
    if text.starts_with('+') {
        return None;
    }
    let Some(thousands) = text.strip_suffix(['k', 'K']) else {
        return text.parse().ok();
    };
    let (digits, power) = Decimal::parse(thousands)?.times(1000)?.in_lowest_terms();
    let unit = 10_i128.checked_pow(u32::try_from(power).ok()?)?;
    digits.checked_mul(unit)?.try_into().ok()
}

/// Keeps one channel.
fn pick(sound: &mut Waveform, wanted: usize, env: &Env) -> Result<()> {
    let cols = sound.samples.cols();
    if wanted >= cols {
        let there = match cols {
            1 => "there is only one".to_owned(),
            n => format!("there are only {n}"),
        };
        let message = format!("channel {wanted} was asked for, but {there}, counted from 0");
        return Err(Error::unfit(message));
    }
    if cols > 1 {
        let rows = 0..sound.samples.rows();
        sound.samples = cut(&sound.samples, rows, wanted..wanted + 1, &env.limits)?;
    }
    Ok(())
}

/// Hashes a key with FNV-1a. Never 0, which would mean the first pass through the data.
fn hash(key: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    key.iter().fold(0xcbf2_9ce4_8422_2325, step).max(1)
}

/// The number of clipped samples, and the affected utterances.
#[derive(Default)]
struct ClipCount {
    samples: AtomicU64,
    utterances: AtomicU64,
}

impl ClipCount {
    fn add(&self, samples: u64) {
        self.samples.fetch_add(samples, Ordering::Relaxed);
        let one = u64::from(samples > 0);
        self.utterances.fetch_add(one, Ordering::Relaxed);
    }

    /// Returns the warning about them, once.
    fn take(&self) -> Option<Error> {
        let samples = self.samples.swap(0, Ordering::Relaxed);
        let utterances = self.utterances.swap(0, Ordering::Relaxed);
        let of = match utterances {
            1 => "1 utterance".to_owned(),
            n => format!("{n} utterances"),
        };
        let message = format!(
            "the loudest {samples} samples of {of} went beyond their type when they were \
             calculated anew, and were clipped"
        );
        (samples > 0).then(|| Error::unfit(message).suggest(Remedy::FloatSamples))
    }
}

/// A reader that converts audio.
struct Sound {
    inner: Map,
    info: DatasetInfo,
    clipped: Arc<ClipCount>,
    env: Env,
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Sound {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// Audio cannot be loaded, has no such channel or cannot be resampled; the next utterance can
    /// be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if !more && let Some(clipped) = self.clipped.take() {
            self.env.warn(&clipped);
        }
        Ok(more)
    }
}
