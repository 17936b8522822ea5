//! Parsers of the values of several steps.

use std::str::FromStr;

use spr_core::number::random::Rng;
use spr_core::{Error, Result};

use super::values::Values;

pub(super) const NUMBER: &str = "a number";
pub(super) const COUNT: &str = "a number from 1 on";
pub(super) const SIZE: &str = "a size with its unit, such as 600m";
pub(super) const SEED: &str = "a number from 0 to 4294967295";
pub(super) const FRAMES: &str = "frames, such as 100, 1-2000 or 10-";

/// Parses a number that consists of digits only.
pub(super) fn number<T: FromStr>(text: &str) -> Option<T> {
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

pub(super) fn count(text: &str) -> Option<usize> {
    number(text).filter(|n| *n > 0)
}

/// Parses a size in bytes with binary multiples: `64k`, `600m`, `2g`.
pub(super) fn size(text: &str) -> Option<u64> {
    let shift = match text.as_bytes().last()?.to_ascii_lowercase() {
        b'k' => 10,
        b'm' => 20,
        b'g' => 30,
        _ => return None,
    };
    let bytes = number::<u64>(text.get(..text.len() - 1)?)?;
    bytes.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

/// The order of a seed, of PDNN's by its name, of 0 if there is none.
pub(super) fn rng(values: &Values) -> Result<Rng> {
    let rng = |text: &str| match text {
        "pdnn" => Some(Rng::Pdnn),
        seed => number(seed).map(Rng::Seeded),
    };
    let rng = values.get("seed", rng, "a number from 0 to 4294967295, or pdnn")?;
    Ok(rng.unwrap_or(Rng::Seeded(0)))
}

/// The parsed value of a required parameter, whose type has errors of its own.
pub(super) fn parsed<T: FromStr<Err = Error>>(
    values: &Values,
    name: &str,
    expected: &str,
) -> Result<T> {
    let parsed = values.need(name, |text| Some(text.parse()), expected)?;
    values.made(name, parsed)
}

/// The least and the most of a range such as `100`, `1-2000` or `10-`.
pub(super) fn range(text: &str) -> Option<(u64, u64)> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let most = match most {
        "" => u64::MAX,
        most => number(most)?,
    };
    Some((number(least)?, most)).filter(|(least, most)| least <= most)
}
