//! What a value of a pickle may be, as far as its start tells.
//!
//! What is looked at here is bounded, however long a list is, as many entries may be the same list;
//! the numbers themselves are checked where they are taken.

use spr_core::model::Key;

use super::{Entry, Name};
use crate::array::Array;
use crate::machine::{Heap, Node, Value};
use crate::plain::is_number;

/// Under these names a dict has features, and under those their labels.
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

/// More entries than a dict has that is one set.
const FEW: usize = 32;

/// An utterance without a name, or all of them joined: an array, a list of rows, or one of these
/// with labels.
pub(super) fn utterance(heap: &Heap, value: Value) -> Option<Entry> {
    match is_array(heap, value) || is_list_of_rows(heap, value) {
        true => Some(Entry::new(value, Value::None)),
        false => pair(heap, value),
    }
}

/// A tuple or list of features and labels, or None in their place.
pub(super) fn pair(heap: &Heap, value: Value) -> Option<Entry> {
    match items(heap, value)? {
        &[features, labels] => both(heap, features, labels),
        _ => None,
    }
}

/// An utterance as an item of a list: alone or behind its name.
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

/// A dict that has features under one name and their labels under another, and the other names that
/// it has; `None` if there is data under those, or both are matrices, and not as long.
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
        true => Array::find(heap, value, "")
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

/// Whether it is a NumPy array of numbers, and not a single one.
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

/// Whether the items of a list are numbers or the rows of a matrix: lists or tuples of numbers, or
/// arrays of one dimension. Two arrays are rows if they are alike, else features and labels.
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

/// Whether all are numbers, or lists or tuples of one length.
pub(super) fn are_as_long(heap: &Heap, rows: &[Value]) -> bool {
    let length = |row: &Value| items(heap, *row).map(<[_]>::len);
    let mut lengths = rows.iter().map(length);
    let first = lengths.next();
    lengths.all(|length| Some(length) == first)
}

/// Whether all are arrays of one dimension, of one type and length.
pub(super) fn are_alike(heap: &Heap, items: &[Value]) -> bool {
    let shape = |value: &Value| match is_array(heap, *value) {
        true => (Array::find(heap, *value, "rows").ok())
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

/// The items of a tuple or a list.
fn items(heap: &Heap, value: Value) -> Option<&[Value]> {
    heap.tuple(value).or_else(|| heap.list(value))
}
