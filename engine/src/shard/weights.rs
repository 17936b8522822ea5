//! The weights of input entries, as far as known without reading values.

use spr_core::bytes::{Env, Locator};
use spr_core::format::{Registry, Request};
use spr_core::{Error, KeyMap, Result};

use super::balance::ShardBalance;
use super::weigh::{Entry, Reread, Unit, Weigher};
use super::{Cut, Hashes, Shard};
use crate::plan::Input;

/// The weights of the entries of all inputs, in sequence.
pub struct Weights {
    /// The kind of weight: not [`ShardBalance::Auto`].
    pub by: ShardBalance,
    inputs: Vec<Weighed>,
    /// The weight of each entry, unless all are equal.
    weights: Vec<u64>,
    /// The byte where each entry starts, if it is known.
    starts: Vec<Option<u64>>,
    /// The first entries of groups, if there are groups.
    groups: Option<Vec<u64>>,
    /// Whether inputs that cannot be opened are skipped.
    skips: bool,
}

/// The weight of an entry, if it is known.
fn weight(by: ShardBalance, entry: &Entry) -> Option<u64> {
    match by {
        ShardBalance::Frames => entry.frames(),
        ShardBalance::Bytes => entry.bytes(),
        ShardBalance::Entries | ShardBalance::Auto => Some(1),
    }
}

/// An input with its entries.
struct Weighed {
    /// The number of its entries.
    entries: u64,
    unit: Unit,
    /// Whether it can be opened, if that is known; one that cannot counts as one entry.
    is_readable: Option<bool>,
    /// The reason why each shard reads more of it than its own, if it does.
    reread: Option<Reread>,
}

impl Weights {
    /// Weighs the entries of `inputs`. Lists are read, what they name is not opened; folders are
    /// listed; of other data headers are read, or what tells the entries without them, and `hashes`
    /// take note of recordings that they name. Entries that `groups` gives the same word are not to be
    /// parted. If `skips` is set, a fault that ends an input counts as an entry, which will be skipped.
    ///
    /// # Errors
    /// An input can be read only once or is at fault, nothing tells the weight asked for, or a key has
    /// no group.
    pub fn of(
        inputs: &[Input],
        (by, skips): (ShardBalance, bool),
        (groups, hashes): (Option<&KeyMap>, &Hashes),
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let mut weigher = Weigher::new(by, inputs.len() > 1, groups, hashes, (registry, env));
        let mut weighed = Vec::new();
        for input in inputs {
            if input.is_stdin() || input.file().is_none() && input.folder().is_none() {
                let message = match input.place {
                    Locator::FileAt(..) => "one object of a file can't be cut into shards",
                    _ => "a pipe can't be cut into shards, as each would have to read it",
                };
                return Err(Error::usage(message).file(input.text()));
            }
            let before = weigher.count();
            let read = weigher.input(input);
            let begun = weigher.count() > before;
            let (unit, is_readable) = match read {
                // The shard that the fault falls to skips it.
                Err(error) if skips && error.ends_one_input() && (begun || inputs.len() > 1) => {
                    weigher.skip();
                    (Unit::Entry, Some(begun))
                }
                read => match read? {
                    Unit::File => (Unit::File, None),
                    unit => (unit, Some(true)),
                },
            };
            let entries = weigher.count() - before;
            weighed.push(Weighed {
                entries,
                unit,
                is_readable,
                reread: weigher.reread().filter(|_| entries > 1),
            });
        }
        let (known, groups) = weigher.finish();
        let told = |by: ShardBalance| {
            let weights = known.iter().map(|entry| weight(by, entry));
            let weights = weights.collect::<Option<Vec<_>>>()?;
            (weights.is_empty() || weights.iter().any(|weight| *weight > 0)).then_some(weights)
        };
        let candidates: &[ShardBalance] = match by {
            ShardBalance::Auto => &[
                ShardBalance::Frames,
                ShardBalance::Bytes,
                ShardBalance::Entries,
            ],
            ShardBalance::Entries => &[ShardBalance::Entries],
            ShardBalance::Bytes => &[ShardBalance::Bytes],
            ShardBalance::Frames => &[ShardBalance::Frames],
        };
        let found = candidates.iter().find_map(|by| Some((*by, told(*by)?)));
        let Some((by, weights)) = found else {
            let error = Error::unfit(format!("nothing tells the {by} of each entry"));
            let text = inputs.first().map_or("", Input::text);
            return Err(error.file(text).hint("cut by something else: --shard-by"));
        };
        Ok(Self {
            by,
            inputs: weighed,
            weights,
            starts: known.iter().map(Entry::start).collect(),
            groups,
            skips,
        })
    }

    /// Returns the number of entries.
    pub fn count(&self) -> u64 {
        self.inputs.iter().map(|input| input.entries).sum()
    }

    /// Returns the total weight.
    pub fn sum(&self) -> u128 {
        self.weights.iter().map(|weight| u128::from(*weight)).sum()
    }

    /// Returns the numbers of the inputs that each shard reads from the start, with the reasons.
    pub fn reread(&self) -> impl Iterator<Item = (usize, Reread)> {
        let inputs = self.inputs.iter().enumerate();
        inputs.filter_map(|(n, input)| Some((n, input.reread?)))
    }

    /// Returns the entries of a shard.
    pub fn cut(&self, shard: Shard) -> Cut {
        let cut = match self.by {
            ShardBalance::Entries | ShardBalance::Auto => Cut::by_count(shard, self.count()),
            ShardBalance::Bytes | ShardBalance::Frames => Cut::by_weight(shard, &self.weights),
        };
        match &self.groups {
            Some(starts) => cut.at_groups(starts, self.count()),
            None => cut,
        }
    }

    /// Returns the inputs that a shard reads: those of which it has entries, or a single one of
    /// which it has none. Behind inputs that cannot be opened comes one that can, without entries, as
    /// it tells what the data are.
    pub fn leave(
        &self,
        inputs: Vec<Input>,
        shard: Shard,
        (registry, env): (&Registry, &Env),
    ) -> Vec<Input> {
        let quiet = env.listening(|_| {});
        let opens = |input: &Input| {
            let open = || input.stored(Request::all().weights(), registry, &quiet);
            !self.skips || open().is_ok()
        };
        let is_readable = |(input, weighed): (&Input, &Weighed)| {
            weighed.is_readable.unwrap_or_else(|| opens(input))
        };
        let cut = self.cut(shard);
        let mut before = 0;
        let (mut kept, mut any_readable) = (Vec::new(), false);
        for (input, weighed) in inputs.iter().zip(&self.inputs) {
            let entries = weighed.entries;
            let [first, end] =
                [cut.first, cut.end].map(|n| n.clamp(before, before + entries) - before);
            if first < end || kept.is_empty() && before + entries >= cut.end {
                any_readable = any_readable || is_readable((input, weighed));
                let start = usize::try_from(before + first).ok();
                let start = start.and_then(|n| *self.starts.get(n)?);
                kept.push(weighed.unit.part(input.clone(), [first, end], start));
            }
            before += entries;
        }
        if !any_readable {
            let mut others = inputs.iter().zip(&self.inputs);
            let spare = others.find(|both| is_readable(*both));
            kept.extend(spare.map(|(spare, _)| Input {
                entries: Some([0, 0]),
                ..spare.clone()
            }));
        }
        kept
    }

    /// Returns the weight of a shard.
    pub fn weight(&self, cut: Cut) -> u128 {
        let [first, end] = [cut.first, cut.end].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let own = self.weights.get(first..end).unwrap_or_default();
        own.iter().map(|weight| u128::from(*weight)).sum()
    }
}
