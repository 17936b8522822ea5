//! `diff`: compares two data sets.

mod fields;
pub mod json;
mod noise;
mod object;
mod pairing;
mod sound;
mod tiers;
mod utterance;
mod values;

pub use noise::Noise;
pub use pairing::{by_columns, by_key};
pub use utterance::{Difference, UtteranceDiff};
pub use values::{Spot, Tolerance, Values};

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::model::{Key, KeySource, Position, Utterance};

use crate::argument::OpenedInput;

/// The result for one entry.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Only the first data set has it, in this place.
    OnlyA(Option<Place>),
    /// Only the second has it.
    OnlyB(Option<Place>),
    /// Another key is in its place in the second.
    Key(Key),
    /// Both have it, and it differs.
    Differs(Box<Differing>),
}

/// An utterance of both data sets that differs.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Differing {
    /// Its key in the second data set, if that is another one.
    pub other_key: Option<Key>,
    /// The lines where it stands in both, if it does in one.
    pub places: [Option<Place>; 2],
    /// What differs.
    pub differences: Vec<Difference>,
}

/// A line of a file.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file.
    pub file: String,
    /// The number of the line, from 1.
    pub line: u64,
}

impl Place {
    /// Returns the line that an utterance stands in, if it was read from one.
    fn of(utt: &Utterance) -> Option<Self> {
        match (&utt.origin.file, utt.origin.at) {
            (Some(file), Some(Position::Line(line))) => Some(Self {
                file: file.to_string(),
                line,
            }),
            _ => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
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
    /// Whether both are of one format, which can hold the same fields.
    same_format: bool,
    env: &'a Env,
    summary: Summary,
    listener: Listener<'a>,
}

impl Comparison<'_> {
    /// Compares two utterances; audio in different forms is compared by its samples.
    fn compared(&self, a: &Utterance, b: &Utterance) -> Result<UtteranceDiff> {
        let mut found = match sound::loaded(a, b, self.env) {
            None => self.tolerance.utterances(a, b)?,
            Some([a_sound, b_sound]) => {
                let with = |utt: &Utterance, sound| Utterance {
                    audio: Some(sound),
                    ..utt.clone()
                };
                let [a, b] = [with(a, a_sound), with(b, b_sound)];
                UtteranceDiff {
                    metadata: true,
                    ..self.tolerance.utterances(&a, &b)?
                }
            }
        };
        self.tolerance.fields(a, b, self.same_format, &mut found);
        Ok(found)
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
        let differing = Differing {
            other_key: (a.key != b.key).then(|| b.key.clone()),
            places: [a, b].map(Place::of),
            differences: compared.differences,
        };
        (self.listener)(&a.key, &Finding::Differs(Box::new(differing)))
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
            [true, false] => self.only(one, true)?,
            [false, true] => self.only(other, false)?,
            [true, true] if unnamed || one.key == other.key => self.pair(one, other)?,
            [true, true] => {
                self.summary.keys += 1;
                (self.listener)(&one.key, &Finding::Key(other.key.clone()))?;
            }
        }
        Ok(true)
    }

    fn only(&mut self, utt: &Utterance, first: bool) -> Result<()> {
        let place = Place::of(utt);
        let (count, finding) = match first {
            true => (&mut self.summary.only_a, Finding::OnlyA(place)),
            false => (&mut self.summary.only_b, Finding::OnlyB(place)),
        };
        *count += 1;
        (self.listener)(&utt.key, &finding)
    }
}

fn is_same_format(a: &OpenedInput, b: &OpenedInput) -> bool {
    a.format.info().name == b.format.info().name
}

/// Compares two data sets, opened with all fields, utterance by utterance in order. Generated keys
/// are not compared, nor those of two data sets with a single utterance each. Audio in different
/// forms is loaded from `env`.
///
/// # Errors
/// One cannot be read, or the listener fails.
pub fn in_order(
    a: OpenedInput,
    b: OpenedInput,
    tolerance: Tolerance,
    env: &Env,
    listener: Listener<'_>,
) -> Result<Summary> {
    let mut comparison = Comparison {
        tolerance,
        same_format: is_same_format(&a, &b),
        env,
        summary: Summary::default(),
        listener,
    };
    let (mut a, mut b) = (a.reader, b.reader);
    let (mut one, mut other) = (Utterance::default(), Utterance::default());
    let [made_up_a, made_up_b] = [&a, &b].map(|reader| reader.info().keys == KeySource::Generated);
    let unnamed = made_up_a != made_up_b;
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
