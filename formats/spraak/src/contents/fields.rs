//! Header values that are numbers.

use spr_core::Result;
use spr_core::model::Decimal;
use spr_core::number::parse_integer;

use crate::header::{Entry, Header, shown};

/// What SPRAAK takes where a header has no `SAMPLEFREQ`.
const DEFAULT_RATE: u32 = 8000;

/// A number of rows; `None` if the header leaves it open.
pub(crate) fn count(header: &Header, key: &str) -> Result<Option<u64>> {
    header.get(key).map_or(Ok(None), dimension)
}

/// Values in a vector.
pub(super) fn columns(header: &Header) -> Result<u64> {
    let name = header.name_of("DIM2");
    let Some(entry) = header.get("DIM2") else {
        return Err(header
            .error(header.end, format!("the header has no {name}"))
            .hint("say it with dim2=39, or whatever it is"));
    };
    dimension(entry)?.ok_or_else(|| entry.error(format!("{name} may not be left open with -1")))
}

/// Channels: of sound, or of features that stand side by side in the columns.
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

/// Samples a second.
pub(super) fn rate(header: &Header) -> Result<u32> {
    let Some(entry) = header.get("SAMPLEFREQ") else {
        return Ok(DEFAULT_RATE);
    };
    // 16000.0 is as good as 16000.
    let digits = match entry.value.iter().position(|b| *b == b'.') {
        Some(point) if entry.value[point + 1..].iter().all(|b| *b == b'0') => &entry.value[..point],
        _ => &entry.value[..],
    };
    parse_integer(digits)
        .filter(|rate| *rate > 0)
        .ok_or_else(|| {
            let value = shown(&entry.value);
            entry.error(format!(
                "SAMPLEFREQ is '{value}', not a whole number of samples a second"
            ))
        })
}

/// A time.
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

/// A dimension; `None` for -1.
fn dimension(entry: &Entry) -> Result<Option<u64>> {
    if entry.value == b"-1" {
        return Ok(None);
    }
    parse_integer(&entry.value).map(Some).ok_or_else(|| {
        let (key, value) = (shown(&entry.word), shown(&entry.value));
        entry.error(format!("{key} is '{value}', not a number"))
    })
}
