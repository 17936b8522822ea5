//! The classification of a pickle's values by their start.
//!
//! The inspection is bounded however long a list is, because many entries may be the same list. The
//! numbers themselves are checked when they are read.

use spr_core::model::Key;

use super::{Entry, Name};
use crate::machine::{Heap, Node, Value};
use crate::plain::{self, is_number};

/// The names of features in a dict, with the names of their labels.
const FEATURES: &[&[u8]] = &[
    b"features",
    b"feature",
    b"feats",
    b"feat",
    b"data",
    b"X",
    b"x",
];
const LABELS: &[&[u8]] = &[b"labels", b"label", b"targets", b"target", b"Y", b"y"];

/// The largest number of entries in a dict that is one utterance.
const FEW: usize = 32;

/// Recognises a value as an utterance without a name, or all utterances joined: an array, a list of
/// rows, or one of these with labels.
pub(super) fn utterance(heap: &Heap, value: Value) -> Option<Entry> {
    match is_array(heap, value) || is_list_of_rows(heap, value) {
        true => Some(Entry::new(value, Value::None)),
        false => pair(heap, value),
    }
}

/// Recognises a tuple or list of features and labels, either of which may be None.
pub(super) fn pair(heap: &Heap, value: Value) -> Option<Entry> {
    match items(heap, value)? {
        &[features, labels] => both(heap, features, labels),
        _ => None,
    }
}

/// Recognises an item of a list as an utterance, by itself or after its name.
pub(super) fn named(heap: &Heap, value: Value) -> Option<Entry> {
    if let Some(entry) = utterance(heap, value) {
        return Some(entry);
    }
    let (&name, rest) = items(heap, value)?.split_first()?;
    heap.word(name)?;
    let entry = match *rest {
        [one] => utterance(heap, one),
        [features, labels] => both(heap, features, labels),
        _ => None,
    }?;
    Some(Entry {
        name: Name::Stored(name),
        ..entry
    })
}

/// Recognises a dict with features under one name and their labels under another. Returns its other
/// names as well. Returns `None` if there are data under those, or both are matrices of different
/// lengths.
pub(super) fn set(heap: &Heap, entries: &[(Value, Value)]) -> Option<(Entry, Vec<Key>)> {
    if entries.len() > FEW {
        return None;
    }
    let find = |names: &[&[u8]]| {
        let mut found = entries.iter().enumerate().rev();
        found.find(|(_, (name, _))| heap.word(*name).is_some_and(|name| names.contains(&name)))
    };
    let ((at, &(_, features)), (beside, &(_, labels))) = (find(FEATURES)?, find(LABELS)?);
    let entry = both(heap, features, labels)?;
    let matrix = |value| match is_array(heap, value) {
        true => plain::find(heap, value, "")
            .ok()
            .filter(|array| array.cols.is_some()),
        false => None,
    };
    if let (Some(features), Some(labels)) = (matrix(features), matrix(labels))
        && features.rows != labels.rows
    {
        return None;
    }
    let mut others = Vec::new();
    for (n, &(name, value)) in entries.iter().enumerate() {
        if n == at || n == beside {
            continue;
        }
        let is_data = is_array(heap, value) || matches!(heap.node(value), Some(Node::Dict(_)));
        match heap.word(name) {
            Some(name) if !is_data => others.push(Key::from(name)),
            _ => return None,
        }
    }
    Some((entry, others))
}

fn both(heap: &Heap, features: Value, labels: Value) -> Option<Entry> {
    let has_features = is_array(heap, features) || is_list_of_rows(heap, features);
    let has_labels = match heap.list(labels) {
        Some(items) => items.is_empty() || is_rows(heap, items),
        None => labels == Value::None || is_array(heap, labels),
    };
    (has_features && has_labels).then(|| Entry::new(features, labels))
}

/// Returns `true` for a NumPy array of numbers that is not a scalar.
pub(super) fn is_array(heap: &Heap, value: Value) -> bool {
    let is_many = match heap.node(value) {
        Some(Node::Array(Some(array))) => heap.tuple(array.shape) != Some(&[]),
        _ => false,
    };
    is_many && heap.list(value).is_none()
}

fn is_list_of_rows(heap: &Heap, value: Value) -> bool {
    heap.list(value).is_some_and(|items| is_rows(heap, items))
}

/// Returns `true` if the items of a list are numbers or the rows of a matrix: lists or tuples of
/// numbers, or arrays of one dimension. Two arrays are rows if type and length agree, otherwise
/// features and labels.
pub(super) fn is_rows(heap: &Heap, items: &[Value]) -> bool {
    let Some(&first) = items.first() else {
        return false;
    };
    if is_number(heap, first) {
        return true;
    }
    match heap.node(first) {
        Some(Node::List(row) | Node::Tuple(row)) => {
            row.first().is_some_and(|n| is_number(heap, *n))
        }
        Some(Node::Array(_)) => are_alike(heap, &items[..items.len().min(2)]),
        _ => false,
    }
}

/// Returns `true` if all are numbers, or lists or tuples of the same length.
pub(super) fn are_as_long(heap: &Heap, rows: &[Value]) -> bool {
    let length = |row: &Value| items(heap, *row).map(<[_]>::len);
    let mut lengths = rows.iter().map(length);
    let first = lengths.next();
    lengths.all(|length| Some(length) == first)
}

/// Returns `true` if all are arrays of one dimension with the same type and length.
pub(super) fn are_alike(heap: &Heap, items: &[Value]) -> bool {
    let shape = |value: &Value| match is_array(heap, *value) {
        true => (plain::find(heap, *value, "rows").ok())
            .filter(|array| array.cols.is_none())
            .map(|array| (array.dtype, array.rows)),
        false => None,
    };
    let mut shapes = items.iter().map(shape);
    match shapes.next().flatten() {
        Some(first) => shapes.all(|shape| shape == Some(first)),
        None => false,
    }
}

/// Returns the items of a tuple or a list.
fn items(heap: &Heap, value: Value) -> Option<&[Value]> {
    heap.tuple(value).or_else(|| heap.list(value))
}
