//! The parts that utterances of a split go to.

use spr_core::bytes::Env;
use spr_core::format::Registry;
use spr_core::model::{Audio, Utterance};
use spr_core::{Error, Result};

use super::groups::Groups;
use super::opening::Opening;
use super::speaking::Speaking;
use crate::plan::{Rule, Split};

/// Returns the part of the next utterance, counted from 0.
pub(super) type Route = Box<dyn FnMut(&Utterance) -> Result<u64>>;

/// The route of utterances to their parts. Where the number of utterances has a say in it, the inputs
/// are read once more, to count them.
///
/// # Errors
/// The inputs can't be read, or only once, there are fewer utterances or speakers than parts, or
/// an utterance has no speaker.
pub(super) fn route(
    split: &Split,
    opening: &Opening<'_>,
    registry: &Registry,
    env: &Env,
) -> Result<Route> {
    let speakers = split.speakers.as_ref();
    let speakers = speakers.map(|speakers| Speaking::open(speakers, env));
    let speakers = speakers.transpose()?;
    let groups = match split.rule {
        Rule::Frames(most) => return Ok(filling(most, Utterance::frames)),
        Rule::Bytes(most) => return Ok(filling(most, bytes)),
        _ => {
            opening.check_lasting(env)?;
            Groups::of(opening, (speakers.as_ref(), split.balance), registry, env)?
        }
    };
    let parts = match split.rule {
        Rule::Train(share) => groups.drawn(&[share], split.seed)?,
        Rule::Sets { valid, test } => {
            let parts = groups.drawn(&[test, valid], split.seed)?;
            // The drawn parts come first, and the rest is for training.
            parts.into_iter().map(|part| 2 - part).collect()
        }
        Rule::Parts(n) if speakers.is_some() && split.balance.is_some() => groups.even(n)?,
        Rule::Parts(n) | Rule::Frames(n) | Rule::Bytes(n) => groups.chunks(n)?,
    };
    let places = groups.into_places();
    let mut number = 0;
    Ok(Box::new(move |utt| {
        let group = match &speakers {
            Some(speakers) => places.get(speakers.of(utt)?).copied(),
            None => Some(number),
        };
        number += 1;
        let part = group.and_then(|group| parts.get(group));
        part.copied().ok_or_else(|| {
            Error::unfit("the input was changed while it was read").utterance(&utt.key)
        })
    }))
}

/// A route that fills one part after the other.
fn filling(most: u64, size: fn(&Utterance) -> u64) -> Route {
    let (mut part, mut filled) = (0, None::<u64>);
    Box::new(move |utt| {
        let more = size(utt);
        filled = Some(match filled.map(|filled| filled.saturating_add(more)) {
            Some(sum) if sum <= most => sum,
            Some(_) => {
                part += 1;
                more
            }
            None => more,
        });
        Ok(part)
    })
}

/// Returns the size of an utterance's numbers, and of encoded audio, in bytes.
fn bytes(utt: &Utterance) -> u64 {
    let matrices = utt.features.iter().chain(&utt.labels);
    let samples = utt.waveform().map(|sound| &sound.samples);
    let arrays = utt.arrays.iter().map(|named| named.array.values());
    let numbers = matrices.chain(samples).chain(arrays);
    let encoded = match &utt.audio {
        Some(Audio::Encoded(encoded)) => encoded.bytes.len() as u64,
        _ => 0,
    };
    encoded + numbers.map(|m| m.as_bytes().len() as u64).sum::<u64>()
}
