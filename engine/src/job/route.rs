//! The parts that utterances of a split go to.

use std::collections::HashMap;

use spr_core::bytes::Env;
use spr_core::format::Registry;
use spr_core::model::{Audio, Key, Utterance};
use spr_core::number::random::Mt19937;
use spr_core::{Error, KeyMap, Result};

use super::opening::Opening;
use crate::open::read_twice;
use crate::plan::{Rule, Speakers, Split};
use crate::step::speaker;

/// Returns the part of the next utterance, counted from 0.
pub(super) type Route = Box<dyn FnMut(&Utterance) -> Result<u64>>;

/// The source of speakers.
enum Speaking {
    /// A table.
    Table(KeyMap),
    /// The data.
    Data,
}

impl Speaking {
    fn open(speakers: &Speakers, env: &Env) -> Result<Self> {
        Ok(match speakers {
            Speakers::Table(table) => Self::Table(KeyMap::open(table, env)?),
            Speakers::Data => Self::Data,
        })
    }

    fn of<'a>(&'a self, utt: &'a Utterance) -> Result<&'a Key> {
        match self {
            Self::Table(table) => table.get(&utt.key),
            Self::Data => speaker(utt),
        }
    }
}

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
        _ if opening.reads_stdin() => return Err(read_twice()),
        _ => Groups::of(opening, speakers.as_ref(), registry, env)?,
    };
    let parts = match split.rule {
        Rule::Train(share) => groups.drawn(&[share], split.seed)?,
        Rule::Sets { valid, test } => {
            let parts = groups.drawn(&[test, valid], split.seed)?;
            // The drawn parts come first, and the rest is for training.
            parts.into_iter().map(|part| 2 - part).collect()
        }
        Rule::Parts(n) | Rule::Frames(n) | Rule::Bytes(n) => groups.chunks(n)?,
    };
    let places = groups.places;
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

/// The groups that stay together: single utterances, or all of a speaker.
struct Groups {
    /// The number of utterances in each group, in order of first occurrence.
    sizes: Vec<u64>,
    /// The indices of speakers among the groups.
    places: HashMap<Key, usize>,
    /// The number of utterances that will be skipped, and the first error.
    skipped: (u64, Option<Error>),
}

impl Groups {
    fn of(
        opening: &Opening<'_>,
        speakers: Option<&Speaking>,
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let (mut sizes, mut places) = (Vec::new(), HashMap::new());
        let mut unknown = None;
        let mut see = |utt: &Utterance| {
            let Some(speakers) = speakers else {
                return sizes.push(1);
            };
            match speakers.of(utt) {
                Ok(speaker) => {
                    let place = *places.entry(speaker.clone()).or_insert(sizes.len());
                    sizes.resize(sizes.len().max(place + 1), 0);
                    sizes[place] += 1;
                }
                Err(error) => unknown = unknown.take().or(Some(error)),
            }
        };
        let mut reader = opening.open_to_count(registry, env)?.reader;
        let mut utt = Utterance::default();
        let (mut skipped, mut first) = (0, None);
        loop {
            match reader.read(&mut utt) {
                Ok(true) => see(&utt),
                Ok(false) => break,
                Err(error) if error.can_continue() && opening.skips() => {
                    skipped += 1;
                    first = first.or(Some(error));
                }
                Err(error) => return Err(error),
            }
        }
        match unknown {
            Some(error) => Err(error),
            None => Ok(Self {
                sizes,
                places,
                skipped: (skipped, first),
            }),
        }
    }

    fn total(&self) -> u64 {
        self.sizes.iter().sum()
    }

    fn too_few(&self, parts: u64) -> Error {
        if let (true, Some(first)) = (self.sizes.is_empty(), &self.skipped.1) {
            return first.copy().fatal();
        }
        let what = match self.places.is_empty() {
            true => "utterance",
            false => "speaker",
        };
        let groups = match self.sizes.len() {
            1 => format!("1 {what} is"),
            n => format!("{n} {what}s are"),
        };
        let without = match self.skipped.0 {
            0 => String::new(),
            n => format!(", without the {n} that cannot be read"),
        };
        Error::usage(format!("{groups} too few for {parts} parts{without}"))
    }

    /// Returns the part of each group, for `n` non-empty runs of about equal size.
    fn chunks(&self, n: u64) -> Result<Vec<u64>> {
        let groups = self.sizes.len() as u64;
        if n == 0 || groups < n {
            return Err(self.too_few(n));
        }
        let (each, more) = (self.total() / n, self.total() % n);
        let (mut part, mut before, mut alone) = (0, 0, true);
        let parts = (0..groups).zip(&self.sizes).map(|(group, size)| {
            let full = before >= (part + 1) * each + more.min(part + 1);
            let one_for_each = groups - group < n - part;
            if !alone && part + 1 < n && (full || one_for_each) {
                part += 1;
            }
            alone = false;
            before += size;
            part
        });
        Ok(parts.collect())
    }

    /// Returns the part of each group: random ones for these approximate shares, and one more for
    /// the rest. None is empty.
    fn drawn(&self, shares: &[f64], seed: u32) -> Result<Vec<u64>> {
        let mut order: Vec<_> = (0..self.sizes.len()).collect();
        for (a, b) in Mt19937::new(seed).swaps(order.len()) {
            order.swap(a, b);
        }
        let rest = shares.len() as u64;
        let mut parts = vec![rest; order.len()];
        for (part, share) in (0..).zip(shares) {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of a number of utterances, rounded"
            )]
            let wanted = (share * self.total() as f64).round() as u64;
            let mut taken = 0;
            for group in &order {
                let size = self.sizes[*group];
                // A group is omitted if that leaves the share closer.
                if parts[*group] == rest && taken + size / 2 < wanted {
                    taken += size;
                    parts[*group] = part;
                }
            }
        }
        match (0..=rest).all(|part| parts.contains(&part)) {
            true => Ok(parts),
            false => Err(self.too_few(rest + 1)),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(sizes: &[u64]) -> Groups {
        Groups {
            sizes: sizes.to_vec(),
            places: HashMap::new(),
            skipped: (0, None),
        }
    }

    fn sums(sizes: &[u64], parts: &[u64]) -> Vec<u64> {
        let last = parts.iter().max().unwrap();
        let of = |part| sizes.iter().zip(parts).filter(move |(_, p)| **p == part);
        (0..=*last)
            .map(|part| of(part).map(|(n, _)| n).sum())
            .collect()
    }

    #[test]
    fn the_first_parts_have_one_more() {
        let parts = |n, of| groups(&vec![1; of]).chunks(n).unwrap();
        assert_eq!(parts(3, 8), [0, 0, 0, 1, 1, 1, 2, 2]);
        assert_eq!(parts(3, 3), [0, 1, 2]);
        assert_eq!(parts(1, 2), [0, 0]);
        for (n, of) in [(0, 3), (4, 3), (1, 0)] {
            assert!(groups(&vec![1; of]).chunks(n).is_err());
        }
    }

    #[test]
    fn speakers_stay_whole_and_no_part_is_empty() {
        for sizes in [&[10, 1, 1][..], &[1, 1, 10], &[1, 10, 1], &[3, 3, 3, 3, 3]] {
            for n in 1..=sizes.len() as u64 {
                let parts = groups(sizes).chunks(n).unwrap();
                assert!(parts.is_sorted());
                let sums = sums(sizes, &parts);
                assert_eq!(sums.len() as u64, n, "{sizes:?} {parts:?}");
                assert!(!sums.contains(&0));
            }
        }
    }

    #[test]
    fn a_share_is_drawn() {
        let ones = vec![1; 50];
        let parts = groups(&ones).drawn(&[0.9], 3).unwrap();
        assert_eq!(sums(&ones, &parts), [45, 5]);
        assert_ne!(parts, groups(&ones).drawn(&[0.9], 4).unwrap());
        let speakers = [5, 5, 5, 5];
        let parts = groups(&speakers).drawn(&[0.5], 1).unwrap();
        assert_eq!(sums(&speakers, &parts), [10, 10]);
        assert!(groups(&[1]).drawn(&[0.5], 1).is_err());
        let parts = groups(&ones).drawn(&[0.1, 0.2], 3).unwrap();
        assert_eq!(sums(&ones, &parts), [5, 10, 35]);
        assert!(groups(&[1, 1]).drawn(&[0.1, 0.2], 1).is_err());
    }
}
