//! `split`: which part each utterance goes to.

use std::collections::HashMap;
use std::rc::Rc;

use spr_core::bytes::Env;
use spr_core::format::Registry;
use spr_core::model::{Audio, Key, Utterance};
use spr_core::random::Mt19937;
use spr_core::{Error, KeyMap, Result};

use super::select::{each, speaker};
use crate::job::{Job, Split};

/// The names of the parts of [`Rule::Train`], and of [`Rule::Sets`].
const SETS: &[&str] = &["train", "valid", "test"];

/// How a data set is split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Into so many parts of as many utterances, one more in the first ones if need be, as Kaldi's
    /// `split_scp.pl` does.
    Parts(u64),
    /// Into parts of at most so many frames, of one utterance at least.
    Frames(u64),
    /// Into parts of at most so many bytes of numbers, of one utterance at least.
    Bytes(u64),
    /// Into `train`, with this share of the utterances drawn at random, and `valid`, with the rest.
    Train(f64),
    /// Into `valid` and `test`, with these shares of the utterances drawn at random, and `train`,
    /// with the rest.
    Sets {
        /// The share of `valid`.
        valid: f64,
        /// The share of `test`.
        test: f64,
    },
}

impl Rule {
    /// The names of the parts, where they have some.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Parts(_) | Self::Frames(_) | Self::Bytes(_) => &[],
            Self::Train(_) => &SETS[..2],
            Self::Sets { .. } => SETS,
        }
    }
}

/// Who speaks each utterance.
#[derive(Clone, Debug)]
pub enum Speakers {
    /// A table says it.
    Table(KeyMap),
    /// The data say it.
    Known,
}

impl Speakers {
    fn of<'a>(&'a self, utt: &'a Utterance) -> Result<&'a Key> {
        match self {
            Self::Table(table) => table.get(&utt.key),
            Self::Known => speaker(utt),
        }
    }
}

/// A split by `rule` of what `job` reads. For [`Rule::Parts`], [`Rule::Train`] and [`Rule::Sets`]
/// its inputs are read once more, to count them; `speakers` has the speaker of each utterance, of
/// whom all then stay together, and `seed` says which utterances are drawn.
///
/// # Errors
/// The inputs can't be read, or only once, there are fewer utterances or speakers than parts, or
/// an utterance has no speaker.
pub fn split(
    rule: Rule,
    job: &Job,
    speakers: Option<Speakers>,
    seed: u32,
    registry: &Registry,
    env: &Env,
) -> Result<Split> {
    let groups = match rule {
        Rule::Frames(most) => return Ok(filling(most, Utterance::frames)),
        Rule::Bytes(most) => return Ok(filling(most, bytes)),
        _ => Groups::of(job, speakers.as_ref(), registry, env)?,
    };
    let (names, parts) = (
        rule.names(),
        match rule {
            Rule::Train(share) => groups.drawn(&[share], seed)?,
            Rule::Sets { valid, test } => {
                let parts = groups.drawn(&[test, valid], seed)?;
                // What is drawn comes first, and the rest is for training.
                parts.into_iter().map(|part| 2 - part).collect()
            }
            Rule::Parts(n) | Rule::Frames(n) | Rule::Bytes(n) => groups.portions(n)?,
        },
    );
    let in_order = matches!(rule, Rule::Parts(_)) && speakers.is_none();
    let known = Rc::new((groups.places, parts, speakers));
    Ok(Split {
        names,
        parts: Some(match rule {
            Rule::Parts(n) => n,
            _ => names.len() as u64,
        }),
        in_order,
        route: Box::new(move || {
            let known = known.clone();
            let mut number = 0;
            Box::new(move |utt| {
                let (places, parts, speakers) = &*known;
                let group = match speakers {
                    Some(speakers) => places.get(speakers.of(utt)?).copied(),
                    None => Some(number),
                };
                number += 1;
                let part = group.and_then(|group| parts.get(group));
                part.copied().ok_or_else(|| {
                    Error::unfit("the input was changed while it was read").utterance(&utt.key)
                })
            })
        }),
    })
}

/// What stays together: each utterance alone, or all of a speaker.
struct Groups {
    /// Utterances in each group, in the order in which they come first.
    sizes: Vec<u64>,
    /// The places of speakers among the groups.
    places: HashMap<Key, usize>,
}

impl Groups {
    fn of(job: &Job, speakers: Option<&Speakers>, registry: &Registry, env: &Env) -> Result<Self> {
        let (mut sizes, mut places) = (Vec::new(), HashMap::new());
        let mut unknown = None;
        each(job, registry, env, |utt| {
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
        })?;
        match unknown {
            Some(error) => Err(error),
            None => Ok(Self { sizes, places }),
        }
    }

    fn total(&self) -> u64 {
        self.sizes.iter().sum()
    }

    fn too_few(&self, parts: u64) -> Error {
        let what = match self.places.is_empty() {
            true => "utterance",
            false => "speaker",
        };
        let groups = match self.sizes.len() {
            1 => format!("1 {what} is"),
            n => format!("{n} {what}s are"),
        };
        Error::usage(format!("{groups} too few for {parts} parts"))
    }

    /// The part of each group: `n` runs of about as many utterances, none empty.
    fn portions(&self, n: u64) -> Result<Vec<u64>> {
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

    /// The part of each group: those for about these shares of the utterances, drawn at random, and
    /// one more for the rest. None is empty.
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
                // A group that would miss the share by more than leaving it out does is left out.
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

/// A split that fills one part after the other.
fn filling(most: u64, size: fn(&Utterance) -> u64) -> Split {
    Split {
        names: &[],
        parts: None,
        in_order: true,
        route: Box::new(move || {
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
        }),
    }
}

/// Bytes of the numbers of an utterance, and of sound that is stored whole.
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
        let parts = |n, of| groups(&vec![1; of]).portions(n).unwrap();
        assert_eq!(parts(3, 8), [0, 0, 0, 1, 1, 1, 2, 2]);
        assert_eq!(parts(3, 3), [0, 1, 2]);
        assert_eq!(parts(1, 2), [0, 0]);
        for (n, of) in [(0, 3), (4, 3), (1, 0)] {
            assert!(groups(&vec![1; of]).portions(n).is_err());
        }
    }

    #[test]
    fn speakers_stay_whole_and_no_part_is_empty() {
        for sizes in [&[10, 1, 1][..], &[1, 1, 10], &[1, 10, 1], &[3, 3, 3, 3, 3]] {
            for n in 1..=sizes.len() as u64 {
                let parts = groups(sizes).portions(n).unwrap();
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
