//! The weights of input entries, as far as known without reading values.

use std::fmt;
use std::str::FromStr;

use spr_core::bytes::{Env, Locator};
use spr_core::format::{Registry, Request, Weight};
use spr_core::model::{Audio, Key, Utterance};
use spr_core::{Error, KeyMap, Result};

use super::{Cut, Hashes, Shard};
use crate::argument::Input;

/// The weight by which shards are balanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardBalance {
    /// Frames if known, otherwise bytes, otherwise entries.
    Auto,
    /// Entries.
    Entries,
    /// Bytes of entries.
    Bytes,
    /// Frames.
    Frames,
}

impl ShardBalance {
    const ALL: [Self; 4] = [Self::Auto, Self::Entries, Self::Bytes, Self::Frames];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Entries => "entries",
            Self::Bytes => "bytes",
            Self::Frames => "frames",
        }
    }

    /// The weight of an entry, if it is known.
    fn of(self, entry: &Weight) -> Option<u64> {
        match self {
            Self::Frames => entry.frames,
            Self::Bytes => entry.bytes,
            Self::Entries | Self::Auto => Some(1),
        }
    }
}

impl fmt::Display for ShardBalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ShardBalance {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|by| by.name() == text);
        known.ok_or_else(|| {
            let error = Error::usage(format!("shards are not cut by '{text}'"));
            error.hint("known: auto, entries, bytes, frames")
        })
    }
}

/// The weights of the entries of all inputs, in sequence.
pub struct Weights {
    /// The kind of weight: not [`ShardBalance::Auto`].
    pub by: ShardBalance,
    /// The number of entries of each input.
    pub entries: Vec<u64>,
    /// The weight of each entry, unless all are equal.
    weights: Vec<u64>,
    /// Whether each input can be opened; one that cannot counts as one entry.
    readable: Vec<bool>,
    /// The first entries of groups, if there are groups.
    groups: Option<Vec<u64>>,
}

impl Weights {
    /// Weighs the entries of `inputs`. Lists are read, what they name is not opened; of other data
    /// headers are read, and `hashes` take note of recordings that they name. Entries that `groups`
    /// gives the same word are not to be parted. If `skips` is set, a fault that ends an input counts
    /// as an entry, which will be skipped.
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
        let quiet = env.listening(|_| {});
        let mut groups = Groups {
            of: groups,
            last: None,
            starts: Vec::new(),
            next: 0,
        };
        let (mut known, mut entries, mut readable) = (Vec::new(), Vec::new(), Vec::new());
        for input in inputs {
            if input.is_stdin() || input.file().is_none() && input.folder().is_none() {
                let message = match input.place {
                    Locator::FileAt(..) => "one object of a file can't be cut into shards",
                    _ => "a pipe can't be cut into shards, as each would have to read it",
                };
                return Err(Error::usage(message).file(input.text()));
            }
            let before = known.len();
            let list = input.own_list(registry, &quiet);
            let read = list.and_then(|list| match list {
                Some((list, lists)) => lists.weigh(list, &quiet, &mut |key, weight| {
                    known.push(weight);
                    groups.add(key)
                }),
                None => {
                    let to = (&mut groups, hashes, &mut known);
                    read_headers(input, to, registry, &quiet)
                }
            });
            let begun = known.len() > before;
            match read {
                // The shard that the fault falls to skips it.
                Err(error) if skips && error.ends_one_input() && (begun || inputs.len() > 1) => {
                    known.push(Weight::default());
                    groups.next += 1;
                    readable.push(begun);
                }
                read => {
                    read?;
                    readable.push(true);
                }
            }
            entries.push((known.len() - before) as u64);
        }
        let told = |by: ShardBalance| {
            let weights = known.iter().map(|entry| by.of(entry));
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
            entries,
            weights,
            readable,
            groups: groups.of.map(|_| groups.starts),
        })
    }

    /// Returns the number of entries.
    pub fn count(&self) -> u64 {
        self.entries.iter().sum()
    }

    /// Returns the total weight.
    pub fn sum(&self) -> u128 {
        self.weights.iter().map(|weight| u128::from(*weight)).sum()
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
    pub fn leave(&self, inputs: Vec<Input>, shard: Shard) -> Vec<Input> {
        let cut = self.cut(shard);
        let mut before = 0;
        let (mut kept, mut any_readable) = (Vec::new(), false);
        let spare = self.readable.iter().position(|readable| *readable);
        let spare = spare.and_then(|n| inputs.get(n)).cloned();
        for ((mut input, entries), readable) in
            inputs.into_iter().zip(&self.entries).zip(&self.readable)
        {
            let [first, end] =
                [cut.first, cut.end].map(|n| n.clamp(before, before + entries) - before);
            if first < end || kept.is_empty() && before + entries >= cut.end {
                input.entries = Some(if first < end { [first, end] } else { [0, 0] });
                kept.push(input);
                any_readable |= *readable;
            }
            before += entries;
        }
        if let Some(spare) = spare.filter(|_| !any_readable) {
            kept.push(Input {
                entries: Some([0, 0]),
                ..spare
            });
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

/// The starts of groups.
struct Groups<'a> {
    of: Option<&'a KeyMap>,
    last: Option<Key>,
    starts: Vec<u64>,
    next: u64,
}

impl Groups<'_> {
    fn add(&mut self, key: &Key) -> Result<()> {
        if let Some(groups) = self.of {
            let group = groups.get(key)?;
            if self.last.as_ref() != Some(group) {
                self.starts.push(self.next);
                self.last = Some(group.clone());
            }
        }
        self.next += 1;
        Ok(())
    }
}

/// Reads the headers of an input. A faulty entry still counts.
fn read_headers(
    input: &Input,
    (groups, hashes, known): (&mut Groups<'_>, &Hashes, &mut Vec<Weight>),
    registry: &Registry,
    env: &Env,
) -> Result<()> {
    let request = Request::all().shapes().lenient(true);
    let mut reader = input.stored(request, registry, env)?;
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(false) => return Ok(()),
            Ok(true) => {
                if let Some(Audio::Reference(sound)) = &utt.audio
                    && let Some(file) = sound.at.location()
                {
                    let look = || env.store().look(file);
                    let failed = |e| Error::io("cannot inspect it", e).file(file.to_string());
                    hashes.note(file, look).map_err(failed)?;
                }
                known.push(Weight {
                    frames: Some(utt.frames()),
                    bytes: Some(utt.bytes()),
                });
            }
            Err(error) if error.can_continue() => known.push(Weight::default()),
            Err(error) => return Err(error),
        }
        groups.add(&utt.key)?;
    }
}
