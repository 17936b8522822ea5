//! Files that hold all utterances in one dataset, beside their lengths or offsets.

use hdf5_reader::{Datatype, VarLenKind};
use spr_core::model::{Dtype, Key, Matrix};
use spr_core::{Error, Result};

use crate::dataset::{File, Stored};
use crate::entries::{Entry, Part, Rows};
use crate::names::Role;
use crate::tree::{Node, Target};
use crate::types;
use crate::value::strings;

/// The largest number of datasets in such a file.
const MOST: usize = 16;
const LENGTHS: &[&str] = &["lengths", "length", "lens", "num_frames", "n_frames"];
const OFFSETS: &[&str] = &["offsets", "offset", "starts"];
const KEYS: &[&str] = &["keys", "names", "ids", "utt_ids", "utts", "utterances"];

/// The datasets of such a file.
#[derive(Default)]
struct Found {
    lengths: Option<Vec<u64>>,
    offsets: Option<Vec<u64>>,
    keys: Option<Vec<Vec<u8>>>,
    /// The index of each other dataset, its role, and its header.
    data: Vec<(usize, Role, Stored)>,
}

impl Found {
    /// Returns `true` if all datasets are called like fields, and have a sequence of numbers for each
    /// utterance.
    fn are_fields(&self) -> bool {
        let field = |(_, role, stored): &(usize, Role, Stored)| {
            let bytes = |base: &Datatype| types::number(base).is_some_and(|n| n.0 == Dtype::U8);
            let numbers = |datatype: &Datatype| match datatype {
                Datatype::VarLen { base, .. } => !bytes(base),
                _ => false,
            };
            *role != Role::Plain && sequences(stored).is_some() && numbers(&stored.datatype)
        };
        !self.data.is_empty() && self.data.iter().all(field)
    }
}

/// Returns the utterances of a file that holds all in one dataset, and how that was concluded.
/// `None` if it does not.
///
/// # Errors
/// A dataset is damaged, or lengths and data contradict each other.
pub(crate) fn entries(file: &mut File, nodes: &[Node]) -> Result<Option<(Vec<Entry>, String)>> {
    let group = |node: &Node| {
        node.path
            .rsplit_once('/')
            .map(|(group, _)| group.to_owned())
    };
    let is_flat = nodes
        .iter()
        .all(|node| group(node) == nodes.first().and_then(group));
    if nodes.len() > MOST || !is_flat {
        return Ok(None);
    }
    let found = find(file, nodes)?;
    let is_told = found.lengths.is_some() || found.offsets.is_some() || found.keys.is_some();
    if !is_told && !found.are_fields() {
        return Ok(None);
    }
    let Some(spans) = spans(&found)? else {
        let mut data = found.data.iter();
        let Some(count) = data.find_map(|(_, _, stored)| sequences(stored)) else {
            return Ok(None);
        };
        return all(&found, count, &[]).map(Some);
    };
    all(&found, spans.len() as u64, &spans).map(Some)
}

fn find(file: &mut File, nodes: &[Node]) -> Result<Found> {
    let mut found = Found::default();
    for (index, node) in nodes.iter().enumerate() {
        let Target::Dataset(address, real) = &node.target else {
            return Ok(Found::default());
        };
        let name = node.path.rsplit('/').next().unwrap_or_default();
        let path = real.as_deref().unwrap_or(&node.path);
        let in_it = |e: Error| e.context(format!("the dataset '{}'", node.path.escape_debug()));
        // What is at fault is told when it is read.
        let Ok(stored) = file.find(*address, path) else {
            return Ok(Found::default());
        };
        if LENGTHS.contains(&name) {
            found.lengths = counts(file, &stored).map_err(in_it)?;
        } else if OFFSETS.contains(&name) {
            found.offsets = counts(file, &stored).map_err(in_it)?;
        } else if KEYS.contains(&name) && !stored.shape.is_empty() && stored.number.is_none() {
            found.keys = Some(file.texts(&stored, None).map_err(in_it)?);
        } else {
            found
                .data
                .push((index, Role::of(name).unwrap_or(Role::Plain), stored));
        }
    }
    Ok(found)
}

/// Returns the numbers of a dataset of lengths. `None` if it is something else.
fn counts(file: &File, stored: &Stored) -> Result<Option<Vec<u64>>> {
    let is_list = stored.shape.len() == 1;
    if !is_list
        || !stored
            .number
            .is_some_and(|(dtype, _)| Dtype::INTEGERS.contains(&dtype))
    {
        return Ok(None);
    }
    let mut matrix = Matrix::default();
    file.matrix(stored, true, &mut matrix)?;
    matrix.cast(Dtype::I64, file.limits())?;
    let numbers = matrix.values::<i64>()?.iter().map(|n| u64::try_from(*n));
    let numbers = numbers.collect::<Result<Vec<_>, _>>();
    let negative = |_| Error::malformed("has a negative number, expected numbers of rows");
    numbers.map(Some).map_err(negative)
}

/// Returns the number of sequences of a dataset of such.
fn sequences(stored: &Stored) -> Option<u64> {
    match (&stored.datatype, &*stored.shape) {
        (
            Datatype::VarLen {
                kind: VarLenKind::Sequence,
                ..
            },
            [n],
        ) => Some(*n),
        _ => None,
    }
}

/// Returns the first row and the number of rows of each utterance.
fn spans(found: &Found) -> Result<Option<Vec<(u64, u64)>>> {
    let spans = match (&found.offsets, &found.lengths) {
        (None, None) => return Ok(None),
        (None, Some(lengths)) => {
            let mut first = 0u64;
            let mut spans = Vec::with_capacity(lengths.len());
            for rows in lengths {
                spans.push((first, *rows));
                first = first.checked_add(*rows).ok_or_else(too_many)?;
            }
            spans
        }
        (Some(offsets), Some(lengths)) if offsets.len() == lengths.len() => offsets
            .iter()
            .copied()
            .zip(lengths.iter().copied())
            .collect(),
        (Some(offsets), Some(lengths)) => {
            let message = format!(
                "has {} offsets and {} lengths",
                offsets.len(),
                lengths.len()
            );
            return Err(Error::malformed(message));
        }
        (Some(offsets), None) => {
            let rows = found
                .data
                .iter()
                .find_map(|(_, _, stored)| stored.shape.first());
            let rows = *rows.unwrap_or(&0);
            let mut ends = offsets.clone();
            let mut starts = offsets.clone();
            match offsets.last() {
                Some(last) if *last == rows && offsets.len() > 1 => drop(starts.pop()),
                _ => ends.push(rows),
            }
            if !ends.is_empty() {
                ends.remove(0);
            }
            if starts.first().is_some_and(|first| *first != 0) {
                return Err(Error::malformed("has offsets that do not start at 0"));
            }
            let spans = starts.iter().zip(&ends);
            let spans = spans.map(|(first, end)| Some((*first, end.checked_sub(*first)?)));
            let falling = || Error::malformed("has offsets that do not rise to the last row");
            spans.collect::<Option<Vec<_>>>().ok_or_else(falling)?
        }
    };
    Ok(Some(spans))
}

fn too_many() -> Error {
    Error::malformed("has more rows than can be counted")
}

/// Returns all utterances, which have these `spans` or are sequences.
fn all(found: &Found, count: u64, spans: &[(u64, u64)]) -> Result<(Vec<Entry>, String)> {
    if let Some(keys) = &found.keys
        && keys.len() as u64 != count
    {
        let message = format!("has {} names for {count} utterances", keys.len());
        return Err(Error::malformed(message));
    }
    let mut parts = Vec::new();
    for (node, role, stored) in &found.data {
        let make: fn(u64, (u64, u64)) -> Rows = match fit(stored, count, spans)? {
            Fit::Joined => |_, (first, rows)| Rows::Range(first, rows),
            Fit::Padded => |index, (_, rows)| Rows::Item(index, rows),
            Fit::Ragged => |index, _| Rows::Ragged(index),
        };
        parts.push((*node, *role, make));
    }
    if parts.is_empty() {
        return Err(Error::malformed(
            "has lengths, but no dataset that they are of",
        ));
    }
    let mut spans = spans.iter().copied();
    let entries = (0..count).map(|index| {
        let span = spans.next().unwrap_or_default();
        let key = found
            .keys
            .as_ref()
            .and_then(|keys| keys.get(usize::try_from(index).ok()?));
        let parts = parts.iter().map(|(node, role, make)| Part {
            role: *role,
            node: *node,
            rows: make(index, span),
        });
        Entry {
            key: key.map_or_else(|| Key::generated(index), |key| Key::from(&key[..])),
            parts: parts.collect(),
        }
    });
    let entries = entries.collect();
    let told = match (&found.lengths, &found.offsets) {
        (None, None) if found.keys.is_some() => "by their names",
        (None, None) => "as sequences of any length",
        (_, Some(_)) => "by offsets",
        _ => "by lengths",
    };
    Ok((entries, format!("several utterances in a dataset, {told}")))
}

/// How the utterances are in a dataset.
enum Fit {
    Joined,
    Padded,
    Ragged,
}

fn fit(stored: &Stored, count: u64, spans: &[(u64, u64)]) -> Result<Fit> {
    let end = spans
        .iter()
        .map(|(first, rows)| first.saturating_add(*rows))
        .max();
    let longest = spans.iter().map(|(_, rows)| *rows).max();
    match *stored.shape {
        [n] if n == count && (sequences(stored).is_some() || strings(stored).is_ok()) => {
            Ok(Fit::Ragged)
        }
        [rows] | [rows, _] if !spans.is_empty() && end == Some(rows) => Ok(Fit::Joined),
        [items, rows] | [items, rows, _] if items == count && longest <= Some(rows) => {
            Ok(Fit::Padded)
        }
        _ => {
            let message = format!(
                "has lengths of {count} utterances and {} rows, which fit no dataset of shape {:?}",
                end.unwrap_or_default(),
                stored.shape
            );
            Err(Error::malformed(message))
        }
    }
}
