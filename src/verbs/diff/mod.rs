//! `diff`: compares two data sets.

pub mod json;
mod noise;
mod object;
mod sound;
mod tiers;
mod utterance;
mod values;

pub use noise::Noise;
pub use utterance::{Difference, UtteranceDiff};
pub use values::{Spot, Tolerance, Values};

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use spr_core::bytes::Env;
use spr_core::format::{OpenedDataset, RandomAccess, Reader, Registry, Request};
use spr_core::model::{Key, KeySource, Utterance};
use spr_core::{Error, Remedy, Result};

use crate::argument::Input;

/// The result for one entry.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Only the first data set has it.
    OnlyA,
    /// Only the second has it.
    OnlyB,
    /// Another key is in its place in the second.
    Key(Key),
    /// Both have it, and it differs.
    Differs(Vec<Difference>),
}

/// The result of a comparison.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The number of utterances that both have, which were compared.
    pub compared: u64,
    /// The number of those that differ.
    pub different: u64,
    /// The number of utterances that only the first has.
    pub only_a: u64,
    /// The number of utterances that only the second has.
    pub only_b: u64,
    /// Fields that only one of them has: the field, whether it is in the first, and the number of
    /// compared utterances.
    pub kinds: BTreeMap<(String, bool), u64>,
    /// Whether they had any field in common, or none at all.
    pub shared: bool,
    /// The number of positions at which the keys differ.
    pub keys: u64,
    /// The two keys, if each has a single utterance and these are compared whatever their keys.
    pub single: Option<[Key; 2]>,
    /// Whether keys were ignored, because one data set has generated ones.
    pub unnamed: bool,
    /// The number of values that differ.
    pub values: u64,
    /// The number of utterances with different element types, which is not a difference.
    pub types: u64,
    /// The number of utterances with different metadata, which is not a difference.
    pub metadata: u64,
    /// The pair of values that differs most, with its utterance and field.
    pub worst: Option<(Key, Cow<'static, str>, Spot)>,
    /// The difference of all audio that differs.
    pub noise: Option<Noise>,
}

impl Summary {
    /// Returns `true` if nothing differs.
    pub fn is_same(&self) -> bool {
        self.kinds.is_empty() && self.different + self.only_a + self.only_b + self.keys == 0
    }
}

/// Receives each entry that differs.
pub type Listener<'a> = &'a mut dyn FnMut(&Key, &Finding) -> Result<()>;

/// A comparison in progress.
struct Comparison<'a> {
    tolerance: Tolerance,
    env: &'a Env,
    summary: Summary,
    listener: Listener<'a>,
}

impl Comparison<'_> {
    /// Compares two utterances; audio in different forms is compared by its samples.
    fn compared(&self, a: &Utterance, b: &Utterance) -> Result<UtteranceDiff> {
        let Some([a_sound, b_sound]) = sound::loaded(a, b, self.env) else {
            return self.tolerance.utterances(a, b);
        };
        let with = |utt: &Utterance, sound| Utterance {
            audio: Some(sound),
            ..utt.clone()
        };
        let mut compared = self
            .tolerance
            .utterances(&with(a, a_sound), &with(b, b_sound))?;
        compared.metadata = true;
        Ok(compared)
    }

    fn pair(&mut self, a: &Utterance, b: &Utterance) -> Result<()> {
        let compared = self.compared(a, b)?;
        let summary = &mut self.summary;
        summary.compared += 1;
        summary.shared |= compared.shared;
        summary.types += u64::from(compared.types);
        summary.metadata += u64::from(compared.metadata);
        for (first, kinds) in [(true, compared.only_a), (false, compared.only_b)] {
            for kind in kinds {
                *summary.kinds.entry((kind, first)).or_default() += 1;
            }
        }
        if compared.differences.is_empty() {
            return Ok(());
        }
        summary.different += 1;
        for difference in &compared.differences {
            if let Difference::Noise(noise) = difference {
                summary.noise.get_or_insert_default().append(noise);
            }
            let Difference::Values(what, values) = difference else {
                continue;
            };
            summary.values += values.differ;
            let worst = summary.worst.as_ref();
            if worst.is_none_or(|(.., spot)| values.worst.apart > spot.apart) {
                summary.worst = Some((a.key.clone(), what.clone(), values.worst.clone()));
            }
        }
        (self.listener)(&a.key, &Finding::Differs(compared.differences))
    }

    /// Reads from both, as far as there is `more`, and returns whether there was.
    fn step(
        &mut self,
        one: &Utterance,
        other: &Utterance,
        more: [bool; 2],
        unnamed: bool,
    ) -> Result<bool> {
        match more {
            [false, false] => return Ok(false),
            [true, false] => self.only(&one.key, true)?,
            [false, true] => self.only(&other.key, false)?,
            [true, true] if unnamed || one.key == other.key => self.pair(one, other)?,
            [true, true] => {
                self.summary.keys += 1;
                (self.listener)(&one.key, &Finding::Key(other.key.clone()))?;
            }
        }
        Ok(true)
    }

    fn only(&mut self, key: &Key, first: bool) -> Result<()> {
        let (count, finding) = match first {
            true => (&mut self.summary.only_a, Finding::OnlyA),
            false => (&mut self.summary.only_b, Finding::OnlyB),
        };
        *count += 1;
        (self.listener)(key, &finding)
    }
}

/// Compares two data sets, opened with all fields, utterance by utterance in order. Generated keys
/// are not compared, nor those of two data sets with a single utterance each. Audio in different
/// forms is loaded from `env`.
///
/// # Errors
/// One cannot be read, or the listener fails.
pub fn in_order(
    a: &mut dyn Reader,
    b: &mut dyn Reader,
    tolerance: Tolerance,
    env: &Env,
    listener: Listener<'_>,
) -> Result<Summary> {
    let mut comparison = Comparison {
        tolerance,
        env,
        summary: Summary::default(),
        listener,
    };
    let (mut one, mut other) = (Utterance::default(), Utterance::default());
    let made_up = |reader: &dyn Reader| reader.info().keys == KeySource::Generated;
    let unnamed = made_up(a) != made_up(b);
    comparison.summary.unnamed = unnamed;
    let mut more = [a.read(&mut one)?, b.read(&mut other)?];
    if more == [true; 2] && !unnamed && one.key != other.key {
        let (mut later, mut other_later) = (Utterance::default(), Utterance::default());
        more = [a.read(&mut later)?, b.read(&mut other_later)?];
        if more == [false; 2] {
            comparison.summary.single = Some([one.key.clone(), other.key.clone()]);
            comparison.pair(&one, &other)?;
            return Ok(comparison.summary);
        }
        comparison.step(&one, &other, [true; 2], unnamed)?;
        (one, other) = (later, other_later);
    }
    while comparison.step(&one, &other, more, unnamed)? {
        more = [a.read(&mut one)?, b.read(&mut other)?];
    }
    Ok(comparison.summary)
}

/// Compares two data sets by key in any order. If one supports lookup, only keys are kept;
/// otherwise both are read simultaneously, and utterances wait in memory for their counterparts.
///
/// # Errors
/// One cannot be read, more than `memory` bytes wait, or the listener fails.
pub fn by_key(
    (a, b): (&Input, &Input),
    tolerance: Tolerance,
    memory: u64,
    (registry, env): (&Registry, &Env),
    listener: Listener<'_>,
) -> Result<Summary> {
    let mut comparison = Comparison {
        tolerance,
        env,
        summary: Summary::default(),
        listener,
    };
    let open = |input: &Input, request| Ok::<_, Error>(input.open(request, registry, env)?.reader);
    let lookup = |input: &Input| input.open_lookup(Request::all(), registry, env);
    match lookup(b)? {
        OpenedDataset::Table(table) => {
            let first = open(a, Request::all())?;
            looked_up(
                (first, a),
                (table, b),
                open(b, Request::names())?,
                true,
                &mut comparison,
            )?;
        }
        OpenedDataset::Stream(second) => match lookup(a)? {
            OpenedDataset::Table(table) => {
                looked_up(
                    (second, b),
                    (table, a),
                    open(a, Request::names())?,
                    false,
                    &mut comparison,
                )?;
            }
            OpenedDataset::Stream(first) => {
                waiting([(first, a), (second, b)], memory, &mut comparison)?
            }
        },
    }
    Ok(comparison.summary)
}

/// Compares by lookup. `all` are the keys of the data set `input` in `table`; `streamed_first`
/// tells whether the other one is the first.
fn looked_up(
    (mut streamed, own): (Box<dyn Reader>, &Input),
    (mut table, input): (Box<dyn RandomAccess>, &Input),
    mut all: Box<dyn Reader>,
    streamed_first: bool,
    comparison: &mut Comparison<'_>,
) -> Result<()> {
    // The keys that were read, and whether the other data set has them.
    let mut seen = HashMap::new();
    let (mut utt, mut found) = (Utterance::default(), Utterance::default());
    while streamed.read(&mut utt)? {
        if seen.insert(utt.key.clone(), false).is_some() {
            return Err(twice(&utt.key, own));
        }
        let there = match table.find(&utt.key, &mut found) {
            Err(error) if input.skips(&error, comparison.env) => false,
            there => there?,
        };
        match (there, streamed_first) {
            (false, first) => comparison.only(&utt.key, first)?,
            (true, true) => comparison.pair(&utt, &found)?,
            (true, false) => comparison.pair(&found, &utt)?,
        }
    }
    // A lookup returns one of several utterances with the same key, so that all keys are read.
    while all.read(&mut utt)? {
        match seen.insert(utt.key.clone(), true) {
            Some(true) => return Err(twice(&utt.key, input)),
            Some(false) => {}
            None => comparison.only(&utt.key, !streamed_first)?,
        }
    }
    Ok(())
}

fn waiting(
    inputs: [(Box<dyn Reader>, &Input); 2],
    memory: u64,
    comparison: &mut Comparison<'_>,
) -> Result<()> {
    let mut readers = inputs.map(|(reader, input)| (Some(reader), input));
    let mut seen = [HashSet::new(), HashSet::new()];
    let mut held = [HashMap::<Key, Utterance>::new(), HashMap::new()];
    let mut bytes = 0;
    let mut utt = Utterance::default();
    while readers.iter().any(|(reader, _)| reader.is_some()) {
        for side in 0..2 {
            let (left, input) = &mut readers[side];
            let Some(reader) = left else {
                continue;
            };
            if !reader.read(&mut utt)? {
                *left = None;
                continue;
            }
            if !seen[side].insert(utt.key.clone()) {
                return Err(twice(&utt.key, input));
            }
            if let Some(other) = held[1 - side].remove(&utt.key) {
                bytes -= other.bytes();
                match side {
                    0 => comparison.pair(&utt, &other)?,
                    _ => comparison.pair(&other, &utt)?,
                }
                continue;
            }
            bytes += utt.bytes();
            if bytes > memory {
                return Err(Error::limit(format!(
                    "utterances that wait for their match take more than {memory} bytes"
                ))
                .suggest(Remedy::SortFirst));
            }
            held[side].insert(utt.key.clone(), utt.clone());
        }
    }
    for (first, held) in [true, false].into_iter().zip(held) {
        let mut keys: Vec<_> = held.into_keys().collect();
        keys.sort();
        for key in keys {
            comparison.only(&key, first)?;
        }
    }
    Ok(())
}

fn twice(key: &Key, input: &Input) -> Error {
    let error = Error::unfit("appears twice, so that it can't be compared by key");
    error.utterance(key).file(input.text())
}
