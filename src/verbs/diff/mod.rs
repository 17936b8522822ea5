//! `diff`: where two data sets differ.

pub mod json;
mod noise;
mod object;
mod sound;
mod tiers;
mod utterance;
mod values;

pub use noise::Noise;
pub use utterance::{Compared, Difference};
pub use values::{Spot, Tolerance, Values};

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use spr_core::bytes::Env;
use spr_core::format::{Opened, RandomAccess, Reader, Registry, Request};
use spr_core::model::{Key, KeySource, Utterance};
use spr_core::{Error, Remedy, Result};

use super::select::names;
use crate::argument::Input;

/// What is found out about one entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Only the first data set has it.
    OnlyA,
    /// Only the second has it.
    OnlyB,
    /// In the second, another key stands in its place.
    Key(Key),
    /// Both have it, and it differs.
    Differs(Vec<Difference>),
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Utterances that both have, and that were compared.
    pub compared: u64,
    /// Of those, how many differ.
    pub different: u64,
    /// Utterances that only the first has.
    pub only_a: u64,
    /// Utterances that only the second has.
    pub only_b: u64,
    /// What only one of them holds: what it is, whether that is the first, and in how many of the
    /// utterances that were compared.
    pub kinds: BTreeMap<(String, bool), u64>,
    /// Whether there was anything to compare in them, or nothing at all.
    pub shared: bool,
    /// Places at which the keys differ.
    pub keys: u64,
    /// The two keys, where each holds one utterance and they are compared whatever their names.
    pub single: Option<[Key; 2]>,
    /// Whether names were left out of it, because those of one data set are made up.
    pub unnamed: bool,
    /// Values that differ.
    pub values: u64,
    /// Utterances whose element types differ, which does not count as a difference.
    pub types: u64,
    /// Utterances whose metadata differ, which does not count as a difference.
    pub metadata: u64,
    /// The pair of values that differs most, of which utterance and what of it.
    pub worst: Option<(Key, Cow<'static, str>, Spot)>,
    /// How much the sound differs of all utterances of which it does.
    pub noise: Option<Noise>,
}

impl Summary {
    /// Whether nothing differs.
    pub fn is_same(&self) -> bool {
        self.kinds.is_empty() && self.different + self.only_a + self.only_b + self.keys == 0
    }
}

/// Called for each entry that differs.
pub type Listener<'a> = &'a mut dyn FnMut(&Key, &Finding) -> Result<()>;

/// A comparison under way.
struct Comparison<'a> {
    tolerance: Tolerance,
    env: &'a Env,
    summary: Summary,
    listener: Listener<'a>,
}

impl Comparison<'_> {
    /// Two utterances compared, their sound by its samples where it is stored in different ways.
    fn compared(&self, a: &Utterance, b: &Utterance) -> Result<Compared> {
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

    /// What was read of both, as far as there is `more`; whether there was.
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

/// Compares two data sets, opened with everything there is, utterance by utterance in their order.
/// Names that one of them does not have are not compared, nor those of two that hold one utterance each. Sound that the two store in different
/// ways is loaded from `env`.
///
/// # Errors
/// One can't be read, or the listener fails.
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

/// Compares two data sets by key, whatever their order. If one is found by key, only keys are
/// kept; otherwise both are read at once, and what comes earlier in one than in the other waits in
/// memory.
///
/// # Errors
/// One can't be read, more than `memory` bytes wait, or the listener fails.
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
        Opened::Table(table) => {
            let first = open(a, Request::all())?;
            looked_up(first, (table, b), open(b, names())?, true, &mut comparison)?;
        }
        Opened::Stream(second) => match lookup(a)? {
            Opened::Table(table) => {
                looked_up(
                    second,
                    (table, a),
                    open(a, names())?,
                    false,
                    &mut comparison,
                )?;
            }
            Opened::Stream(first) => waiting(first, second, memory, &mut comparison)?,
        },
    }
    Ok(comparison.summary)
}

/// `all` are the names in the data set `input` that `table` looks up; `streamed_first` is whether the
/// other is the first.
fn looked_up(
    mut streamed: Box<dyn Reader>,
    (mut table, input): (Box<dyn RandomAccess>, &Input),
    mut all: Box<dyn Reader>,
    streamed_first: bool,
    comparison: &mut Comparison<'_>,
) -> Result<()> {
    let mut seen = HashSet::new();
    let (mut utt, mut found) = (Utterance::default(), Utterance::default());
    while streamed.read(&mut utt)? {
        if !seen.insert(utt.key.clone()) {
            return Err(twice(&utt.key));
        }
        let there = match table.find(&utt.key, &mut found) {
            Err(error) if input.skips(&error) => false,
            there => there?,
        };
        match (there, streamed_first) {
            (false, first) => comparison.only(&utt.key, first)?,
            (true, true) => comparison.pair(&utt, &found)?,
            (true, false) => comparison.pair(&found, &utt)?,
        }
    }
    while all.read(&mut utt)? {
        if !seen.contains(&utt.key) {
            comparison.only(&utt.key, !streamed_first)?;
        }
    }
    Ok(())
}

fn waiting(
    a: Box<dyn Reader>,
    b: Box<dyn Reader>,
    memory: u64,
    comparison: &mut Comparison<'_>,
) -> Result<()> {
    let mut readers = [Some(a), Some(b)];
    let mut held = [HashMap::<Key, Utterance>::new(), HashMap::new()];
    let mut bytes = 0;
    let mut utt = Utterance::default();
    while readers.iter().any(Option::is_some) {
        for side in 0..2 {
            let Some(reader) = &mut readers[side] else {
                continue;
            };
            if !reader.read(&mut utt)? {
                readers[side] = None;
                continue;
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
            if held[side].insert(utt.key.clone(), utt.clone()).is_some() {
                return Err(twice(&utt.key));
            }
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

fn twice(key: &Key) -> Error {
    Error::unfit("appears twice in one data set, which can't be compared by key").utterance(key)
}
