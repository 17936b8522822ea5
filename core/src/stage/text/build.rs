//! What is told of stages, made into stages.

use std::sync::Arc;

use super::table::{Built, Surroundings};
use super::values::Values;
use crate::Result;
use crate::bytes::Locator;
use crate::format::Reader;
use crate::model::{Dtype, Rank};
use crate::random::Rng;
use crate::stage::{Batching, KeyFilter, Ranges, ReaderExt, SoundChoice, UtteranceShape};

pub(super) const NUMBER: &str = "a number";
pub(super) const COUNT: &str = "a number from 1 on";
pub(super) const SIZE: &str = "a size with its unit, such as 600m";

pub(super) fn built(
    build: impl Fn(Box<dyn Reader>, &Surroundings<'_>) -> Result<Box<dyn Reader>>
    + Send
    + Sync
    + 'static,
) -> Result<Built> {
    Ok(Arc::new(build))
}

/// A number in digits alone.
pub(super) fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

pub(super) fn count(text: &str) -> Option<usize> {
    number(text).filter(|n| *n > 0)
}

/// Bytes, in binary multiples: `64k`, `600m`, `2g`.
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

pub(super) fn seed(values: &Values<'_>) -> Result<Rng> {
    let rng = |text: &str| match text {
        "pdnn" => Some(Rng::Pdnn),
        seed => number(seed).map(Rng::Seeded),
    };
    let rng = values.get("seed", rng, "a number from 0 to 4294967295, or pdnn")?;
    Ok(rng.unwrap_or(Rng::Seeded(0)))
}

/// Sound as it is to be, with dither if that is said.
pub(super) fn sound(values: &Values<'_>, choice: SoundChoice) -> Result<Built> {
    let seed = values.get("seed", number, "a number from 0 to 4294967295")?;
    let dithered = values.says("dither");
    if seed.is_some() && !dithered {
        return Err(values.refused("the seed is for dither, which was not asked for"));
    }
    let seed = seed.unwrap_or_default();
    let dither = dithered.then_some(seed);
    built(move |reader, at| Ok(SoundChoice { dither, ..choice }.over(reader, at.env)))
}

pub(super) fn ranges(values: &Values<'_>) -> Result<Ranges> {
    match values.list("ranges") {
        Some(text) => values.made("ranges", text.parse()),
        None => Err(values.refused("expected ranges")),
    }
}

pub(super) fn select(values: &Values<'_>, held: bool) -> Result<Built> {
    let chosen = move |reader: Box<dyn Reader>, filter| match held {
        true => reader.select(filter),
        false => reader.without(filter),
    };
    let [pattern, regex, keys] = ["pattern", "regex", "keys"].map(|name| values.text(name));
    let filter = match (pattern, regex, keys) {
        (Some(text), None, None) => values.made("pattern", KeyFilter::glob(text))?,
        (None, Some(text), None) => values.made("regex", KeyFilter::regex(text))?,
        (None, None, Some(file)) => {
            let file = Locator::file(file);
            return built(move |reader, at| Ok(chosen(reader, KeyFilter::list(&file, at.env)?)));
        }
        _ => return Err(values.refused("expected one of a pattern, regex= and keys=")),
    };
    built(move |reader, _| Ok(chosen(reader, filter.clone())))
}

pub(super) fn check(values: &Values<'_>) -> Result<Built> {
    let rank = |text: &str| match text {
        "vector" => Some(Rank::Vector),
        "matrix" => Some(Rank::Matrix),
        _ => None,
    };
    let frames = |text: &str| {
        let (least, most) = text.split_once('-').unwrap_or((text, text));
        let most = match most {
            "" => u64::MAX,
            most => number(most)?,
        };
        Some((number(least)?, most)).filter(|(least, most)| least <= most)
    };
    let dtype = |text: &str| text.parse::<Dtype>().ok();
    let shape = UtteranceShape {
        dim: values.get("dim", number, NUMBER)?,
        dtype: values.get("dtype", dtype, "an element type, such as f32")?,
        rank: values.get("rank", rank, "vector or matrix")?,
        frames: values.get("frames", frames, "frames, such as 100, 1-2000 or 10-")?,
        label_columns: values.get("labels", number, NUMBER)?,
        rate: values.get("rate", number, NUMBER)?,
        channels: values.get("channels", number, NUMBER)?,
    };
    let shape = (!values.is_empty()).then_some(shape);
    built(move |reader, _| Ok(reader.check(shape)))
}

/// Makes batches of a size.
type OfSize = fn(usize) -> Batching;

pub(super) fn batch(values: &Values<'_>) -> Result<Built> {
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
    built(move |reader, at| reader.batch(batching.clone(), at.env.limits))
}
