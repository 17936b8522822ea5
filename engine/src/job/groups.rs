//! The groups of utterances that stay together in a split, and the part that each goes to.

use std::collections::HashMap;

use spr_core::bytes::Env;
use spr_core::format::{Registry, Request};
use spr_core::model::{Key, Utterance};
use spr_core::number::random::Mt19937;
use spr_core::{Error, Result};
use spr_stats::Row;

use super::opening::Opening;
use super::speaking::Speaking;
use super::subset;
use crate::plan::Balance;

/// The most divisions that are tried.
const ATTEMPTS: usize = 20;

/// The groups that stay together: single utterances, or all of a speaker.
pub(super) struct Groups {
    /// The utterances or the seconds of each group, in order of first occurrence.
    sizes: Vec<f64>,
    /// Whether they are counts.
    counted: bool,
    /// The indices of speakers among the groups.
    places: HashMap<Key, usize>,
    /// The number of utterances that will be skipped, and the first error.
    skipped: (u64, Option<Error>),
}

impl Groups {
    /// Reads the inputs to measure the groups of these speakers, or single utterances.
    ///
    /// # Errors
    /// The inputs can't be read, or a speaker or a duration is not known.
    pub(super) fn of(
        opening: &Opening<'_>,
        (speakers, balance): (Option<&Speaking>, Option<Balance>),
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let by_seconds = balance == Some(Balance::Seconds);
        let (mut sizes, mut places) = (Vec::new(), HashMap::new());
        let mut unknown = None;
        let facts = match by_seconds {
            true => Request::all().headers(),
            false => Request::names(),
        };
        let mut reader = opening.open_to_count(&facts, registry, env)?.reader;
        let shift = reader.info().frame_shift;
        let mut see = |utt: &Utterance| {
            let size = match by_seconds {
                true => Row::new(utt, shift).duration()?,
                false => 1.0,
            };
            let Some(speakers) = speakers else {
                sizes.push(size);
                return Ok(());
            };
            let speaker = speakers.of(utt)?;
            let place = *places.entry(speaker.clone()).or_insert(sizes.len());
            sizes.resize(sizes.len().max(place + 1), 0.0);
            sizes[place] += size;
            Ok(())
        };
        let mut utt = Utterance::default();
        let (mut skipped, mut first) = (0, None);
        loop {
            match reader.read(&mut utt) {
                Ok(true) => unknown = unknown.take().or(see(&utt).err()),
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
                counted: !by_seconds,
                places,
                skipped: (skipped, first),
            }),
        }
    }

    /// Returns the indices of speakers among the groups.
    pub(super) fn into_places(self) -> HashMap<Key, usize> {
        self.places
    }

    fn total(&self) -> f64 {
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

    /// Returns an error if there are fewer groups than parts.
    fn check(&self, parts: u64) -> Result<()> {
        match parts == 0 || (self.sizes.len() as u64) < parts {
            true => Err(self.too_few(parts)),
            false => Ok(()),
        }
    }

    /// Returns the part of each group, for `n` non-empty runs of about equal size.
    pub(super) fn chunks(&self, n: u64) -> Result<Vec<u64>> {
        self.check(n)?;
        let groups = self.sizes.len() as u64;
        let (mut part, mut before, mut alone) = (0, 0.0, true);
        let parts = (0..groups).zip(&self.sizes).map(|(group, size)| {
            // A group goes where most of it belongs.
            let full = before + size / 2.0 > self.end(part, n);
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

    /// Returns the size up to the end of a part of `n` equal ones. The first have one more utterance if
    /// necessary.
    #[expect(clippy::cast_precision_loss, reason = "numbers of parts")]
    fn end(&self, part: u64, n: u64) -> f64 {
        let (total, n, ends) = (self.total(), n as f64, (part + 1) as f64);
        match self.counted {
            true => (total / n).floor() * ends + (total % n).min(ends),
            false => total / n * ends,
        }
    }

    /// Returns the part of each group, for `n` parts of about equal size: the largest group first goes to
    /// the smallest part.
    pub(super) fn even(&self, n: u64) -> Result<Vec<u64>> {
        self.check(n)?;
        let mut order: Vec<_> = (0..self.sizes.len()).collect();
        order.sort_by(|a, b| self.sizes[*b].total_cmp(&self.sizes[*a]));
        // At most as many as groups. The first groups go to a part each, whatever their size.
        let mut filled: Vec<(bool, f64)> = (0..n).map(|_| (false, 0.0)).collect();
        let mut parts = vec![0; order.len()];
        for group in order {
            let least = |a: &usize, b: &usize| {
                let (a, b) = (filled[*a], filled[*b]);
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
            };
            let part = (0..filled.len()).min_by(least).unwrap_or_default();
            filled[part] = (true, filled[part].1 + self.sizes[group]);
            parts[group] = part as u64;
        }
        Ok(parts)
    }

    /// Returns the part of each group: random ones for shares that are as close to these as can be found,
    /// and one more for the rest. None is empty.
    pub(super) fn drawn(&self, shares: &[f64], seed: u32) -> Result<Vec<u64>> {
        self.check(shares.len() as u64 + 1)?;
        let total = self.total();
        let wanted = shares.iter().map(|share| match self.counted {
            true => (share * total).round(),
            false => share * total,
        });
        let wanted: Vec<_> = wanted.collect();
        let mut order: Vec<_> = (0..self.sizes.len()).collect();
        let mut random = Mt19937::new(seed);
        let mut best: Option<(f64, Vec<u64>)> = None;
        // What one part takes, the next ones lack: another order may leave more to choose from.
        for _ in 0..ATTEMPTS {
            for (a, b) in random.swaps(order.len()) {
                order.swap(a, b);
            }
            let (missed, parts) = self.divided(&order, &wanted);
            if best.as_ref().is_none_or(|(least, _)| missed < *least) {
                best = Some((missed, parts));
            }
            // Up to the rounding of sums.
            if missed <= total * 1e-9 {
                break;
            }
        }
        Ok(best.map_or_else(Vec::new, |(_, parts)| parts))
    }

    /// Returns the part of each group for parts of these sizes, and one more for the rest, and by how much
    /// they are missed. Groups that come first in `order` are preferred.
    fn divided(&self, order: &[usize], wanted: &[f64]) -> (f64, Vec<u64>) {
        let rest = wanted.len();
        let (mut left, mut missed) = (order.to_vec(), 0.0);
        let mut parts = vec![rest as u64; order.len()];
        for (part, wanted) in wanted.iter().enumerate() {
            let chosen = subset::closest(&left, &self.sizes, *wanted, rest - part);
            let sum: f64 = chosen.iter().map(|group| self.sizes[*group]).sum();
            missed += (sum - wanted).abs();
            for group in chosen {
                parts[group] = part as u64;
            }
            left.retain(|group| parts[*group] == rest as u64);
        }
        (missed, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(sizes: &[u32]) -> Groups {
        Groups {
            sizes: sizes.iter().copied().map(f64::from).collect(),
            counted: true,
            places: HashMap::new(),
            skipped: (0, None),
        }
    }

    fn sums(sizes: &[u32], parts: &[u64]) -> Vec<u32> {
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

    #[test]
    fn shares_are_kept_where_they_can_be() {
        let unequal = [600, 90, 80, 70, 60, 40, 30, 20, 7, 3];
        for seed in 0..100 {
            let parts = groups(&unequal).drawn(&[0.1, 0.1], seed).unwrap();
            assert_eq!(sums(&unequal, &parts), [100, 100, 800], "seed {seed}");
        }
        // One speaker is more than the share: the best that there is.
        let parts = groups(&[90, 5, 5]).drawn(&[0.5], 1).unwrap();
        let mut two = sums(&[90, 5, 5], &parts);
        two.sort_unstable();
        assert_eq!(two, [10, 90]);
        for sizes in [&[10, 1][..], &[1, 1, 100], &[7, 7, 7]] {
            for share in [0.001, 0.5, 0.999] {
                let parts = groups(sizes).drawn(&[share], 1).unwrap();
                let sums = sums(sizes, &parts);
                assert!(sums.len() == 2 && !sums.contains(&0), "{sizes:?} {share}");
            }
        }
    }

    #[test]
    fn parts_are_even() {
        let sizes = [50, 10, 10, 10, 10, 10, 30, 20];
        let parts = groups(&sizes).even(3).unwrap();
        assert_eq!(sums(&sizes, &parts), [50, 50, 50]);
        let parts = groups(&[0, 0, 5]).even(3).unwrap();
        assert_eq!(parts, [1, 2, 0]);
        assert!(groups(&[1]).even(2).is_err());
    }
}
