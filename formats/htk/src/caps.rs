//! The capabilities of HTK files.

use spr_core::format::{AudioCaps, Caps, Count, FeatureCaps, Keys, Rule, Tags};
use spr_core::model::{Decimal, Dtype};
use spr_core::{Error, Remedy, Result};

use crate::header::{MOST_BYTES, MOST_PERIOD, NAME, UNIT, UNITS};

/// The capabilities inside a container: everything that the header can represent, as Kaldi writes
/// it.
pub(crate) const NESTED: Caps = caps(Keys::Any, i16::MAX as u64 / 4);

/// Returns the capabilities of a file that HTK can read, where each value takes `value` bytes.
pub(crate) const fn of_files(keys: Keys, value: u64) -> Caps {
    let mut caps = caps(keys, MOST_BYTES / value);
    caps.shift_rule = Rule::new("of whole 100 ns, at most 0.1 s", |shift| {
        read_by_htk(*shift)?;
        period_of_shift(*shift).map(drop)
    });
    caps.audio.rates = Rule::new(
        "with whole 100 ns between samples, at least 10 Hz",
        |rate| {
            period_of_rate(*rate)?;
            Decimal::near_sample(1, *rate).map_or(Ok(()), read_by_htk)
        },
    );
    caps
}

/// The time from sample to sample of a rate, in units of 100 ns.
///
/// # Errors
/// It is not a whole number of them.
pub(crate) fn period_of_rate(rate: u32) -> Result<i32> {
    let whole = rate > 0 && UNITS.is_multiple_of(rate);
    let period = whole.then(|| UNITS / rate);
    let period = period.and_then(|period| i32::try_from(period).ok());
    period.ok_or_else(|| {
        let message = "samples a second, between which there is no whole number of 100 ns";
        Error::unfit(format!("has {rate} {message}")).suggest(Remedy::Resample)
    })
}

/// The time from frame to frame in units of 100 ns.
///
/// # Errors
/// It is not a whole number of them, or too long.
pub(crate) fn period_of_shift(shift: Decimal) -> Result<i32> {
    let units = shift.sample(UNITS);
    let period = units.and_then(|n| i32::try_from(n).ok()).filter(|n| *n > 0);
    let exact = |period: &i32| Decimal::new(i64::from(*period), UNIT) == shift;
    period.filter(exact).ok_or_else(|| {
        Error::unfit(format!(
            "has a frame shift of {shift} s, which is not a whole number of 100 ns below 215 s"
        ))
    })
}

/// Rejects a period that HTK does not read.
fn read_by_htk(shift: Decimal) -> Result<()> {
    let most = Decimal::new(i64::from(MOST_PERIOD), UNIT).trimmed();
    match shift > most {
        true => Err(Error::unfit(format!(
            "has a frame shift of {shift} s: HTK reads no files with more than {most} s"
        ))),
        false => Ok(()),
    }
}

const fn caps(keys: Keys, most_cols: u64) -> Caps {
    let mut features = FeatureCaps::new(&[Dtype::F32]);
    features.max_cols = most_cols;
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    caps.audio = AudioCaps::samples(&[Dtype::I16]);
    caps.audio.max_channels = 1;
    caps.audio.rates = Rule::new("with whole 100 ns between samples", |rate| {
        period_of_rate(*rate).map(drop)
    });
    (caps.frame_shift, caps.framed_shift) = (true, true);
    caps.shift_rule = Rule::new("of whole 100 ns", |shift| period_of_shift(*shift).map(drop));
    caps.tags = Tags::Of(NAME);
    caps.max_rows = i32::MAX as u64;
    caps
}
