//! Numeric values in headers.

use spr_core::Result;
use spr_core::model::Decimal;
use spr_core::number::parse_integer;

use crate::header::{Entry, Header, shown};

/// SPRAAK's default of `SAMPLEFREQ`.
const DEFAULT_RATE: u32 = 8000;

/// The length of a number of which no digit is lost.
const DIGITS: usize = 18;

/// Returns a number of rows, or `None` if the header leaves it open.
pub(crate) fn count(header: &Header, key: &str) -> Result<Option<u64>> {
    header.get(key).map_or(Ok(None), dimension)
}

/// Returns the number of values in a vector.
pub(super) fn columns(header: &Header) -> Result<u64> {
    let name = header.name_of("DIM2");
    let Some(entry) = header.get("DIM2") else {
        return Err(header
            .error(header.end, format!("the header has no {name}"))
            .hint("say it with dim2=39, or whatever it is"));
    };
    dimension(entry)?.ok_or_else(|| entry.error(format!("{name} may not be left open with -1")))
}

/// Returns the number of channels: of audio, or of features interleaved in the columns.
pub(crate) fn channels(header: &Header) -> Result<u64> {
    let Some(entry) = header.get("NCHAN") else {
        return Ok(1);
    };
    match dimension(entry)? {
        Some(channels) if channels > 0 => Ok(channels),
        _ => Err(entry.error(format!(
            "NCHAN {} is not a number of channels",
            shown(&entry.value)
        ))),
    }
}

/// Returns the sampling rate in Hz.
pub(super) fn rate(header: &Header) -> Result<u32> {
    let Some(entry) = header.get("SAMPLEFREQ") else {
        return Ok(DEFAULT_RATE);
    };
    // A value such as 16000.0 or 1.6e4 is accepted; more digits than that might be rounded.
    let value = std::str::from_utf8(&entry.value).ok();
    let value = value.filter(|value| value.len() <= DIGITS);
    let rate = value.and_then(Decimal::parse).map(Decimal::in_lowest_terms);
    let whole = rate.and_then(|(digits, power)| {
        let scale = 10u32.checked_pow(u32::try_from(power).ok()?)?;
        u32::try_from(digits).ok()?.checked_mul(scale)
    });
    whole.filter(|rate| *rate > 0).ok_or_else(|| {
        let value = shown(&entry.value);
        entry.error(format!(
            "SAMPLEFREQ is '{value}', not a whole number of samples a second"
        ))
    })
}

/// Returns a time in seconds.
pub(crate) fn seconds(header: &Header, key: &str) -> Result<Option<Decimal>> {
    let Some(entry) = header.get(key) else {
        return Ok(None);
    };
    let decimal = std::str::from_utf8(&entry.value)
        .ok()
        .and_then(Decimal::parse);
    decimal.map(Some).ok_or_else(|| {
        let value = shown(&entry.value);
        entry.error(format!("{key} is '{value}', not a time"))
    })
}

/// Returns the frame shift. For sound 0 is none.
pub(crate) fn frame_shift(header: &Header, is_sound: bool) -> Result<Option<Decimal>> {
    const KEY: &str = "FSHIFT";
    let shift = seconds(header, KEY)?;
    match (shift.filter(|shift| !shift.is_positive()), header.get(KEY)) {
        (Some(shift), _) if shift.is_zero() && is_sound => Ok(None),
        (Some(shift), Some(entry)) => {
            let error = entry.error(format!("{KEY} is {shift}, not a time above 0"));
            Err(error.hint("the option fshift=SECONDS takes its place"))
        }
        _ => Ok(shift),
    }
}

/// Returns a dimension, or `None` for -1.
fn dimension(entry: &Entry) -> Result<Option<u64>> {
    if entry.value == b"-1" {
        return Ok(None);
    }
    parse_integer(&entry.value).map(Some).ok_or_else(|| {
        let (key, value) = (shown(&entry.word), shown(&entry.value));
        entry.error(format!("{key} is '{value}', not a number"))
    })
}
