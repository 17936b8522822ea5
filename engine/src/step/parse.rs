//! Parsers of the values of steps.

use std::str::FromStr;
use std::sync::Arc;

use spr_core::format::Reader;
use spr_core::model::{Decimal, Dtype, Rank};
use spr_core::number::random::Rng;
use spr_core::stage::{Batching, Ranges, SoundChoice, UtteranceShape};
use spr_core::{Error, Result};

use super::kind::{Build, Surroundings};
use super::values::Values;

pub(super) const NUMBER: &str = "a number";
pub(super) const COUNT: &str = "a number from 1 on";
pub(super) const SIZE: &str = "a size with its unit, such as 600m";
const SEED: &str = "a number from 0 to 4294967295";

/// A step from a function that puts it over a reader.
pub(super) fn built(
    build: impl Fn(Box<dyn Reader>, &Surroundings<'_>) -> Result<Box<dyn Reader>>
    + Send
    + Sync
    + 'static,
) -> Result<Build> {
    Ok(Arc::new(build))
}

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

/// Seconds above zero.
pub(super) fn shift(text: &str) -> Option<Decimal> {
    Decimal::parse(text).filter(|shift| shift.value() > 0.0)
}

/// A seed of PDNN's or another, 0 if there is none.
pub(super) fn seed(values: &Values) -> Result<Rng> {
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

/// The channels, rate and type of sound that are asked for.
pub(super) fn sound(values: &Values) -> Result<SoundChoice> {
    let mut choice = SoundChoice::default();
    if let Some(channels) = values.text("channel") {
        choice.channels = Some(values.made("channel", channels.parse())?);
    }
    if let Some(rate) = values.text("rate") {
        values.made("rate", choice.set_rate(rate))?;
    }
    if let Some(dtype) = values.text("dtype") {
        choice.dtype = Some(values.made("dtype", dtype.parse())?);
    }
    let seed = values.get("seed", seed_number, SEED)?;
    let dithered = values.says("dither");
    if seed.is_some() && !dithered {
        return Err(values.refused("the seed is for dither, which was not asked for"));
    }
    choice.dither = dithered.then_some(seed.unwrap_or_default());
    Ok(choice)
}

/// A seed, PDNN's by its name.
fn seed_number(text: &str) -> Option<u32> {
    match text {
        "pdnn" => Some(Rng::Pdnn.seed()),
        seed => number(seed),
    }
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

/// Ranges of frames or columns.
pub(super) fn ranges(values: &Values) -> Result<Ranges> {
    match values.list("ranges") {
        Some(text) => values.made("ranges", text.parse()),
        None => Err(values.refused("expected ranges")),
    }
}

/// The shape that is declared; `None` for that of the first utterance.
pub(super) fn shape(values: &Values) -> Result<Option<UtteranceShape>> {
    let rank = |text: &str| match text {
        "vector" => Some(Rank::Vector),
        "matrix" => Some(Rank::Matrix),
        _ => None,
    };
    let dtype = |text: &str| text.parse::<Dtype>().ok();
    let shape = UtteranceShape {
        dim: values.get("dim", number, NUMBER)?,
        dtype: values.get("dtype", dtype, "an element type, such as f32")?,
        rank: values.get("rank", rank, "vector or matrix")?,
        frames: values.get("frames", range, "frames, such as 100, 1-2000 or 10-")?,
        label_columns: values.get("labels", number, NUMBER)?,
        rate: values.get("rate", number, NUMBER)?,
        channels: values.get("channels", number, NUMBER)?,
    };
    Ok((!values.is_empty()).then_some(shape))
}

/// Creates batches of a size.
type OfSize = fn(usize) -> Batching;

/// The size and sort of batches.
pub(super) fn batching(values: &Values) -> Result<Batching> {
    let sizes: [(&str, OfSize); 4] = [
        ("frames", Batching::frames),
        ("utterances", Batching::utterances),
        ("whole", Batching::whole_frames),
        ("padded", Batching::padded_frames),
    ];
    let mut batching = None;
    for (name, sized) in sizes {
        if let Some(n) = values.get(name, count, COUNT)?
            && batching.replace(sized(n)).is_some()
        {
            return Err(values.refused("expected one size"));
        }
    }
    let Some(mut batching) = batching else {
        return Err(values.refused("expected a size"));
    };
    if values.says("pad") {
        batching = batching.pad();
    }
    if values.says("drop") {
        batching = batching.drop_tail();
    }
    if values.says("across") {
        batching = batching.across_partitions();
    }
    let lengths = |text: &str| text.split(':').map(count).collect::<Option<Vec<_>>>();
    if let Some(lengths) = values.get("buckets", lengths, "lengths, such as 200:400:800")? {
        batching = batching.buckets(lengths);
    }
    values.made("buckets", batching.check())?;
    Ok(batching)
}
