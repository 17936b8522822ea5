//! Pairs of utterances of two data sets, by their keys or by columns.

use std::collections::HashMap;

use spr_core::bytes::Env;
use spr_core::format::{Format, OpenedDataset, RandomAccess, Reader, Registry, Request};
use spr_core::model::{Decimal, Key, Utterance};
use spr_core::{Error, Remedy, Result};
use spr_stats::{OrderColumns, OrderValues, Row};

use super::{Comparison, Listener, Summary, Tolerance, is_same_format};
use crate::plan::Plan;

/// Compares two data sets by key in any order. If one supports lookup, only keys are kept;
/// otherwise both are read simultaneously, and utterances wait in memory for their counterparts.
///
/// # Errors
/// One cannot be read, more than `memory` bytes wait, or the listener fails.
pub fn by_key(
    (a, b): (&Plan, &Plan),
    tolerance: Tolerance,
    memory: u64,
    (registry, env): (&Registry, &Env),
    listener: Listener<'_>,
) -> Result<Summary> {
    let open = |input: &Plan, request| input.open_whole(request, registry, env);
    let lookup = |input: &Plan| input.open_lookup(Request::all(), registry, env);
    let mut comparison = Comparison {
        tolerance,
        same_format: false,
        env,
        summary: Summary::default(),
        listener,
    };
    let is_same = |one: &dyn Format, other: &dyn Format| one.info().name == other.info().name;
    match lookup(b)? {
        (OpenedDataset::Table(table), format) => {
            let first = open(a, Request::all())?;
            comparison.same_format = is_same(first.format, format);
            let all = open(b, Request::names())?.reader;
            looked_up((first.reader, a), (table, b), all, true, &mut comparison)?;
        }
        (OpenedDataset::Stream(second), format) => {
            let (first, other) = lookup(a)?;
            comparison.same_format = is_same(other, format);
            match first {
                OpenedDataset::Table(table) => {
                    let all = open(a, Request::names())?.reader;
                    looked_up((second, b), (table, a), all, false, &mut comparison)?;
                }
                OpenedDataset::Stream(first) => {
                    let sides = [(first, a), (second, b)];
                    waiting(sides, &Pairing::Key, memory, &mut comparison)?;
                }
            }
        }
    }
    Ok(comparison.summary)
}

/// Compares by lookup. `all` are the keys of the data set `input` in `table`; `streamed_first`
/// tells whether the other one is the first.
fn looked_up(
    (mut streamed, own): (Box<dyn Reader>, &Plan),
    (mut table, input): (Box<dyn RandomAccess>, &Plan),
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
            (false, first) => comparison.only(&utt, first)?,
            (true, true) => comparison.pair(&utt, &found)?,
            (true, false) => comparison.pair(&found, &utt)?,
        }
    }
    // A lookup returns one of several utterances with the same key, so that all keys are read.
    while all.read(&mut utt)? {
        match seen.insert(utt.key.clone(), true) {
            Some(true) => return Err(twice(&utt.key, input)),
            Some(false) => {}
            None => comparison.only(&utt, !streamed_first)?,
        }
    }
    Ok(())
}

/// What utterances of two data sets are paired by.
enum Pairing {
    Key,
    Columns(OrderValues),
}

impl Pairing {
    /// Returns what an utterance is paired by; `None` if that is not known.
    fn value(&self, utt: &Utterance, shift: Option<Decimal>) -> Option<Vec<u8>> {
        match self {
            Self::Key => Some(utt.key.as_bytes().to_vec()),
            Self::Columns(columns) => {
                let mut value = Vec::new();
                let is_known = columns.append(&Row::new(utt, shift), &mut value);
                is_known.then_some(value)
            }
        }
    }

    /// The error about two utterances of one data set that are paired by the same value.
    fn twice(&self, first: &Key, second: &Key, input: &Plan) -> Error {
        match self {
            Self::Key => twice(second, input),
            Self::Columns(values) => {
                let columns = values.columns();
                let message = format!(
                    "has the same {columns} as {first}, so that they can't be paired by it"
                );
                let error = Error::unfit(message).utterance(second).file(input.text());
                error.hint("more columns with commas between may tell them apart")
            }
        }
    }
}

/// Compares utterances with equal values in columns, in any order. Utterances wait in memory for their
/// counterparts. Values that are not known make no pair, which is warned of in `env`.
///
/// # Errors
/// One cannot be read, two of its utterances have the same values, more than `memory` bytes wait, or the
/// listener fails.
pub fn by_columns(
    (a, b): (&Plan, &Plan),
    columns: OrderColumns,
    tolerance: Tolerance,
    memory: u64,
    (registry, env): (&Registry, &Env),
    listener: Listener<'_>,
) -> Result<Summary> {
    let open = |input: &Plan| input.open_whole(Request::all(), registry, env);
    let (first, second) = (open(a)?, open(b)?);
    let mut comparison = Comparison {
        tolerance,
        same_format: is_same_format(&first, &second),
        env,
        summary: Summary::default(),
        listener,
    };
    let pairing = Pairing::Columns(OrderValues::new(columns));
    let sides = [(first.reader, a), (second.reader, b)];
    waiting(sides, &pairing, memory, &mut comparison)?;
    if let Pairing::Columns(values) = &pairing {
        let warnings = values.warnings("they can't be paired");
        warnings.iter().for_each(|warning| env.warn(warning));
    }
    Ok(comparison.summary)
}

/// A data set that is read, and its utterances without a counterpart so far.
struct Side<'a> {
    reader: Option<Box<dyn Reader>>,
    input: &'a Plan,
    shift: Option<Decimal>,
    /// What was paired by, with the key where that is not the same.
    seen: HashMap<Vec<u8>, Key>,
    held: HashMap<Vec<u8>, Utterance>,
}

fn waiting(
    inputs: [(Box<dyn Reader>, &Plan); 2],
    pairing: &Pairing,
    memory: u64,
    comparison: &mut Comparison<'_>,
) -> Result<()> {
    let mut sides = inputs.map(|(reader, input)| Side {
        shift: reader.info().frame_shift,
        reader: Some(reader),
        input,
        seen: HashMap::new(),
        held: HashMap::new(),
    });
    let mut bytes = 0;
    let mut utt = Utterance::default();
    while sides.iter().any(|side| side.reader.is_some()) {
        for number in 0..2 {
            let side = &mut sides[number];
            let Some(reader) = &mut side.reader else {
                continue;
            };
            if !reader.read(&mut utt)? {
                side.reader = None;
                continue;
            }
            let Some(value) = pairing.value(&utt, side.shift) else {
                comparison.only(&utt, number == 0)?;
                continue;
            };
            let key = match pairing {
                Pairing::Key => Key::default(),
                Pairing::Columns(_) => utt.key.clone(),
            };
            if let Some(first) = side.seen.insert(value.clone(), key) {
                return Err(pairing.twice(&first, &utt.key, side.input));
            }
            if let Some(other) = sides[1 - number].held.remove(&value) {
                bytes -= other.bytes();
                match number {
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
            sides[number].held.insert(value, utt.clone());
        }
    }
    for (first, side) in [true, false].into_iter().zip(sides) {
        let mut left: Vec<_> = side.held.into_values().collect();
        left.sort_by(|a, b| a.key.cmp(&b.key));
        for utt in left {
            comparison.only(&utt, first)?;
        }
    }
    Ok(())
}

fn twice(key: &Key, input: &Plan) -> Error {
    let error = Error::unfit("appears twice, so that it can't be compared by key");
    error.utterance(key).file(input.text())
}
